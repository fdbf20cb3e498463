import { expect, it, test } from 'vitest'
import type { RuleStatus } from '../../lib/judge/record.ts'
import type { ProfileName } from '../../lib/settings/profiles.ts'
import { rulesWith, ruleWith, verdictWith } from '../../lib/verdict/verdict.testing.ts'
import type { ExitCode } from '../../lib/verdict/verdict.ts'
import { textOf } from '../../tests/support/syntax.ts'
import { faults } from '../service/faults/all-faults.ts'
import { variants } from '../service/variants/all-variants.ts'
import { servicesOf } from './all-services.ts'
import { judgeOutcome, wrongShares, type Left } from './expect.ts'
import { notRun, profileNames, type Expectation, type Service, type Source } from './service.ts'
import { kindsTable, pageSink } from './sinks/page.ts'

const missing = 'authentication/api-key-missing'
const invalid = 'authentication/api-key-invalid'
const implied = 'conventions/header-case-insensitive'

type Statuses = Readonly<Record<string, RuleStatus>>

function left(exit: ExitCode, statuses: Statuses = {}, profile: ProfileName = 'gate'): Left {
  const rules = rulesWith([]).map(({ id }) => ruleWith(id, { status: statuses[id] ?? 'passed' }))
  const verdict = verdictWith({ exitCode: exit, rules, profile, because: ['why it ended'] })
  return { code: exit, verdict, stdout: '', stderr: '' }
}

const as = (status: RuleStatus, ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, status]))
const failed = (...rules: readonly string[]): Left => left(1, as('failed', rules))
const warned = (...rules: readonly string[]): Left => left(0, as('warned', rules))
const ended = (status: RuleStatus, rule = missing): Left => left(3, as(status, [rule]))
const untested = as('untested', ['tolerance/no-breaking-change'])

const fault: Expectation = { exit: 1, by: [missing] }
const only: Expectation = { ...fault, only: true }
const later: Expectation = { ...fault, unnoticed: ['gate'] }
const alone: Expectation = { ...fault, unnoticed: ['gate', 'nightly'] }
const standing: Expectation = { exit: 1, stands: [invalid] }
const known: Expectation = { exit: 1, unnoticed: ['gate'] }
const conformant: Expectation = { exit: 0, untested: ['tolerance/no-breaking-change'] }
const part: Expectation = { exit: 0, inPart: true, mayBeIncomplete: true }
const warning: Expectation = { exit: 0, inPart: true, by: [missing] }
const few: Expectation = { ...part, requests: 1 }
const onlyOne: Expectation = { ...warning, only: true }
const ending: Expectation = { exit: 3, inPart: true, says: ['why it'] }
const excepted: Expectation = { ...conformant, stands: [invalid] }
const lacking = left(0, as('untested', [missing]))
const noisy = { ...failed(missing), stderr: 'oh' }
const clearing = { ...left(0), stdout: '\u001b[2J' }
const exits = (code: number, mayBe: number | string): string => `exit ${code} where ${mayBe} was expected`
const [fine, none] = ['as expected', `none of ${missing} is red`]
const cut = `not judged to the end: ${missing}; ${exits(3, 0)}`
const otherExit = 'verdict.json says exit 0, the process ended with 1'
const unwritten = 'there is no verdict.json, exit 1: no'
const blamed = `blamed; blamed for ${missing}`

