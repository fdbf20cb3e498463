import { area } from 'card-switch-conformance'
import { expect, test } from 'vitest'
import { readSettingsAndSuites } from '../lib/doors/own-suites.ts'
import { clients } from '../lib/serve/reference/clients.ts'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { declaring, declaringAll, onPlain, ownEntry, ownFolder, playing } from './support/own-folder.ts'
import { against, expectEnds, run } from './support/program-test.ts'
import { ruleIn, rulesThat } from './support/program.ts'

const id = 'acme/one'

/** Runs the rules of this module, or the rule whose cases this function makes, against a service with these options. */
async function judged(module: string, options: ReferenceOptions = {}, words = '--only acme/*') {
  const text = module.startsWith('import') ? module : declaring(ownEntry, module)
  const RUN_SUITES = await ownFolder({ 'a.mjs': text })
  const given = await against({ ...options, env: { RUN_SUITES } })
  return { ...(await given.run(words)), sent: given.service.requests() }
}

const isEmpty = `(body) => (body.customizations.length === 0 ? 'its list is empty' : null)`
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
  [
    'passes',
    `new (class { of = succeeds(); allowed = this.of.allowed; judge(it) { return this.of.judge(it) } })()`,
    0,
  ],
] as const)("a user's rule %s in every kind of case", async ([, check, exit]) => {
  const module = declaringAll(places(check).map((text) => ['cases', text] as const))
  const { code, verdict, stdout } = await judged(module)
  const findings = (verdict?.rules ?? []).flatMap((rule) => rule.findings)

  expect(code).toBe(exit)
  const ids = [0, 1, 2, 3].map((at) => `acme/r${at}`)
  expect(rulesThat(verdict, exit === 1 ? 'failed' : 'passed')).toEqual(ids)
  expect(findings.map(({ reproduced, summary }) => [reproduced, summary])).toEqual(
    findings.map(() => ['3 of 3', 'answered 200 with JSON, but it has no wings']),
  )
  expect(findings).toHaveLength(exit * 4)
  expect(findings.filter(({ curl }) => curl === null)).toEqual([])
  expect(stdout).toContain(exit === 1 ? 'but it has no wings' : ' CONFORMANT')
  expect(stdout.includes('NONCONFORMANT')).toBe(exit === 1)
})

test("a user's rule also fails among all rules, with which it shares requests", async () => {
  const { code, verdict, stdout } = await judged(onPlain(wingless), {}, '--only acme/*,*')

  expect([code, rulesThat(verdict, 'failed')]).toEqual([1, [id]])
  expect(stdout).toMatch(/^    .*: acme\/one\n/m)
})

test("a user's rule may rely on texts that other clients must not rely on", async () => {
  const check = `succeedsWith(({ customizations: [one] }) => (one.name === 'Evening' ? null : 'it is not evening'))`
  const { code, verdict } = await judged(onPlain(check), {}, '--only acme/*,tolerance/*')

  expect([code, verdict?.because]).toEqual([0, []])
})

test("a user's rule shows no credential that its check returns", async () => {
  const check = `succeedsWith(() => 'it holds ${clients.permitted.secretKey}')`
  const { code, stdout, verdict } = await judged(onPlain(check))

  expect(code).toBe(1)
  for (const text of [stdout, ruleIn(verdict, id).findings[0]?.summary])
    expect(text).toContain('it holds <TARGET_SECRET_KEY>')
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
])(
  'a mistake in a rule makes the run exit 2 and name rule, file and value: %s',
  async ([, casesOf, value]) => {
    const { code, verdict, stdout } = await judged(casesOf)

    expect([code, verdict?.verdict]).toEqual([2, 'error'])
    const says = typeof value === 'string' ? `instead of${value}` : value
    expect(verdict?.because[0]).toMatch(says)
    expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*\/a\.mjs\), case plain: expected /)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(says)
  },
)

test('a mistake in a rule makes the run exit 2 and name rule, file and value: a check in a replay', async () => {
  const replayed = await judged(onPlain('succeedsWith(() => {})'), {}, `replay ${id}:1:plain`)

  expectEnds(replayed, 2, 'instead of undefined')
})

test('an error while cases are generated makes the run exit 2 and name rule and file', async () => {
  const throws = `() => [caseClass('a', { weight: 1 }, [judged('a', () => { throw new Error('no such luck') })])]`

  expectEnds(await judged(declaringAll([['classes', throws]])), 2, /acme\/r0 \(.*\/a\.mjs\)[^]*no such luck/)
})

test('areas from a script are checked like areas from a folder', async () => {
  const env = { TARGET_BASE_URL: 'embedded' }
  const read = await readSettingsAndSuites({ env, own: [area('Acme', [])] })

  const issue = {
    setting: 'RUN_SUITES',
    given: 'the areas given as own',
    expected: 'areas with a title and rules, made with area(), each exported separately',
  }
  expect(read).toMatchObject({ kind: 'issues', issues: [issue] })
})

test('a module may also export the rules of an area', async () => {
  const text = `${declaring(ownEntry)}\nexport const [one] = own.rules\nexport const all = [own]`

  expectEnds(await run(`rules --suites ${await ownFolder({ 'a.mjs': text })}`), 0, 'acme/one (documented)')
})
