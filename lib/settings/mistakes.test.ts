import { join } from 'node:path'
import { expect, test } from 'vitest'
import { growth, linear } from '../../tests/support/processor-time.ts'
import { makeCertificates } from '../http/testing/certificates.ts'
import { temporaryFolder } from '../text/folder.testing.ts'
import { clientTable } from './connection-settings.ts'
import { describeIssues, issue } from './issue.ts'
import type { SettingsInput } from './sources.ts'
import { apiKey, issuesOf, mistake, type Others } from './testing/read.ts'
import { read, secretKey, settingsOf, target } from './testing/read.ts'

const { ca: certificate, other } = makeCertificates()
const disposable = { FIXTURE_DISPOSABLE_API_KEY: 'key-3', FIXTURE_DISPOSABLE_SECRET_KEY: 'secret-3' }
const nobody = { TARGET_API_KEY: undefined, TARGET_SECRET_KEY: undefined }
const nothing = { ...nobody, TARGET_BASE_URL: undefined }
const all = 'TARGET_BASE_URL TARGET_API_KEY TARGET_SECRET_KEY'
const broken = certificate.replace('MII', 'AAA')
const cwd = temporaryFolder({
  'broken.pem': broken,
  'key.pem': other.key,
  'empty.pem': '',
  'ca.der': Uint8Array.from([0x30, 0x82, 0x00]),
  'ca.pem': certificate,
  'latin1.env': Uint8Array.from([0x54, 0x3d, 0xe9]),
  'nul.env': 'RUN_SEED=1\0',
  taken: '',
})

const whole = (from: number, to: number) => `a whole number from ${from} to ${to}, in digits only`
const whole31 = whole(0, 2_147_483_647)
const queries = ['TARGET_QUERY', 'FIXTURE_INVALID_QUERY'].flatMap((setting): Wrong[] => [
  [setting, 'a query of visible ASCII', ['?page=1', 'page=1#x', 'page=1 2', 'page=ä', 'page=\u0007']],
  [setting, 'without any of the configured credentials', [`key=${apiKey}`, `a=${secretKey}&b=1`]],
  [setting, 'without any of the configured credentials', [`key=${secretKey.replace('-', '%2D')}`]],
])
const endpoint = 'a method in capitals, one space and a path from /api/'
const url = 'an address such as https://staging.example.com/prefix, without user name, query or fragment'
const dots = 'without the segments . and ..'
const proxy = 'the address of a proxy, such as http://proxy.example:3128'

const inner = 'k3y-9a8b7c6d'
const variables = '$(API_KEY)|${API_KEY}|${{ secrets.API_KEY }}|{{ API_KEY }}|%API_KEY%|<API_KEY>'.split('|')
const quoted = [`"${inner}"`, `'${inner}'`, `\`${inner}\``, ` ${inner}`, `${inner} `, `\u0085${inner}`]
const outside = ['\n', '\t', 'é', '\u00a0'].map((after) => `${inner}${after}`)
const credentials = ['TARGET_API_KEY', 'TARGET_SECRET_KEY'].flatMap((setting): Wrong[] => [
  [setting, 'visible ASCII', [...quoted, ...outside, `k3y\r${inner}`, 'x'.repeat(4097)]],
  [setting, 'not the name of a variable', variables],
])

type Wrong = [setting: string, expected: string, given: readonly string[], hint?: string]

