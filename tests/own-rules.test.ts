import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { area, readSettings } from 'card-switch-conformance'
import { expect, test } from 'vitest'
import { readSettingsAndSuites } from '../lib/doors/own-suites.ts'
import { readAllure, resultIn } from '../lib/report/allure/allure.testing.ts'
import { clients } from '../lib/serve/reference/clients.ts'
import { deadline } from './support/deadline.ts'
import { declaring, declaringAll, onPlain, ownEntry, ownFolder, playing } from './support/own-folder.ts'
import { against, expectEnds, inOneLine, run as runAlone } from './support/program-test.ts'
import { runWhole, type Against } from './support/program-test.ts'
import { findingOf, instead, ruleIn, rulesThat, type ProgramOptions, type Texts } from './support/program.ts'

const id = 'acme/one'
const only = '--only acme/*'

/**
 * Runs the rules of this module, or the rule whose cases this function makes, against a service with these options. With
 * {@link deadline}'s environment, it runs as a process.
 */
async function judged(module: string, words = only, options: Against = {}, more: ProgramOptions = {}) {
  const text = /^(?:import|void) /.test(module) ? module : declaring(ownEntry, module)
  const env = { ...options.env, RUN_SUITES: await ownFolder({ 'a.mjs': text }) }
  return (await against({ ...options, env })).run(words, more)
}

const isEmpty = `(body) => (body.customizations.length === 0 ? 'its list is empty' : null)`
const ownClass = `new (class { of = succeeds(); allowed = this.of.allowed; judge(it) { return this.of.judge(it) } })()`
const wingless = `succeedsWith(() => 'it has no wings')`

/** Functions with this check on a generated plain request, on a derived request, in a scenario, and on a plain request sent before. */
const places = (check: string): readonly string[] => [
  `function* ({ list }) { yield example('plain', list.request, ${check}) }`,
  `({ list }) => [example('german', list.request.with('accept-language', 'de'), ${check})]`,
  `({ list }) => [scenario('twice', 2, async (stage) => [
    await stage.served(list.request), await stage.judge(list.request, ${check})])]`,
  `({ list }) => [example('served', list.request, succeeds()), example('plain', list.request, ${check})]`,
]

test.for([
  ['fails', wingless, 1],
  ['passes', `succeedsWith(${isEmpty})`, 0],
  ['passes', ownClass, 0],
] as const)("a user's rule %s in every kind of case", async ([, check, exit]) => {
  const module = declaringAll(places(check).map((text) => ['cases', text] as const))
  const { code, verdict, stdout } = await judged(module)
  const findings = (verdict?.rules ?? []).flatMap((rule) => rule.findings)

  expect(code).toBe(exit)
  const ids = [0, 1, 2, 3].map((at) => `acme/r${at}`)
  expect(rulesThat(verdict, exit === 1 ? 'failed' : 'passed')).toEqual(ids)
  const found = exit === 1 ? ids.map(() => ['3 of 3', 'answered 200 with JSON, but it has no wings']) : []
  expect(findings.map(({ reproduced, summary }) => [reproduced, summary])).toEqual(found)
  expect(findings.filter(({ curl }) => curl === null)).toEqual([])
  expect(stdout).toContain(exit === 1 ? 'but it has no wings' : ' CONFORMANT')
  expect(stdout.includes('NONCONFORMANT')).toBe(exit === 1)
})

test("a user's rule also fails among all rules, with which it shares requests", async () => {
  const { code, verdict, stdout } = await judged(onPlain(wingless), '--only acme/*,*')

  expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [id]])
  expect(stdout).toMatch(/^    .*: acme\/one\n/m)
})

test("a user's rule may rely on texts that other clients must not rely on", async () => {
  const check = `succeedsWith(({ customizations: [one] }) => (one.name === 'Evening' ? null : 'it is not evening'))`
  const { code, verdict } = await judged(onPlain(check), '--only acme/*,tolerance/*')

  expect([code, verdict?.because]).toEqual([0, []])
})

test("a user's rule shows no credential that its check returns", async () => {
  const check = `succeedsWith(() => 'it holds ${clients.permitted.secretKey}')`
  const result = await judged(onPlain(check))

  expectEnds(result, 1, 'it holds <TARGET_SECRET_KEY>')
  expect(findingOf(result, id).summary).toContain('it holds <TARGET_SECRET_KEY>')
})

