import { describe, expect, it } from 'vitest'
import { makeCertificates } from '../../http/testing/certificates.ts'
import { temporaryFolder } from '../../settings/testing/read.ts'
import { type ProxyFlags, readProxySettings, type ProxySettingsResult } from './proxy-settings.ts'

const usual: ProxyFlags = {
  changes: 'added,order,opaque',
  opaque: 'id,*_id,*Id,uuid,error_message,message',
  host: '127.0.0.1',
  port: 0,
}
const { ca } = makeCertificates()
const folder = temporaryFolder({ 'ca.pem': ca })
const base = 'https://service.example/v1'

interface Given {
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: Readonly<Record<string, string>>
  readonly own?: Partial<ProxyFlags>
  readonly cwd?: string
}

function read({ env = {}, flags = {}, own = {}, cwd = '/nowhere' }: Given): Promise<ProxySettingsResult> {
  return readProxySettings({ env, flags, envFile: null, cwd, now: new Date(0) }, { ...usual, ...own })
}

async function mistakesIn(given: Given) {
  const result = await read(given)
  return result.kind === 'issues' ? result.issues : []
}

async function noticesOf(given: Given) {
  const result = await read(given)
  return result.kind === 'settings' ? result.notices : null
}

describe('the settings of the proxy', () => {
  it('need an address and no credentials', async () => {
    expect(await read({ env: { TARGET_BASE_URL: `${base}/` } })).toEqual({
      kind: 'settings',
      notices: [],
      settings: {
        baseUrl: base,
        changes: ['added', 'order', 'opaque'],
        opaque: ['id', '*_id', '*Id', 'uuid', 'error_message', 'message'],
        logChanges: false,
        seed: 20260101,
        host: '127.0.0.1',
        port: 0,
        timeoutMs: 60_000,
        ca: null,
        clientCertificate: null,
        httpsProxy: null,
        noProxy: null,
      },
    })
  })

  it('can also come from flags', async () => {
    const proxied = { HTTPS_PROXY: 'http://a:b@proxy.example', NO_PROXY: 'x' }
    const result = await read({
      env: { TARGET_BASE_URL: 'https://other.example', ...proxied },
      flags: { TARGET_BASE_URL: base, RUN_SEED: '9', RUN_TIMEOUT_MS: '50', RUN_CA_FILE: 'ca.pem' },
      own: { changes: 'opaque, added', host: 'localhost', port: 65_535 },
      cwd: folder,
    })

    expect(result).toMatchObject({
      settings: {
        baseUrl: base,
        changes: ['added', 'opaque'],
        seed: 9,
        host: 'localhost',
        port: 65_535,
        timeoutMs: 50,
        ca,
        httpsProxy: 'http://a:b@proxy.example',
        noProxy: 'x',
      },
    })
  })

  it('may include settings for runs, which are ignored', async () => {
    const ofRun = { TARGET_VERSION: 'one', RUN_PROFILE: 'none', RUN_WAIVERS: 'missing.json' }

    expect((await read(soundWith({ TARGET_API_KEY: 'key', ...ofRun }))).kind).toBe('settings')
  })

  it('may name the embedded service', async () => {
    const result = await read({ env: { CI: 'true', TARGET_BASE_URL: 'embedded' } })

    expect(result).toMatchObject({
      settings: { baseUrl: null },
      notices: [expect.stringContaining('embedded reference service')],
    })
  })
})

/** Valid settings with these additions or replacements. */
function soundWith(given: Given['env'] = {}): Given {
  return { env: { TARGET_BASE_URL: base, ...given } }
}

describe('a mistake in the settings', () => {
  const names = { expected: 'any of added, order, opaque, separated by commas', hint: 'did you mean order?' }
  const local = soundWith({ TARGET_BASE_URL: 'http://localhost:8080' })
  const notItself = "the address of the service, not the proxy's own"
  const missing = 'missing.pem (a file that does not exist)'

  it.each<readonly [Given, string, object]>([
    [{}, 'TARGET_BASE_URL', { given: null }],
    [{ env: { TARGET_API_KEY: 'key' } }, 'TARGET_BASE_URL', { given: null }],
    [{ flags: { TARGET_BASE_URL: '' } }, 'TARGET_BASE_URL', { given: 'an empty value' }],
    [soundWith({ TARGET_BASE_URL: 'a:80' }), 'TARGET_BASE_URL', { hint: 'did you mean https://a:80?' }],
    [{ ...soundWith(), own: { changes: 'added,ordr' } }, '--changes', { given: 'ordr', ...names }],
    [{ ...soundWith(), own: { changes: '' } }, '--changes', { given: 'an empty name' }],
    [{ ...local, own: { port: 8080 } }, 'TARGET_BASE_URL', { expected: notItself }],
    [{ ...soundWith(), flags: { RUN_CA_FILE: 'missing.pem' } }, 'RUN_CA_FILE', { given: missing }],
    [soundWith({ HTTPS_PROXY: 'user:hush@proxy' }), 'HTTPS_PROXY', { given: 'user:<user info>@proxy' }],
  ])('is reported: %j', async (given, setting, expected) => {
    expect(await mistakesIn(given)).toEqual([expect.objectContaining({ setting, ...expected })])
  })

  it('is reported together with all other mistakes, without any credential', async () => {
    const issues = await mistakesIn({
      ...soundWith({ TARGET_SECRET_KEY: 'hush-hush-hush', RUN_SEED: 'x' }),
      own: { changes: 'hush-hush-hush' },
    })

    expect(issues.map(({ setting }) => setting)).toEqual(['RUN_SEED', '--changes'])
    expect(JSON.stringify(issues)).not.toContain('hush')
  })
})

it('a warning says that other machines on the network can reach the proxy', async () => {
  const warning = expect.stringContaining(
    '--host 0.0.0.0, other machines on the network can reach the proxy, and cred',
  )

  expect(await noticesOf({ ...soundWith(), own: { host: '0.0.0.0' } })).toEqual([warning])
})