test.each<Wrong>([
  ['RUN_PROFILE', 'one of gate, acceptance, nightly', ['production']],
  ['RUN_PROFILE', 'one of', ['Gate'], 'did you mean gate?'],
  ['RUN_PROFILE', 'one of', ['accept', 'acceptence'], 'did you mean acceptance?'],
  ['RUN_STRICT', 'true or false', ['on', '2']],
  ['RUN_QUIET', 'true or false', ['y']],
  ['RUN_FORMAT', 'one of text, json', ['xml']],
  ['RUN_SEED', whole31, ['abc', '-1', '2147483648', '1.5', '1e3', '0x10', '٣', '01']],
  ['RUN_FUZZ_CASES', whole(0, 1_000_000), ['1000001']],
  ['RUN_MAX_REQUESTS', whole(1, 2_147_483_647), ['0', '99999999999999999999', '1,000']],
  ['RUN_MAX_RPS', 'above 0', ['0', '-1', 'Infinity', '1e9']],
  ['RUN_CONCURRENCY', whole(1, 256), ['0', '257']],
  ['RUN_TIMEOUT_MS', whole(1, 600_000), ['600001', '10s']],
  ['TARGET_VERSION', whole31, ['v1', '+1']],
  ['TARGET_LABEL', 'at most 200 characters, without line breaks', ['a\u001b[31mb', 'x'.repeat(201)]],
  ['RUN_WAIVERS', 'control characters', ['a\u0007b']],
  ['NO_PROXY', 'control characters', ['a\nb']],
  ...queries,
  ...credentials,
  ['FIXTURE_INACTIVE_ENDPOINT', endpoint, ['/api/x', 'get /api/x', 'GET /v1/api/x', 'GET api/x']],
  ['FIXTURE_INACTIVE_ENDPOINT', endpoint, ['GET  /api/x', 'GET /api/x?y=1', 'GET /api/x#y', 'GET /api/{id}']],
  ['FIXTURE_INACTIVE_ENDPOINT', endpoint, ['GET https://a.example/api/x', 'GET /api/customizations/list']],
  ['FIXTURE_INACTIVE_ENDPOINT', 'the segments . and ..', ['GET /api/../x', 'GET /api/x/%2E.']],
  ['FIXTURE_DISPOSABLE_QUOTA', whole(1, 2_147_483_647), ['0', '-5', '1.5', 'many']],
  ['TARGET_BASE_URL', url, ['staging.example'], 'did you mean https://staging.example?'],
  ['TARGET_BASE_URL', url, ['a.example:8443/api'], 'did you mean https://a.example:8443/api?'],
  ['TARGET_BASE_URL', url, ['localhost:8080'], 'did you mean http://localhost:8080?'],
  ['TARGET_BASE_URL', url, ['htps://a.example/'], 'did you mean https://a.example/?'],
  ['TARGET_BASE_URL', url, ['https:/a.example', 'https:a.example'], 'did you mean https://a.example?'],
  ['TARGET_BASE_URL', url, ['embeded', 'EMBEDDED'], 'did you mean embedded?'],
  ['TARGET_BASE_URL', url, ['//a.example', 'ftp://a.example', 'https://', 'https://a b.example']],
  ['TARGET_BASE_URL', url, ['https://a.example\\b', 'https://a.example/\u0007b', 'a'.repeat(70_000)]],
  ['TARGET_BASE_URL', url, [`http://${'a'.repeat(70_000)}`, `https://a.example/${'a'.repeat(2_000)}`]],
  ['TARGET_BASE_URL', 'a port up to 65535', ['https://a.example:99999']],
  ['TARGET_BASE_URL', 'percent-encoded', ['https://a.example/ä', 'https://a.example/{id}']],
  ['TARGET_BASE_URL', dots, ['https://a.example/a/../b', 'https://a.example/a/.']],
  ['TARGET_BASE_URL', dots, ['https://a.example/%2e%2e/b', 'https://a.example/a/.%2E/']],
  ['TARGET_BASE_URL', url, ['https://a.example/?page=1', 'https://a.example?'], 'TARGET_QUERY'],
  ['TARGET_BASE_URL', url, ['https://a.example/#x', 'https://a.example#']],
  ['TARGET_BASE_URL', url, ['https://me:pw@a.example', 'https://@a.example'], 'TARGET_API_KEY'],
  ['TARGET_BASE_URL', 'at most 253', [`http://${'a'.repeat(1_990)}`, `https://${'a'.repeat(254)}`]],
  ['TARGET_BASE_URL', 'at most 253', [`https://${'ü'.repeat(120)}.example${'.x'.repeat(70)}`]],
  ['HTTPS_PROXY', proxy, ['me:pr0xypass@proxy.example:3128', 'socks5://me:pr0xypass@proxy.example']],
  ['HTTPS_PROXY', proxy, ['http://me:pr0xypass@proxy.example:99999', 'http://me:pr0xypass@']],
  ['HTTPS_PROXY', proxy, ['http:///pr0xypass@x', 'http://u%:pr0xypass@proxy:1', 'http://u:p%zz@proxy:1']],
  ['HTTPS_PROXY', proxy, ['http://100%@proxy:1', 'http://u:%ff@proxy:1', `http://${'a'.repeat(70_000)}:1`]],
  ['RUN_CA_FILE', 'at least one certificate', ['missing.pem', '.', 'broken.pem', 'key.pem', 'empty.pem']],
  ['RUN_CA_FILE', 'openssl x509', ['ca.der']],
  ['RUN_WAIVERS', 'a readable JSON file', ['missing.json', '.'], 'working folder'],
  ['TARGET_ENDPOINTS', 'a readable JSON file', ['missing.json', '.'], 'working folder'],
  ['RUN_REPORTS_DIR', 'a folder, which is created', ['taken']],
  ['RUN_ONLY', 'the id of a rule, or a glob', ['nope/x', ','], 'the command rules'],
])('the mistake in %s mentions "%s" for each of %j', async (setting, expected, given, hint) => {
  for (const one of given) {
    const result = await read({ ...target, ...disposable, [setting]: one }, { cwd })
    const [first, ...others] = issuesOf(result)

    expect([first, ...others]).toEqual([mistake(setting, expected, expect.any(String), hint)])
    expect(first?.given?.length).toBeLessThanOrEqual(110)
    if (credentials.some(([name]) => name === setting))
      expect(first?.given).toBe(`a value of ${one.length} characters`)
    expect(JSON.stringify(result)).not.toMatch(/p%zz|pr0xypass|100%|9a8b7c6d/)
  }
})