const throwing = `succeedsWith(() => { throw Object.defineProperty(new Error('x'), 'message', { get() { throw 1 } }) })`
const violates = `{ allowed: [], judge: () => ({ kind: 'violates' }) }`
const answered = 'await stage.send(list.request)'
const sending = (made: string) => `({ list }) => [example('plain', list.request.${made}, succeeds())]`
const unsendable = ': the pool does not send'
const unchecked = 'await stage.judge(list.request, succeedsWith(() => {}))'

test.for<readonly [what: string, casesOf: string, says: string | RegExp]>([
  ['a check that returns nothing', onPlain(`succeedsWith(() => {})`), ' undefined'],
  ['a promise', onPlain(`succeedsWith(async () => null)`), ' a promise'],
  ['an object', onPlain(`succeedsWith(() => ({}))`), ' an object'],
  ['an empty text', onPlain(`succeedsWith(() => '')`), ' an empty text'],
  ['an error', onPlain(`succeedsWith(() => { throw new Error('no luck') })`), ': no luck'],
  ['an error that throws when it is read', onPlain(throwing), ': a value that cannot be shown'],
  ['a thrown undefined', onPlain(`succeedsWith(() => { throw undefined })`), ': undefined'],
  ['a promise instead of a judgement', onPlain(`{ allowed: [], judge: async () => null }`), ' a promise'],
  ['a text instead of a judgement', onPlain(`{ allowed: [], judge: () => 'wrong' }`), ' a text'],
  ['an incomplete judgement', onPlain(violates), /instead of: .*undefined/],
  ['a judgement of no kind', onPlain(`{ allowed: [], judge: () => ({}) }`), ' an object'],
  ['a case without a check', `({ list }) => [example('plain', list.request)]`, /instead of: .*undefined/],
  ['a scenario that returns nothing', playing(''), ' undefined'],
  ['a scenario that returns an answer', playing(`return [${answered}]`), ' undefined'],
  ['an error in a scenario', playing(`throw new TypeError('no luck')`), ': no luck'],
  ['a check in a scenario that returns nothing', playing(`return [${unchecked}]`), ' undefined'],
  ['a request to an address', sending(`to('http://127.0.0.1:1/x')`), unsendable],
  ['a request to another authority', sending(`to('@h/')`), unsendable],
  ['a request with a line break', sending(String.raw`with('x-a', 'b\r\nhost: evil')`), unsendable],
])('a mistake in a rule exits 2 and names rule, file and value: %s', async ([, casesOf, value]) => {
  const { code, verdict, stdout } = await judged(casesOf)

  expect([code, verdict?.verdict]).toEqual([2, 'error'])
  const says = typeof value === 'string' ? `instead of${value}` : value
  expect(verdict?.because[0]).toMatch(says)
  expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*\/a\.mjs\), case plain: expected /)
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(says)
})

test('a mistake in a rule makes the run exit 2 and name rule, file and value: a check in a replay', async () => {
  const replayed = await judged(onPlain('succeedsWith(() => {})'), `replay ${id}:1:plain`)

  expectEnds(replayed, 2, 'instead of undefined')
})

test('a run exits 2, sends nothing and names each function without valid cases by rule and file in its verdict', async () => {
  const RUN_SUITES = await ownFolder({ 'a.mjs': declaringAll([1, 2].map(() => ['cases', '() => {}'])) })
  const { service, run } = await against({ env: { RUN_SUITES } })
  const result = await run(only)

  expectEnds(result, 2, '2 mistakes in the settings; nothing was sent.')
  for (const name of ['r0', 'r1'])
    expect(result.verdict?.because.join()).toMatch(
      new RegExp(`RUN_SUITES: acme/${name} \\(.*/a\\.mjs\\): expected `),
    )
  expect(service.requests()).toBe(0)
})

test('an error while cases are generated makes the run exit 2 and name rule and file', async () => {
  const throws = `() => [caseClass('a', { weight: 1 }, [judged('a', () => { throw new Error('no such luck') })])]`

  expectEnds(await judged(declaringAll([['classes', throws]])), 2, /acme\/r0 \(.*\/a\.mjs\)[^]*no such luck/)
})

test('areas from a script are checked like areas from a folder', async () => {
  const env = { TARGET_BASE_URL: 'embedded' }
  const read = await readSettingsAndSuites({ env, own: [area('Acme', [])] })

  const expected = 'areas with a title and rules, made with area(), each exported separately'
  const issue = { setting: 'RUN_SUITES', given: 'the areas given as own', expected }
  expect(read).toMatchObject({ kind: 'issues', issues: [issue] })
})

