import { execFileSync } from 'node:child_process'
import { lstat, mkdir, readdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeCertificates } from '../lib/http/testing/certificates.ts'
import { keyPair } from '../lib/report/evidence/bundle.testing.ts'
import { verdictWith } from '../lib/verdict/verdict.testing.ts'
import { wordsOf } from './support/command-lines.ts'
import { declaring, declaringAll, ownEntry, ownFolder } from './support/own-folder.ts'
import { expectEnds, run, runWhole } from './support/program-test.ts'
import { emptyFolder } from './support/program.ts'
import { withYesterdays } from './support/yesterday.ts'

/** Input that the program refuses, in a folder with yesterday's reports. Nothing listens at the address of {@link target}. */
interface Given {
  /** In addition to `target`. An empty value removes a setting. */
  readonly env?: Readonly<Record<string, string>>
  /** By name: a text, or a function that creates the file. */
  readonly files?: Readonly<Record<string, Make>>
  /** Modules in the user's folder. `OWN` in the words stands for its path. */
  readonly own?: Readonly<Record<string, string>>
  /** Texts that standard error must not contain. */
  readonly unsaid?: readonly string[]
}

type Make = string | ((file: string) => unknown)
type Row = readonly [words: string, says: readonly (string | RegExp)[], given?: Given]

const client = { TARGET_API_KEY: 'ak_live_93hTqLw0', TARGET_SECRET_KEY: 'sk_live_51HzYq8Lk2' }
const target = { TARGET_BASE_URL: 'http://127.0.0.1:9', ...client }
const none = { TARGET_BASE_URL: '', TARGET_API_KEY: '', TARGET_SECRET_KEY: '' }
const embedded = { ...none, TARGET_BASE_URL: 'embedded' }

/** Every file below a folder, with its size and the time of its last change. Reading a pipe would never end. */
async function stateOf(folder: string) {
  const names = (await readdir(folder, { recursive: true })).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const state = await lstat(join(folder, name))
      return [name, state.isDirectory() || [state.size, state.mtimeMs]]
    }),
  )
}

/** A table of refused commands. Each exits 2 with a message on standard error, and changes no file. */
function refused(title: string, common: Given, rows: readonly Row[]): void {
  describe(title, () => {
    test.for(rows)('%s', async ([words, says, given = {}]) => {
      const { env = {}, files = {}, own = {}, unsaid = [] } = { ...common, ...given }
      const cwd = await emptyFolder()
      await withYesterdays(cwd)
      for (const [name, make] of Object.entries(files)) {
        await mkdir(dirname(join(cwd, name)), { recursive: true })
        await (typeof make === 'string' ? writeFile(join(cwd, name), make) : make(join(cwd, name)))
      }
      const suites = words.includes('OWN') ? await ownFolder(own) : ''
      const args = wordsOf(words).map((word) => (word === 'OWN' ? suites : word))
      const before = await stateOf(cwd)
      const settings = Object.entries({ ...target, ...env }).filter(([, value]) => value !== '')

      const ended = await run(args, { cwd, env: Object.fromEntries(settings) })

      expectEnds(ended, 2, ...says)
      for (const one of unsaid) expect(ended.stdout + ended.stderr).not.toContain(one)
      // A run also prints its verdict.
      expect(ended.stdout).toMatch(/^(?:ERROR: |$)/)
      expect(await stateOf(cwd)).toEqual(before)
    })
  })
}

const linkTo = (path: string) => (file: string) => symlink(path, file)
const usage = 'Usage: card-switch-conformance'