const two = { FIXTURE_SECOND_API_KEY: 'key-2', FIXTURE_SECOND_SECRET_KEY: 'secret-2' }
const asSecond = { FIXTURE_DISPOSABLE_API_KEY: 'key-2', FIXTURE_DISPOSABLE_SECRET_KEY: 'secret-2' }
const quota = { FIXTURE_DISPOSABLE_QUOTA: '50' }
const misspelt = { FIXTURE_DISPOSABLE_APIKEY: 'x', FIXTURE_DISPOSABLE_SECRETKEY: 'y' }
const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
const otherKey = { RUN_CERT_FILE: 'ca.pem', RUN_KEY_FILE: 'key.pem' }
const halves = 'left-half-5d,right-half-5d'
const malformed = 'sécret\nhalf-5d'
const ofProxy = { HTTPS_PROXY: 'socks5://me:right-half-5d@a.example', TARGET_LABEL: 'x right-half-5d' }

const noFile = 'none (a file that does not exist)'
const unusable = [
  'missing.env (a file that does not exist)',
  '. (a folder)',
  'latin1.env (a file that is not UTF-8 text)',
  'nul.env (a file with NUL bytes, so it is not UTF-8 text)',
]

type Asked = [env: SettingsInput['env'], wrong: string, given?: string | null, others?: Others, says?: RegExp]

const needed = /"hint":"needed because .+ given; looked for in .+\.env/
const sought =
  /"the address of the service, or embedded","hint":"looked for in the flags, the environment and \/\S+\/\.env \(a file that does not exist\); set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY, or use the suite's own reference service with --base-url embedded"/