test('a module may also export the rules of an area', async () => {
  const text = `${declaring(ownEntry)}\nexport const [one] = own.rules\nexport const all = [own]`

  expectEnds(
    await runAlone(`rules --suites ${await ownFolder({ 'a.mjs': text })}`),
    0,
    'acme/one (documented)',
  )
})

const suites = fileURLToPath(new URL('../docs/examples/suites', import.meta.url))
const own = ['acme/every-logo', 'acme/tracking-parameters'] as const
const both = '--only acme/*,input/*'
const says = 'every customization of the list has a logo'
const missed = 'acme/every-logo:20260101:plain'
const bent = { faults: ['list-property-removed'], env: { RUN_SUITES: suites } }

test("a user's rules pass for a conformant service, together with the other rules", async () => {
  const { run } = await against({ env: { RUN_SUITES: suites } })
  const { verdict, ...result } = await run(both)

  expectEnds(result, 0, ' CONFORMANT')
  expect(rulesThat(verdict, 'passed')).toEqual(['input/invalid-parameters', ...own])
  expect(ruleIn(verdict, own[0])).toMatchObject({ section: 'Acme agreement, 4.1', says, answers: 2 })
})

test("a user's rules fail with a finding in every report, which report writes again without the folder", async () => {
  const { cwd, run, read } = await against(bent)
  const { code, stdout, verdict } = await run(both, { env: { GITHUB_ACTIONS: 'true' } })
  const names = ['verdict.json', 'junit.xml', 'summary.md', 'index.html', 'history.jsonl']
  const reports = (): Promise<readonly string[]> => Promise.all(names.map((name) => read(`reports/${name}`)))

  expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [own[0]]])
  const summary: unknown = expect.stringContaining('no logo')
  const finding = { case: missed, count: 2, reproduced: '3 of 3', summary }
  expect(ruleIn(verdict, own[0]).findings).toMatchObject([finding])
  expect(verdict?.causes).toMatchObject([{ rules: [own[0]] }])
  for (const words of [own[0], 'a customization has no logo']) expect(stdout).toContain(words)
  expect(stdout).toMatch(/^::error title=[^:]*has no logo[^:]*::Expected: .*%0ABreaks 1 rule: acme\/every/m)
  const first = await reports()
  for (const text of first) expect(text).toContain(own[0])
  const name = `${own[0]}: ${says}`
  expect(first[1]).toContain(name)
  const ofAllure = resultIn(readAllure(join(cwd, 'reports/allure-results')), own[0])
  expect(ofAllure).toMatchObject({ fullName: own[0], name, status: 'failed', titlePath: ['acme'] })
  expect(await read('reports/metrics.prom')).toMatch(/_rules\{.*status="failed"\} 1$/m)

  expect((await runAlone(['report', 'reports'], { cwd })).code).toBe(0)
  expect((await reports()).slice(0, 3)).toEqual(first.slice(0, 3))
})

test("a user's rules can be replayed only with their folder, waived by id, planned and listed", async () => {
  const waiver = { rule: own[0], reason: 'agreed', owner: 'Kim', expires: '2999-01-31' }
  const { cwd, run } = await against({ ...bent, files: { 'w.json': JSON.stringify([waiver]) } })
  expectEnds(await run(`replay ${missed}`), 1, 'has no logo')
  expectEnds(await run(`replay ${missed}`, { env: { RUN_SUITES: '' } }), 2, 'CASE')
  expectEnds(await runAlone('plan --base-url embedded --waivers w.json', { cwd }), 2, 'the id of a rule')
  expectEnds(await run(`plan ${both}`), 0, /^ {2}acme\/every-logo +\d+$/m)
  const listed = await runAlone(['rules', '--suites', suites, '--format', 'markdown'])
  expectEnds(listed, 0, '| `acme/tracking-parameters` | implied |')
  const waived = await run(`${both} --waivers w.json`)
  expect([waived.code, ruleIn(waived.verdict, own[0]).status]).toEqual([0, 'waived'])
})

test("a user's rules with generated cases can also fail", async () => {
  const intervene: Against['intervene'] = ({ url = '' }, response) =>
    url.includes('utm_') && instead(response, 404, '{}')
  const { run } = await against({ env: { RUN_SUITES: suites }, intervene })
  const { code, verdict, stdout } = await run(`${both} --strict`)

  expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [own[1]]])
  expect(ruleIn(verdict, own[1]).findings[0]?.summary).toContain('; sent: a campaign')
  expect(stdout).toContain(own[1])
})

