import { expect, test } from 'vitest'
import { makeCertificates } from '../../http/testing/certificates.ts'
import { temporaryFolder } from '../../settings/testing/read.ts'
import { type ProxyFlags, readProxySettings } from './proxy-settings.ts'

const { ca } = makeCertificates()
const cwd = temporaryFolder({ 'ca.pem': ca })
const base = 'https://service.example/v1'
const sound = { TARGET_BASE_URL: base }

type Texts = Readonly<Record<string, string>>

/** Reads settings from the environment, flags for settings, and the proxy's own flags. */
function read(env: Texts, own: Partial<ProxyFlags> = {}, fromFlags: Texts = {}) {
  const lists = { changes: 'added,order,opaque', opaque: 'id,*_id,*Id,uuid,error_message,message' }
  const input = { env, flags: fromFlags, envFile: null, cwd, now: new Date(0) }
  return readProxySettings(input, { ...lists, host: '127.0.0.1', port: 0, ...own })
}

const opaque = ['id', '*_id', '*Id', 'uuid', 'error_message', 'message']
const changing = { changes: ['added', 'order', 'opaque'], opaque, logChanges: false, seed: 20260101 }
const connection = { timeoutMs: 60_000, ca: null, clientCertificate: null, httpsProxy: null, noProxy: null }
const usual = { baseUrl: base, ...changing, ...connection, host: '127.0.0.1', port: 0 }
const httpsProxy = 'http://a:b@proxy.example'
const proxied = { TARGET_BASE_URL: 'https://a.example', HTTPS_PROXY: httpsProxy, NO_PROXY: 'x' }
const ofRun = { TARGET_API_KEY: 'key', TARGET_VERSION: 'one', RUN_PROFILE: 'none', RUN_WAIVERS: 'none.json' }
const flags = { TARGET_BASE_URL: base, RUN_SEED: '9', RUN_TIMEOUT_MS: '50', RUN_CA_FILE: 'ca.pem' }
const ofProxy = { httpsProxy, noProxy: 'x' }
const place = { host: 'localhost', port: 65_535 }
const ofFlags = { baseUrl: base, seed: 9, timeoutMs: 50, ca, changes: ['added', 'opaque'], ...place }
const inCi = { CI: 'true', TARGET_BASE_URL: 'embedded' }
const isEmbedded = 'embedded reference service'
const isReachable = '--host 0.0.0.0, other machines on the network can reach the proxy, and cred'

test.each<[what: string, given: Parameters<typeof read>, settings: object, notices?: readonly string[]]>([
  ['an address without credentials', [{ TARGET_BASE_URL: `${base}/` }], usual],
  ['flags', [proxied, { changes: 'opaque, added', ...place }, flags], { ...ofFlags, ...ofProxy }],
  ['an environment for runs, of which it ignores the rest', [{ ...sound, ...ofRun }], { baseUrl: base }],
  ['the embedded service', [inCi], { baseUrl: null }, [isEmbedded]],
  ['a public host, with a warning', [sound, { host: '0.0.0.0' }], { host: '0.0.0.0' }, [isReachable]],
])('the proxy accepts %s', async (_, given, settings, said = []) => {
  const notices = said.map((one) => expect.stringContaining(one))
  expect(await read(...given)).toMatchObject({ kind: 'settings', settings, notices })
})

const names = { expected: 'any of added, order, opaque, separated by commas', hint: 'did you mean order?' }
const local = { TARGET_BASE_URL: 'http://localhost:8080' }
const notItself = { expected: "the address of the service, not the proxy's own" }
const missing = 'missing.pem (a file that does not exist)'
const secret = 'hush-hush-hush'

test.each<readonly [Texts, Partial<ProxyFlags>, Texts, setting: string, issue: object]>([
  [{}, {}, {}, 'TARGET_BASE_URL', { given: null }],
  [{ TARGET_API_KEY: 'key' }, {}, {}, 'TARGET_BASE_URL', { given: null }],
  [{}, {}, { TARGET_BASE_URL: '' }, 'TARGET_BASE_URL', { given: 'an empty value' }],
  [{ TARGET_BASE_URL: 'a:80' }, {}, {}, 'TARGET_BASE_URL', { hint: 'did you mean https://a:80?' }],
  [sound, { changes: 'added,ordr' }, {}, '--changes', { given: 'ordr', ...names }],
  [sound, { changes: '' }, {}, '--changes', { given: 'an empty name' }],
  [local, { port: 8080 }, {}, 'TARGET_BASE_URL', notItself],
  [sound, {}, { RUN_CA_FILE: 'missing.pem' }, 'RUN_CA_FILE', { given: missing }],
  [{ ...sound, HTTPS_PROXY: 'user:hush@proxy' }, {}, {}, 'HTTPS_PROXY', { given: 'user:<user info>@proxy' }],
  // All mistakes are reported at once, without any credential.
  [{ ...sound, TARGET_SECRET_KEY: secret, RUN_SEED: 'x' }, { changes: secret }, {}, 'RUN_SEED --changes', {}],
])('a mistake in %j with %j and %j is reported in %s', async (env, own, fromFlags, setting, expected) => {
  const result = await read(env, own, fromFlags)
  const issues = result.kind === 'issues' ? result.issues : []

  expect(issues.map((one) => one.setting).join(' ')).toBe(setting)
  expect(issues[0]).toMatchObject(expected)
  expect(JSON.stringify(issues)).not.toContain('hush')
})