test.each<Asked>([
  [{ ...nothing, RUN_PROFILE: 'acceptance' }, all, null, {}, needed],
  [{ ...nothing, TARGET_LABEL: 'x' }, all, null, {}, needed],
  [{ ...nothing, FIXTURE_INVALID_QUERY: 'a=b' }, all, null, {}, needed],
  [nothing, 'TARGET_BASE_URL', null, {}, sought],
  [{ ...nothing, CI: 'true', RUN_SEED: '4', TARGET_ENV: 'x' }, 'TARGET_BASE_URL', null, {}, sought],
  [{ ...nothing, TARGET_BASE_URL: ' ', TARGET_API_KEY: '' }, 'TARGET_BASE_URL', 'an empty value', {}, sought],
  [{ TARGET_BASE_URL: undefined }, 'TARGET_BASE_URL', null],
  [nobody, 'TARGET_API_KEY TARGET_SECRET_KEY', null],
  [{ ...nobody, TARGET_API_KEY: ' ' }, 'TARGET_API_KEY TARGET_SECRET_KEY', 'an empty value'],
  [{ ...nobody, TARGET_BASE_URL: 'Embeded' }, 'TARGET_BASE_URL'],
  [{ ...two, ...asSecond }, 'FIXTURE_DISPOSABLE_API_KEY'],
  [quota, 'FIXTURE_DISPOSABLE_API_KEY FIXTURE_DISPOSABLE_SECRET_KEY', null],
  [{ ...quota, FIXTURE_DISPOSABLE_API_KEY: 'key-3' }, 'FIXTURE_DISPOSABLE_SECRET_KEY', null],
  [{ FIXTURE_UNSUPPORTED_VERSION: '1' }, 'FIXTURE_UNSUPPORTED_VERSION', '1'],
  [{ FIXTURE_UNSUPPORTED_VERSION: '3', TARGET_VERSION: '3' }, 'FIXTURE_UNSUPPORTED_VERSION', '3'],
  [{ TARGET_VERSION: '2147483647' }, 'FIXTURE_UNSUPPORTED_VERSION', 'nothing, so 2147483647'],
  ...clientTable.flatMap(({ name, apiKey: key, secretKey: secret }): Asked[] => {
    const others = name === 'target' ? nobody : {}
    const same = 'the same client as TARGET_API_KEY and TARGET_SECRET_KEY'
    return [
      [{ ...others, [key]: 'half-of-a-pair' }, secret, null],
      [{ ...others, [secret]: 'half-of-a-pair' }, key, null],
      ...(name === 'target' ? [] : [[{ [key]: apiKey, [secret]: secretKey }, key, same] as Asked]),
    ]
  }),
  // A setting with a misspelt name is not also reported as missing.
  [{ TARGET_BASE_URL: '', TARGET_BASE_ULR: 'https://a.example' }, 'TARGET_BASE_ULR'],
  [{ TARGET_API_KEY: '', TARGET_API_KYE: 'x' }, 'TARGET_API_KYE'],
  [{ TARGET_API_KEY: '', TARGET_API_KYE_FILE: 'x' }, 'TARGET_API_KYE_FILE'],
  [{ FIXTURE_SECOND_APIKEY: 'x', FIXTURE_SECOND_SECRET_KEY: 'y' }, 'FIXTURE_SECOND_APIKEY'],
  [{ RUN_CERT_FIL: 'x', RUN_KEY_FILE: 'y' }, 'RUN_CERT_FIL'],
  [{ RUN_BASELIN: 'x', RUN_UPDATE_BASELINE: 'true' }, 'RUN_BASELIN'],
  [{ ...misspelt, ...quota }, 'FIXTURE_DISPOSABLE_APIKEY FIXTURE_DISPOSABLE_SECRETKEY'],
  // An empty flag never means the embedded service.
  [nothing, all, 'an empty value', { flags: { TARGET_BASE_URL: '' } }],
  [{ RUN_UPDATE_BASELINE: 'true' }, 'RUN_BASELINE', null],
  [{ RUN_BASELINE: 'b', RUN_UPDATE_BASELINE: '1', RUN_RESET_BASELINE: '1' }, 'RUN_RESET_BASELINE', 'true'],
  [{ RUN_CERT_FILE: 'ca.pem' }, 'RUN_KEY_FILE', null],
  [{ RUN_CERT_FILE: 'key.pem', RUN_KEY_FILE: 'broken.pem' }, 'RUN_CERT_FILE RUN_KEY_FILE'],
  [otherKey, 'RUN_KEY_FILE', 'key.pem (a file without such content)'],
  [unverified, 'NODE_TLS_REJECT_UNAUTHORIZED', '0'],
  [{ RUN_SEED: 'x', RUN_CONCURRENCY: '0', RUN_ONLY: 'quota/*,nope' }, 'RUN_SEED RUN_CONCURRENCY RUN_ONLY'],
  [{ TARGET_SECRET_KEY: halves, RUN_ONLY: halves }, 'RUN_ONLY'],
  // A credential is hidden even if it is refused.
  [{ TARGET_API_KEY: malformed, RUN_SEED: malformed }, 'TARGET_API_KEY RUN_SEED'],
  // The password of a proxy is hidden even if the proxy is refused.
  [{ ...ofProxy, RUN_SEED: 'right-half-5d' }, 'RUN_SEED HTTPS_PROXY TARGET_LABEL'],
  [{ TARGET_API_KEY_FILE: 'taken', TARGET_API_KEY: '' }, 'TARGET_API_KEY_FILE', 'taken (an empty file)'],
  [{ TARGET_API_KEY_FILE: 'none', TARGET_API_KEY: '' }, 'TARGET_API_KEY_FILE', noFile],
  [{ RUN_CERT_FILE: 'ca.pem', RUN_KEY_FILE: 'none' }, 'RUN_KEY_FILE', noFile],
  [{ TARGET_API_KEY_FILE: 'ca.pem' }, 'TARGET_API_KEY_FILE', 'ca.pem'],
  [{}, '.env', '.env (a folder)', { cwd: temporaryFolder({ '.env/file': '' }) }],
  // The settings that a file may contain are not also reported as missing.
  ...unusable.map((text): Asked => {
    const envFile = text.replace(/ .*/, '')
    return [{ ...nothing, RUN_SEED: 'x' }, '--settings-file RUN_SEED', text, { envFile }]
  }),
])('the settings %o have mistakes in %s', async (env, wrong, given, others = {}, says = /^/) => {
  const result = await read({ ...target, ...env }, { cwd, ...others })
  const [first, ...further] = issuesOf(result)

  expect([first, ...further].map((one) => one?.setting).join(' ')).toBe(wrong)
  if (given !== undefined) expect(first?.given).toBe(given)
  expect(JSON.stringify(first)).toMatch(says)
  expect(JSON.stringify(result)).not.toContain('half-5d')
})