const stripsTypes = Boolean(Reflect.get(process.features, 'typescript'))
const listed = async (by: typeof runAlone, env: Texts = {}) =>
  by(['rules', '--suites', await ownFolder({ 'a.mts': declaring(`${ownEntry} as const`) })], { env })

test('a module in TypeScript loads if Node strips types; an older version names a way to load it', async () => {
  const needed = `a Node version that strips types (22.18 or newer); this is ${process.versions.node}`
  const ways = stripsTypes ? ['acme/one (documented)'] : [needed, "set NODE_OPTIONS='--import tsx'"]

  expectEnds(await listed(runAlone), stripsTypes ? 0 : 2, ...ways)
})

test('a module in TypeScript loads on any Node version with a loader', async () => {
  const NODE_OPTIONS = `--import=${import.meta.resolve('tsx')}`

  expectEnds(await listed(runWhole, { NODE_OPTIONS }), 0, 'acme/one (documented)')
})

test.for(['plan', 'doctor', 'run', 'replay fuzz/api-key:1:presence.0'])(
  'no code named in .env runs: %s',
  async (words) => {
    const module = `import { writeFileSync } from 'node:fs'; writeFileSync(new URL('ran', import.meta.url), '')`
    const env = 'RUN_SUITES=.\nTARGET_BASE_URL=embedded\nRUN_ONLY=endpoints/*\n'
    const cwd = await ownFolder({ 'own.suite.mjs': module, '.env': env })

    const { stderr, stdout, verdict } = await runAlone(words, { cwd })

    expect(existsSync(join(cwd, 'ran'))).toBe(false)
    for (const text of ['RUN_SUITES in .env is ignored', 'EMBEDDED REFERENCE SERVICE'])
      expect(stderr).toContain(text)
    if (words === 'run') expect(stdout).toContain('EMBEDDED REFERENCE SERVICE')
    expect(verdict?.target.embedded).toBe(words === 'run' ? true : undefined)
  },
)

const limited = `${only} ${deadline.args.join(' ')}`
const checking = (does: string): string => onPlain(`succeedsWith(() => { ${does}; return null })`)
/** Makes the deadline of the run pass. */
const passes = 'globalThis.passes()'
const never = 'await new Promise(() => {})'
const leftBehind = /acme\/one \(.*a\.mjs\), case plain, waited for something that never came/

test.for<readonly [what: string, play: string, entry?: string]>([
  ['if it waits for nothing', `${passes}; ${never}`],
  ['if it waits after an answer', `await stage.send(list.request); ${passes}; ${never}`],
  ['if it catches its end', `for (;;) try { await stage.send(list.request); ${passes} } catch { ${never} }`],
  ['if it is played alone, first', `${passes}; ${never}`, ownEntry.replace('}', `, phase: 'alone' }`)],
])('a scenario that never ends is reported with rule and file: %s', async ([, play, declared = ownEntry]) => {
  const { code, verdict, stdout } = await judged(declaring(declared, playing(play)), limited, deadline)

  expect([code, verdict?.verdict]).toEqual([3, 'incomplete'])
  expect(verdict?.because.join()).toMatch(leftBehind)
  expect(verdict?.because.join()).toContain('(RUN_MAX_MINUTES)')
  expect(ruleIn(verdict, id).because).toMatch(leftBehind)
  expect(inOneLine(stdout)).toMatch(leftBehind)
})

test('a scenario that never ends is reported with rule and file: at the first signal', async () => {
  const started = (child: ChildProcess): void =>
    void child.stderr?.once('data', () => void child.kill('SIGINT'))
  const play = playing(`await stage.send(list.request); console.log(1); ${never}`)
  const { code, verdict } = await judged(play, only, {}, { started })

  expect([code, verdict?.because.join()]).toEqual([3, expect.stringMatching(leftBehind)])
  expect(verdict?.because.join()).toContain('the run was interrupted (SIGINT)')
})

test('a scenario that never ends is reported with rule and file: in a replay', async () => {
  const words = `replay ${id}:1:plain ${deadline.args.join(' ')}`

  expectEnds(await judged(playing(`${passes}; ${never}`), words, deadline), 3, leftBehind)
})