refused('unknown words are named', {}, [
  ['hlep', ["unknown command 'hlep'", 'Did you mean help?']],
  ['rnu', ["unknown command 'rnu'", 'Did you mean run?']],
  ['rum nonsense --profile gat', ["unknown command 'rum'", 'Did you mean run?'], { env: none }],
  ['judge --reports-dir reports', ["unknown command 'judge'"]],
  ['help nonsense', [`${usage} [options] [command]`]],
  ['endpoints', [`${usage} endpoints [options] [command]`]],
  ['endpoints nonsense', ["unknown command 'nonsense'"]],
  ['endpoints imprt', ['Did you mean import?']],
  ['endpoints import', ["missing required argument 'file'"]],
  ['serve --prt 1', ["unknown option '--prt'", 'Did you mean --port?']],
  ['--nonsense', ["unknown option '--nonsense'", 'See --help']],
  ['--reports-dir=reports --target-version=one --x', ["unknown option '--x'"]],
  ['--bas-url http://127.0.0.1:1', ['Did you mean --base-url?']],
  ['--strict=no', ["unknown option '--strict…'", 'Did you mean --strict?']],
  ['--only', ["option '--only <rules>' argument missing"]],
  ['--profile gate plan', ["too many arguments for 'run'"]],
  ['run nonsense', ["too many arguments for 'run'"]],
  ['rules --format xml', ['Allowed choices are text, json, markdown']],
  ['--env-file staging.env', ["unknown option '--env-file'", 'use --settings-file']],
  ['--env-file=staging.env', ["unknown option '--env-file…'", 'use --settings-file']],
  ['plan --env-file-if-exists x', ["unknown option '--env-file-if-exists'", 'use --settings-file']],
  // A folder may have this name.
  ['report help', ['verdict.json cannot be read']],
])

const { local, other } = makeCertificates()
const keys = { 'own.pem': local.cert, 'other.key': other.key, 'public.pem': keyPair().pem }
const files = { key: 'sk_of_the_file_8Qw', ...keys, 'it/verdict.json': '{}' }
const otherKey = { RUN_CERT_FILE: 'own.pem', RUN_KEY_FILE: 'other.key' }
const lookedFor = /looked for in the flags, the environment and \S+\/\.env \(a file that does not exist\)/
refused('wrong settings are all named at once', { files }, [
  ...['run', 'plan', 'doctor', 'replay fuzz/api-key:1:presence.0', '--quiet'].map((words): Row => [
    words,
    ['TARGET_BASE_URL', 'nothing was sent', '--base-url embedded', lookedFor],
    { env: none },
  ]),
  [
    '--profile gat',
    ['3 mistakes', 'TARGET_VERSION', 'RUN_TIMEOUT_MS', 'RUN_PROFILE', 'did you mean gate?'],
    { env: { TARGET_VERSION: 'one', RUN_TIMEOUT_MS: '10s' } },
  ],
  ['plan', ['not both'], { env: { TARGET_API_KEY: 'sk_one_3jd8', TARGET_API_KEY_FILE: 'key' } }],
  ['plan', ['did you mean TARGET_API_KEY_FILE?'], { env: { TARGET_API_KEY: '', TARGET_API_KYE_FILE: 'k' } }],
  ['plan', ['both RUN_CERT_FILE and RUN_KEY_FILE'], { env: { RUN_CERT_FILE: 'own.pem' } }],
  ['plan', ['the private key of the first certificate in RUN_CERT_FILE'], { env: otherKey }],
  ['--failed', ['RUN_FAILED (--failed)', 'an earlier run of the same target', 'run all rules']],
  ['--failed --reports-dir it', ['is not a verdict'], { env: embedded }],
  ['plan --failed --reports-dir .', [/RUN_FAILED.*--failed.*a finished run/], { env: embedded }],
  ['proxy --base-url service --seed x', ['2 mistakes', 'TARGET_BASE_URL', 'RUN_SEED']],
  ['proxy --port http', ["option '--port <port>'", 'a whole number from 0 to 65535']],
  ['proxy --only *', ["unknown option '--only'"]],
  ['--signing-key-file public.pem', ['contains "PUBLIC KEY", but one private Ed25519 key']],
  ['--signing-key-file none.pem', ['a PEM file with a private Ed25519 key', 'none.pem']],
])