const odd = ['{"k":"mN3b","s":[1]}', '<b>jH5</b>', '$HOME`id`', '"a" and "b', '%41%42', '{API_KEY}', '$(a']

test.each([...odd, `a ${'b'.repeat(4094)}`])('a credential may be %s', async (value) => {
  const env = { ...target, TARGET_API_KEY: value, TARGET_SECRET_KEY: value }
  const { client } = settingsOf(await read(env)).target

  expect([client?.apiKey.reveal(), client?.secretKey.reveal()]).toEqual([value, value])
})

test('a file with many BEGIN CERTIFICATE lines is read quickly', async () => {
  const refused = async (times: number): Promise<void> => {
    const folder = temporaryFolder({ 'ca.pem': '-----BEGIN CERTIFICATE-----\n'.repeat(times) })
    const result = await read({ ...target, RUN_CA_FILE: 'ca.pem' }, { cwd: folder })

    expect(result).toMatchObject({ issues: [{ setting: 'RUN_CA_FILE' }] })
  }

  expect(await growth(refused, 140_000)).toBeLessThan(linear)
})

test('a mistake is printed as a block with setting, flag, given value, expected value and hint', async () => {
  const ofTarget = { TARGET_BASE_URL: 'staging.example', TARGET_SECRET_KEY: `${secretKey}\n` }
  const text = describeIssues(issuesOf(await read({ ...ofTarget, RUN_SEED: 'abc', RUN_SEDE: '1' })))

  await expect(text).toMatchFileSnapshot('../../tests/golden/forms/mistakes.txt')
  const ofFlag = describeIssues([issue('--ci', { expected: 'a pipeline' })], 'nothing was written')
  expect(ofFlag).toMatch(/^One mistake in the settings; nothing was written\.\n/)
})

const withEnv = temporaryFolder({
  '.env': 'RUN_SEED=3\nRUN_CONCURRENCY=3\nRUN_TIMEOUT_MS=3\n',
  'other.env': '\ufeffRUN_SEED=4\n',
  'lines.env': `\n${'\n'.repeat(900)}RUN_SEED=4\n`,
})
const empty = { RUN_SEED: '', RUN_CONCURRENCY: ' ', RUN_TIMEOUT_MS: ' \n' }
const given = { RUN_SEED: '2', RUN_CONCURRENCY: '2' }
const { TARGET_BASE_URL } = target
const others = { TARGET_BASE_URL, TARGET_API_KEY: apiKey }