test.each<readonly [string, Expectation, Left, string]>([
  ['noticed by its rule and by another rule', fault, failed(missing, invalid), fine],
  ['unnoticed', fault, left(0), `missed; ${none}`],
  ['noticed by the wrong rule', fault, failed(invalid), `missed; ${none}, but ${invalid}`],
  ['unnoticed before its profile', later, left(0), fine],
  ['unnoticed in the profile that must notice it', later, left(0, {}, 'acceptance'), `missed; ${none}`],
  ['unnoticed in a later profile', later, left(0, {}, 'nightly'), `missed; ${none}`],
  ['unnoticed in a profile that need not notice it', alone, left(0, {}, 'nightly'), fine],
  ['that only causes a warning', fault, warned(missing), 'missed; a documented rule only warned'],
  ['with an implied breach', { ...fault, implied: true }, warned(missing), fine],
  ['noticed by an implied rule', { exit: 1, by: [implied] }, warned(implied), fine],
  ['with another exit code', fault, left(0, as('failed', [missing])), 'missed; exit 0 where 1 was expected'],
  ['that need not be noticed in an incomplete run', later, ended('inconclusive', invalid), fine],
  ['that may break only one rule', only, failed(missing, invalid), `blamed; also blamed for ${invalid}`],
  ['noticed by any rule', { exit: 1 }, failed(invalid), fine],
  ['noticed by a share of the runs', { exit: 1, share: 0.6 }, left(0), fine],
  ['noticed by no rule', { exit: 1 }, left(0), 'missed; no rule failed'],
  ['known to be missed', known, left(0), fine],
  ['that always breaks another rule', standing, failed(invalid), `missed; no rule failed, but ${invalid}`],
  ['that conforms except for a known breach', excepted, left(1, { [invalid]: 'failed', ...untested }), fine],
  ['that may be incomplete', part, ended('inconclusive'), fine],
  ['that may be incomplete and is blamed', part, failed(missing), `${blamed}; ${exits(1, '0 or 3')}`],
  ['that is conformant', conformant, left(0, untested), fine],
  ['that is conformant and blamed', conformant, failed(missing), `${blamed}; exit 1 where 0 was expected`],
  ['that is conformant and causes a warning', conformant, warned(missing), blamed],
  ['that may cause a warning', { ...conformant, warns: [missing] }, warned(missing), fine],
  ['that is conformant and not fully judged', conformant, ended('inconclusive'), `not judged; ${cut}`],
  ['that is conformant and untested', conformant, lacking, `not judged; not tested: ${missing}`],
  ['that cannot be judged', ending, ended('inconclusive'), fine],
  ['that cannot be judged and is blamed', ending, ended('failed'), blamed],
  ['that cannot be judged and causes a warning', ending, ended('warned'), `blamed; warned of ${missing}`],
  ['that is judged unexpectedly', ending, left(0), 'not judged; exit 0 where 3 was expected'],
  ['whose reason is not stated', { ...ending, says: ['else'] }, left(3), 'not judged; missing text "else"'],
  ['that causes a second warning', onlyOne, warned(missing, invalid), `blamed; warned of ${invalid}`],
  ['that gets too many requests', few, left(0), 'not judged; 196 requests instead of at most 1'],
  ['that causes no expected warning', warning, left(0), `not judged; ${none}`],
  ['that produces unexpected output', fault, noisy, 'not judged; standard error says: oh'],
  ['with terminal controls', conformant, clearing, 'not judged; the terminal receives control characters'],
  ['whose verdict states another exit code', conformant, { ...left(0), code: 1 }, `not judged; ${otherExit}`],
  ['without a verdict', fault, { ...failed(), verdict: null, stderr: 'no' }, `not judged; ${unwritten}`],
])('the result is correct for a service %s', (_, expects, given, expected) => {
  const { result, because } = judgeOutcome(expects, given)
  expect([result, ...because].join('; ')).toBe(expected)
})

const some = await servicesOf(['faults', 'variants', 'targets', 'echoes', 'rates', 'strangers'])
const servicesIn = (source: Source): readonly Service[] => some.filter(({ of }) => of === source)

it('services have unique names in each source, those of targets in kebab case', () => {
  const names = some.map(({ of, name }) => `${of} ${name}`)

  expect(names).toEqual([...new Set(names)])
  expect(servicesIn('targets').filter(({ name }) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name))).toEqual([])
  expect(servicesIn('faults')).toHaveLength(faults.length)
  const all = faults.map(({ profile = 'gate', ...one }) => ({ ...one, profile }))
  const due = {
    gate: all.filter(({ profile }) => profile === 'gate'),
    acceptance: all.filter(({ profile }) => profile !== 'nightly'),
    nightly: all.filter(({ inNoOther }) => inNoOther !== true),
  }
  for (const profile of profileNames) {
    const noticed = servicesIn('faults').filter(({ expects }) => !expects.unnoticed?.includes(profile))
    expect(noticed.map(({ name }) => name)).toEqual(due[profile].map(({ name }) => name))
  }
  expect(servicesIn('variants')).toHaveLength(variants.length)
})

it('services are counted in lab/judge/proof.md', () => {
  expect(textOf('lab/judge/proof.md')).toContain(kindsTable())
})

test('the share of runs that notice a fault matches the claimed share', () => {
  const rates = servicesIn('rates').slice(0, 1)
  const [name = ''] = rates.map((one) => one.name)
  const run = notRun({ of: 'rates', name, profile: 'gate', over: 'sockets', seed: 1, sinks: [] }, '')
  const noticedBy = (count: number) =>
    Array.from({ length: 1_000 }, (_, at) => ({ ...run, noticed: at < count }))
  const wrong = `rates ${name}: noticed by 500 of 1000 runs instead of the claimed 0.632`

  expect(wrongShares(rates, noticedBy(640))).toEqual([])
  expect(wrongShares(rates, noticedBy(500).slice(1))).toEqual([])
  expect(wrongShares(rates, noticedBy(500))).toEqual([wrong])
})

const job = { of: 'faults', profile: 'gate', over: 'memory', seed: null, sinks: [] } as const
const outcomes = servicesIn('faults').map(({ name, expects: { by: red = [] } }) => {
  return { ...notRun({ ...job, name }, 'not needed'), red, causes: 1 }
})

it('sinks for the page report rules with few faults and scattered causes, only for whole profiles', async () => {
  const others = some
    .filter(({ of }) => of !== 'faults')
    .map(({ of, name }) => notRun({ ...job, of, name }, 'not needed'))
  const fewer = outcomes.map((one) => ({ ...one, red: one.red.filter((id) => id !== missing), causes: 2 }))

  expect(await pageSink().end([...outcomes, ...others])).toEqual([])
  expect(await pageSink().end(fewer)).toEqual([])
  expect(await pageSink().end([...fewer, ...others])).toEqual([
    `gate: ${missing} was red for 0 of its faults, where 3 have to prove it`,
    `gate: ${outcomes.length} faults have 2 causes in the median, and 0 of them more than 3`,
  ])
})