test('a scenario that never ends is reported with rule and file, but not if it only waits for an answer', async () => {
  let child: ChildProcess | null = null
  const intervene: Against['intervene'] = ({ headers }) =>
    headers['accept-language'] === 'de' && (child?.kill('SIGUSR2') ?? false)
  const play = `return [await stage.judge(list.request.with('accept-language', 'de'), succeeds())]`
  const started = (one: ChildProcess): void => void (child = one)
  const words = `${limited} --timeout-ms 600000`
  const { code, verdict } = await judged(playing(play), words, { ...deadline, intervene }, { started })

  expect([code, verdict?.verdict]).toEqual([3, 'incomplete'])
  expect(verdict?.because.join()).not.toContain('did not come')
})

const waits = 'await new Promise((later) => setTimeout(later, 30_000))'
const told = "'late ' + target.secretKey.reveal()"
const hidden = 'late <TARGET_SECRET_KEY>'
const unshowable = 'a value that cannot be shown, because reading it throws'
const unaskable = 'new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })'
const nested = `void (async () => { await null; setTimeout(() => { throw ${told} }, 5) })()`
test.for([
  ['in a timer', playing(`setTimeout(() => { throw new Error(${told}) }, 5); ${waits}`), hidden],
  ['in a promise that nobody awaits', playing(`void Promise.reject(new Error(${told})); ${waits}`), hidden],
  ['in a timer within a promise', playing(`${nested}; ${waits}`), hidden],
  ['in a rejection by the last rule of a run', checking(`Promise.reject(new Error('late'))`), 'late'],
  ['in a rejection without a reason', checking('Promise.reject()'), 'undefined'],
  ['in a timer of the last rule', checking(`setTimeout(() => { throw new Error('late') }, 1)`), 'late'],
  ['as a value that cannot be read', checking(`Promise.reject(${unaskable})`), unshowable],
] as const)('a late error in user code exits 2 and names rule and file: %s', async ([, casesOf, text]) => {
  const { code, verdict, stderr, stdout } = await judged(casesOf, only, deadline)

  expect([code, verdict?.verdict]).toEqual([2, 'error'])
  expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*a\.mjs\): expected nothing thrown later/)
  for (const words of [verdict?.because[0], inOneLine(stdout)]) expect(words).toContain(`instead of: ${text}`)
  expect(stderr).not.toContain('at ')
})

test('a late error in user code makes the run exit 2 and name the file: at the top level of a module', async () => {
  const late = `let begun; const first = new Promise((one) => { globalThis.begun = one })
    void first.then(() => { throw new Error('too late') })`
  const module = `${declaring(ownEntry, playing(`globalThis.begun?.(); ${waits}`))}\n${late}`
  const { code, verdict } = await judged(module, only, deadline)

  const later = expect.stringMatching(/a\.mjs: expected nothing thrown later/)
  expect([code, verdict?.because[0]]).toEqual([2, later])
})

test('a late error at the top level of a module that plan loads makes plan exit 4 and name the file', async () => {
  const module = `void Promise.reject(new Error('no such luck')); ${never}`

  const planned = await judged(module, 'plan --base-url embedded', deadline)

  expectEnds(planned, 4, /a\.mjs: expected nothing thrown later[^]*instead of: no such luck/)
})

test("a module's console goes to standard error on the command line", async () => {
  const casesOf = `({ list }) => { console.log('fifth'); return [example('plain', list.request, succeeds())] }`
  const module = `import other from 'node:console'
      console.log('first'); console.table([{ second: 2 }]); console.dir({ third: 3 }); other.info('fourth')
      ${declaring(ownEntry, casesOf).replace('\n', ';')}`
  const { code, stdout, stderr } = await judged(module, `${only} --format json`, deadline)

  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'conformant' })
  for (const word of ['first', 'second', 'third', 'fourth', 'fifth']) expect(stderr).toContain(word)
})

test('a module finds the paths of secret files in the environment, but no secrets', async () => {
  const env = { TARGET_API_KEY: 'ak-01234567', TARGET_SECRET_KYE: 'sk-98765432', TARGET_SECRET_KEY_FILE: 'f' }
  const module = `console.log(${JSON.stringify(Object.keys(env))}.filter((name) => name in process.env))`
  const cwd = await ownFolder({ 'a.mjs': `${module}\n${declaring(ownEntry)}` })

  const { stderr } = await runWhole('rules --suites .', { cwd, env })
  expect(stderr).toBe("[ 'TARGET_SECRET_KEY_FILE' ]\n")
})

test("a module's console is unchanged in the library", async () => {
  const methods = Object.entries(console)
  await readSettings({ env: { TARGET_BASE_URL: 'embedded' } })

  expect(Object.entries(console)).toEqual(methods)
})