type Taken = readonly [string, SettingsInput['env'], Others, readonly number[]]

test.each<Taken>([
  ['flags, the environment and .env, in this order', given, { flags: { RUN_SEED: '1' } }, [1, 2, 3]],
  ['a named file instead of .env', {}, { envFile: 'other.env' }, [4, 8, 10_000]],
  ['a file with hundreds of empty lines', {}, { envFile: 'lines.env' }, [4, 8, 10_000]],
  ['.env if the variables are empty', empty, {}, [3, 3, 3]],
  ['a named .env in a pipeline', { CI: 'true' }, { envFile: '.env' }, [3, 3, 3]],
  ['.env with CI=false', { CI: 'false' }, {}, [3, 3, 3]],
])('a run takes settings from %s', async (_, env, more, runs) => {
  const before = { ...process.env }
  const result = await read({ ...target, ...env }, { cwd: withEnv, ...more })
  const [seed, concurrency, timeoutMs] = runs

  expect(result).toMatchObject({ settings: { run: { seed, concurrency, timeoutMs } }, notices: [] })
  expect(process.env).toEqual(before)
})

test.each([
  [{ CI: 'true' }, 'CI is set'],
  [{ TF_BUILD: 'True' }, 'Azure Pipelines'],
])('in a pipeline (%o) a .env that the user did not name is ignored, and reported', async (env, pipeline) => {
  const wrongFile = temporaryFolder({ '.env': 'RUN_PROFLE=gate\nTARGET_SECRET_KEY=a#b\0' })
  const notice = `this is a pipeline (${pipeline}), so .env in this folder is not read, because a pull request could change it; --settings-file .env reads it`
  for (const folder of [withEnv, wrongFile]) {
    const result = await read({ ...target, ...env }, { cwd: folder })
    const mistaken = await read({ ...target, ...env, RUN_SEED: 'x' }, { cwd: folder })
    const [missing] = issuesOf(await read(env, { cwd: folder }))

    expect(settingsOf(result).run.seed).toBe(20260101)
    expect(mistaken).toMatchObject({ issues: [{ setting: 'RUN_SEED' }], notices: [notice] })
    expect(result.notices).toEqual([notice])
    const hint = `${join(folder, '.env')} (a file that exists, but is not read in a pipeline (${pipeline})`
    expect(missing?.hint).toContain(hint)
  }
  expect((await read({ ...target, ...env })).notices).toEqual([])
})

const secret = 'sk_Jd7Wq0Bn5Xe2Hs9Vt6'
const swallows = `TARGET_API_KEY="pk_9fQ2mLx7\nTARGET_SECRET_KEY=${secret}\nRUN_SEED=7"\nRUN_CONCURRENCY=x\n`
const several = `TARGET_SECRET_KEY="${secret}\nTARGET_LABEL='vendor\nRUN_WAIVERS=${secret}\nRUN_SEED=x\n`
const open = 'a value with an unclosed quote'
const hash = 'an unquoted value with a #'
const plainly = ['="%', "='%", '=`%', `="%'`, ' =  "%  ', ': "%']
const unclosed = [...plainly, '="% # "mine" of today', '="%\r\nRUN_SEED=1\r\n'].map(
  (line) => `#\n  TARGET_SECRET_KEY${line.replace('%', secret)}`,
)
const inFile = 'a value in a settings file'
const noWarnings = { NODE_OPTIONS: '--no-warnings' }
const unknownName = 'a value, hidden because it may be a credential'