refused('init writes nothing after a mistake', {}, [
  ['init --ci travis', ['Allowed choices are github, gitlab, jenkins']],
  ['init --profile daily', ['RUN_PROFILE (--profile)']],
  ['init --base-url staging.example', ['TARGET_BASE_URL (--base-url)', 'nothing was written']],
  ['init --base-url a\u001b[2J', [String.raw`a\u001b[2J`]],
  ['init', ['visible ASCII characters'], { env: { TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4é' } }],
  ['init --api-key x', ["unknown option '--api-key'"]],
  ['init', ['all three kinds of quotes'], { env: { TARGET_LABEL: `all of '"\` and #` } }],
  ...[
    ['.env', 'elsewhere/file'],
    ['.env', 'elsewhere/absent'],
    ['.gitignore', 'elsewhere/file'],
    ['.gitignore', 'elsewhere/absent'],
    ['provider-request.md', 'elsewhere/absent'],
    ['.github', 'elsewhere'],
  ].map(([name = '', to = '']): Row => {
    const says = /^nothing was written: .* is a symbolic link, and init never follows links/
    return ['init --ci github', [says], { files: { 'elsewhere/file': 'mine', [name]: linkTo(to) } }]
  }),
])

const sound = JSON.stringify(verdictWith())
const compared = {
  env: none,
  files: {
    'good/verdict.json': sound,
    'broken/verdict.json': '{"format"',
    'later/verdict.json': sound.replace('verdict/1', 'verdict/2'),
    'empty.jsonl': '',
    list: 'a\nb\na c',
  },
}
const ofLater = 'later/verdict.json has the format "card-switch-conformance/verdict/2"'
const ofAge = "option '--max-age <hours>'"

refused('compare reports every mistake', compared, [
  ...['', ' good', ' good --targets list', ' good good --max-age 24'].map((words): Row => {
    return [`compare${words}`, ['compare --help']]
  }),
  ['compare good good --format markdown', ['Allowed choices are text, json, html']],
  ['compare --targets good --max-age "a day"', [ofAge, 'a whole number from 1 to 99999']],
  ['compare --targets good --max-age 024', [ofAge, 'from 1 to 99999']],
  ['compare --targets list', [/^list repeats the name a/]],
  ['compare empty.jsonl good', ['empty.jsonl has no run before good with the same target']],
  ['compare broken later missing', ['broken/verdict.json is not JSON', ofLater, 'missing cannot be read']],
])

const one = declaring(ownEntry)
const throwing = '() => { throw new Error("no such luck") }'
const anotherRule = `rule(${ownEntry.replace('one', 'two')}, () => [])`
const entryWith = (from: string, to: string): string => declaring(ownEntry.replace(from, to))
const modules = (text: string, says: string | RegExp, ...more: readonly string[]): Row => [
  'plan --suites OWN',
  ['RUN_SUITES (--suites)', says],
  { own: { 'a.mjs': text, ...(more[0] !== undefined && { 'b.mjs': more[0] }) } },
]

/** Functions that make no valid cases, and the end of the message about each. */
const mistakenMakers: readonly (readonly [text: string, says: string | RegExp, makes?: 'classes'])[] = [
  [`async () => []`, /acme\/r0 \(.*\/a\.mjs\).*instead of: .* not iterable/],
  [`() => {}`, /instead of: .* undefined/],
  [`() => ({})`, /instead of: .* not iterable/],
  [`() => ({ untested: null })`, 'instead of an object'],
  [`({ list }) => [example('plain', list.request.with('x-n', 5), succeeds())]`, /instead of: .*reveal/],
  [`() => 'plain'`, /instead of: .* plain/],
  [`({ target }) => { throw target.secretKey.reveal() }`, 'instead of: <TARGET_SECRET_KEY>'],
  [`async () => []`, /instead of: .* not iterable/, 'classes'],
  [`() => [judged('a', withQuery('a=b'))]`, 'instead of an object', 'classes'],
]
const two = { own: { 'a.mjs': declaringAll([1, 2].map(() => ['cases', '() => {}'])) } }

refused("a mistake in a user's rules is reported with its file", {}, [
  ['plan --suites OWN', ['a folder with modules'], { own: { 'a.txt': '' } }],
  ['rules --suites nowhere', ['RUN_SUITES (--suites)', 'nowhere']],
  ['--suites OWN', ['no such luck'], { own: { 'a.mjs': declaring(ownEntry, throwing) } }],
  ...[`() => [{ kind: 'scenario', name: 'plain', wants: [] }]`, '() => [1]', '() => ({ untested: 1 })'].map(
    (casesOf) => modules(declaring(ownEntry, casesOf), 'acme/one ('),
  ),
  ...mistakenMakers.map(([text, says, makes]) => modules(declaringAll([[makes ?? 'cases', text]]), says)),
  ['run --suites OWN', ['2 mistakes', /acme\/r0 \(.*acme\/r1 \(/], two],
  modules(`throw new Error('broken on purpose')`, 'broken on purpose'),
  modules('export const = 1', 'a module that can be loaded'),
  modules('export const a = 1', 'a module that exports an area'),
  modules(one.replace('export const', 'const'), 'exports an area'),
  modules(entryWith('acme/', 'quota/'), 'quota is an area'),
  modules(entryWith('acme/one', 'Acme One'), 'instead of Acme One'),
  modules(entryWith("id: 'acme/one',", ''), 'instead of undefined'),
  modules(`${one}\nexport const two = ${anotherRule}`, 'each exported separately'),
  modules(`${one}\nexport const more = [area('B', [${anotherRule}])]`, 'each exported separately'),
  modules(`${one}\nexport const later = Promise.resolve(own)`, 'each exported separately'),
  modules(one.replace(')])', `), rule(${ownEntry}, () => [])])`), 'a unique id'),
  modules(one, 'a unique id', one),
  modules(entryWith("says: 'it holds'", ''), 'acme/one: a level'),
  modules(entryWith('documented', 'expectation'), 'acme/one: a level'),
  modules(entryWith('it holds', 'never sk_live_51HzYq8Lk2'), 'without any of the configured credentials'),
])

/** Each way to name a file, which is called `it`. */
const ways: readonly (readonly [words: string, env?: Given['env']])[] = [
  ['plan --settings-file it'],
  ['plan --endpoints it'],
  ['plan --waivers it'],
  ['plan --ca-file it'],
  ['run --baseline it'],
  ['compare it good.json'],
  ['compare good.json it'],
  ['run --signing-key-file it'],
  ['run', { RUN_SIGNING_KEY_FILE: 'it' }],
  ['verify good.json --key it'],
  ['verify it'],
]
const pipe = (file: string): unknown => execFileSync('mkfifo', [file])
const notPlain = ['not a plain file, but a pipe or a device']
const eachWay = (says: Row[1], make: Make, of = /./): readonly Row[] =>
  ways
    .filter(([words]) => of.test(words))
    .map(([words, env = {}]) => [words, says, { env, files: { it: make, 'good.json': sound } }])

refused('a pipe or device is refused without waiting for it', {}, [
  ...eachWay(notPlain, pipe),
  ['report again', notPlain, { files: { 'again/verdict.json': pipe } }],
  ...[pipe, linkTo('/dev/zero')].flatMap((make): readonly Row[] => [
    ['--reports-dir here', notPlain, { files: { 'here/verdict.json': make } }],
    ['--reports-dir here', notPlain, { files: { 'here/.run.lock': make } }],
    ['plan --suites here', [/a\.mjs .*a module .* hint not a plain file/], { files: { 'here/a.mjs': make } }],
  ]),
])

const nested = '['.repeat(100_000) + ']'.repeat(100_000)
const schema = '{"properties":{"a":'.repeat(5_000) + '{}' + '}}'.repeat(5_000)
const nestedSchema = `[{"method":"GET","path":"/api/cards","success":${schema}}]`

refused('JSON that is nested too deeply is refused', {}, [
  ...eachWay([/nested (?:at most|deeper than) 200 levels/], nested, /endpoints|waivers|compare/),
  ['plan --endpoints it', ['nested at most 200 levels deep'], { files: { it: nestedSchema } }],
])

// The sparse file takes no space on the disk.
refused(
  'a file that is too large is refused',
  {},
  eachWay(
    [/larger than \d+ [KM]iB, the maximum for/],
    async (file) => {
      await writeFile(file, '')
      await truncate(file, 65 * 1024 * 1024)
    },
    /^(?!verify it|compare good)/,
  ),
)

const secret = 'sk_9fQ2mLx7Tzv4Rk1wYc83'
/** Spellings of a whole or nearly whole credential, which no message may show. */
const encoded = (['base64', 'hex'] as const).map((coding) => Buffer.from(secret).toString(coding))
const hidden = [secret, ...encoded, secret.slice(0, -1)]
/** Characters that affect a terminal, a log or the direction of a line, and their escaped form. */
const escaped = [
  ['\u001b[2J\u001b]0;title\u0007', String.raw`\u001b[2J\u001b]0;title\u0007`],
  ['a\r\n::error::x', String.raw`a\r\n::error::x`],
  ['a\u202eb', String.raw`a\u202eb`],
] as const
const absent = 'replay authentication/api-key-missing:1:absent'

refused('replay refuses wrong arguments', { env: { TARGET_SECRET_KEY: secret } }, [
  ['replay fuzz/api-key', ['CASE']],
  ['replay fuzz/nothing:1:a.1', ['CASE']],
  ['replay fuzz/api-key:1:nothing.1', ['no case is called nothing.1']],
  ['replay authentication/customer-not-found:1:no-customer', ['are not given']],
  ...['0', '007', '1001', '-1', '1.5', 'ten', ''].map((times): Row => [
    `${absent} --times=${times}`,
    ["option '--times <number>'", 'a whole number from 1 to 1000'],
  ]),
  ...['fuzz/api-key', 'fuzz/nothing'].flatMap((of) => [
    ...hidden.map((text): Row => [`replay ${of}:1:${text}`, ['TARGET_SECRET_KEY'], { unsaid: [text] }]),
    ...escaped.map(([name, shown]): Row => [`replay '${of}:1:${name}'`, [shown], { unsaid: [name] }]),
  ]),
  ...hidden.flatMap((text): readonly Row[] =>
    [text, `${text}:1:a`].map((word) => [`replay ${word}`, [], { unsaid: [text] }]),
  ),
])

test.for([
  ['--help', `${usage} [options] [command]`],
  ['help', `${usage} [options] [command]`],
  ['run --help', `${usage} run [options]`],
  ['--quiet --help', `${usage} run [options]`],
  ['help run', `${usage} run [options]`],
  ['help replay', `${usage} replay [options] <case>`],
  ['endpoints --help', `${usage} endpoints [options] [command]`],
  ['endpoints help', `${usage} endpoints [options] [command]`],
  ['help endpoints', `${usage} endpoints [options] [command]`],
  ['endpoints help import', `${usage} endpoints import [options] <file>`],
  ['endpoints import --help', `${usage} endpoints import [options] <file>`],
] as const)('%s prints the usage and exits 0', async ([words, begins]) => {
  const { code, stdout, stderr } = await run(words.split(' '))

  expect(stdout.split('\n')[0]).toBe(begins)
  expect([code, stderr]).toEqual([0, ''])
})

// The process sets its own exit code at the start, which a run within the test process does not show.
test.for([
  ['help', 0],
  ['hlep', 2],
] as const)('%s exits %d as a process', async ([words, expected]) => {
  const { code, stderr } = await runWhole(words.split(' '))

  expect([code, stderr === '']).toEqual([expected, expected === 0])
})

// lib/doors/cli/terminal.test.ts covers the other variables of the environment.
test.for([
  [{}, false],
  [{ FORCE_COLOR: '1' }, true],
  [{ FORCE_COLOR: 'true', NO_COLOR: '1' }, true],
] as const)('a run and a comparison without a terminal have colour with %j: %s', async ([env, coloured]) => {
  const cwd = await emptyFolder()
  const comparing = ['compare', 'reports', 'reports']
  const judged = await run('--base-url embedded --only authentication/api-key-missing', { cwd, env })
  const shown = await run(comparing, { cwd, env })
  const json = await run([...comparing, '--format', 'json'], { cwd, env })
  const asProcess = await runWhole(comparing, { cwd, env })

  const isColoured = (text: string): boolean => text.includes('\u001B[')
  expect([judged.stdout, shown.stdout].map(isColoured)).toEqual([coloured, coloured])
  expect(asProcess.stdout).toBe(shown.stdout)
  expect([json.stdout, judged.stderr].map(isColoured)).toEqual([false, false])
  expect([judged.code, shown.code, json.code]).toEqual([0, 0, 0])
})