test.each<[text: string, wrong: string, given?: string, env?: SettingsInput['env']]>([
  ...unclosed.map((text): [string, string, string] => [text, 'TARGET_SECRET_KEY', open]),
  [`export TARGET_SECRET_KEY="${secret}\nRUN_ONLY="quota/*"`, 'TARGET_SECRET_KEY', open],
  ['TARGET_SECRET_KEY="\nRUN_SEED=1', 'TARGET_SECRET_KEY', open],
  // Settings within such a value are missing.
  [swallows, 'TARGET_API_KEY RUN_CONCURRENCY TARGET_SECRET_KEY', open, { TARGET_API_KEY: '' }],
  [`RUN_ONLY="quota/*\nTARGET_SECRET_KEY=${secret}\n"`, 'RUN_ONLY TARGET_SECRET_KEY', open],
  [`TARGET_LABEL="x\nexport PASSWORD: ${secret}\n"`, 'TARGET_LABEL TARGET_SECRET_KEY', open],
  ['TARGET_SECRET_KEY_FILE="key', 'TARGET_SECRET_KEY_FILE', open],
  ['TARGET_SECRET_KEY="evil\nTARGET_LABEL=evil', 'TARGET_SECRET_KEY TARGET_LABEL', open],
  [several, 'TARGET_SECRET_KEY TARGET_LABEL RUN_SEED RUN_WAIVERS', open],
  [`RUN_SEED=1\nTARGET_SECRET_KEY=${secret}#x\n`, 'TARGET_SECRET_KEY', hash],
  [`export TARGET_SECRET_KEY: "${secret}#x\n`, 'TARGET_SECRET_KEY', open],
  ['NODE_OPTIONS=--import=./evil.mjs', 'NODE_OPTIONS TARGET_SECRET_KEY', inFile, noWarnings],
  ['export node_options="./evil"', 'node_options TARGET_SECRET_KEY', inFile, noWarnings],
  ['NODE_OPTIONS=', 'TARGET_SECRET_KEY', '', noWarnings],
  ['NODE_TLS_REJECT_UNAUTHORIZED=0', 'NODE_TLS_REJECT_UNAUTHORIZED TARGET_SECRET_KEY', '0'],
  ['NODE_TLS_REJECT_UNAUTHORIZED=1', 'TARGET_SECRET_KEY'],
  // dotenv would take minutes to read it.
  [`RUN_SEED=1\n${' \n'.repeat(600)}x`, '.env', '.env (over 1000 white-space characters in a row)'],
  ['RUN_SEDE=4', 'RUN_SEDE TARGET_SECRET_KEY', unknownName, { RUN_SEDE: '5' }],
  [`TARGET_SECRETKEY=${secret}\nTARGET_LABEL=${secret}`, 'TARGET_SECRETKEY TARGET_LABEL', unknownName],
])('%j in an env file is a mistake in %s and is never shown', async (text, wrong, first = '', env = {}) => {
  const result = await read({ ...others, ...env }, { cwd: temporaryFolder({ '.env': text }) })
  const issues = issuesOf(result)

  expect(issues.map(({ setting }) => setting).join(' ')).toBe(wrong)
  expect(issues[0]?.given ?? '').toContain(first)
  expect(JSON.stringify(result)).not.toContain(secret)
  expect(JSON.stringify(result)).not.toContain('evil')
})

test.each([
  ['TARGET_LABEL="a"\n', 'a'],
  [`TARGET_LABEL="it's"`, "it's"],
  ['TARGET_LABEL="say "yes""', 'say "yes"'],
  [String.raw`TARGET_LABEL="say \"yes"`, String.raw`say \"yes`],
  ["TARGET_LABEL=it's", "it's"],
  ['TARGET_LABEL=14"', '14"'],
  ['TARGET_LABEL="a" b', '"a" b'],
  [`TARGET_LABEL="a" # it's "mine"`, 'a'],
  ['TARGET_LABEL=a # a#b', 'a'],
  ['# TARGET_LABEL="a\nTARGET_LABEL=b', 'b'],
  ["TARGET_LABEL=#it's mine\nTARGET_LABEL=a", 'a'],
  ['TARGET_LABEL=a#b\nTARGET_LABEL=a', 'a'],
  ["TARGET_LABEL='a#b'#c", 'a#b'],
  [`TARGET_LABEL=""\nTARGET_LABEL='a'`, 'a'],
  ['RUN_ONLY="quota/*,\n  fuzz/path,\n"\nTARGET_LABEL=a', 'a'],
  [`HELLO='tis\nSCRIPT="\nTARGET_LABEL=x\nRUN_SEED=1\n"\nHASH=a#b\nPEM="-----BEGIN\nx"\nTARGET_LABEL=a`, 'a'],
])('an env file may contain %j', async (text, label) => {
  expect(settingsOf(await read(target, { cwd: temporaryFolder({ '.env': text }) })).target.label).toBe(label)
})
