import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { countedRules, ruleIds } from '../../specification/rules.ts'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { folderWith } from '../../text/folder.testing.ts'
import {
  errorVerdict,
  findingWith,
  found,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  sentWith,
  served,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { absentRow, alike, failing, rowWith, violated } from '../testing/verdicts.ts'
import { comparisonPage } from './compare-page.ts'
import { comparisonText, targetsText } from './compare-text.ts'
import { compared, comparisonJson, sideOf, type Comparison, type Side } from './comparison.ts'
import { ageOf, comparedTargets, expectedTargets, targetsJson, type TargetRow } from './targets.ts'

const rule = 'authentication/api-key-missing'
const good = verdictWith()
const broken = violated(failing(rule, findingWith()))
const otherTarget = targetWith({ baseUrl: 'https://b.example', label: 'vendor B' })
const red = nonconformantVerdict()
const observations = [{ id: 'flaw-order', value: ['1001'] }]

function comparisonOf(first: Verdict, ...verdicts: readonly Verdict[]): Comparison {
  const others = verdicts.map((verdict, index) => sideOf(`other ${index + 1}`, verdict))
  return compared(sideOf('first', first), others)
}

const dataOf = (comparison: Comparison) => JSON.parse(comparisonJson(comparison))

const textOf = (comparison: Comparison): string => comparisonText(comparison, { colour: false, width: 140 })

const worseNowhere = 'nothing is worse than in first (exit 0)'
const worseOnce = '1 rule is worse than in first (exit 1)'

it.each<[string, Verdict, readonly Verdict[], readonly boolean[], string]>([
  ['fixed in one', broken, [good, broken], [false, false], worseNowhere],
  ['worse in one', good, [good, broken], [false, true], worseOnce],
  ['worse in both', good, [broken, broken], [true, true], worseOnce],
])('a comparison is worse if any run is worse than the first: %s', (_, first, others, worse, outcome) => {
  const comparison = comparisonOf(first, ...others)

  expect(comparison).toMatchObject({ worse: worse.includes(true), outcome })
  expect(dataOf(comparison).differences).toMatchObject(worse.map((isWorse) => ({ worse: isWorse })))
})

it('runs side by side have a row for every rule in any run, in catalogue order', () => {
  const { matrix } = dataOf(comparisonOf(verdictWith({ rules: [failing(rule, findingWith())] }), good))
  const rows = countedRules(good.rules).map(({ id, says }) => {
    return { rule: id, says, statuses: [id === rule ? 'failed' : null, 'passed'] }
  })

  expect(matrix).toEqual(rows)
})

it.each([
  ['A/ B/', ['A', 'B']],
  ['A/41 A/42', ['A, build 41', 'A, build 42']],
  ['A/42 A/42', ['0', '1']],
  ['A/42 /', ['0', '1']],
])('runs are named by label and build (%s) if these are unique, otherwise by path: %j', (both, names) => {
  const [first = sideOf('', good), ...others] = both.split(' ').map((one, index) => {
    const [label = null, build = null] = one.split('/').map((name) => (name === '' ? null : name))
    return sideOf(`${index}`, verdictWith({ target: { ...otherTarget, label, build } }))
  })

  expect(compared(first, others).runs.map(({ name }) => name)).toEqual(names)
})

const ofNothing = good.rules.map((one) => ({ ...one, status: 'untested' as const }))
const otherCase = violated(failing(rule, findingWith({ case: `${rule}:7:other` })))
const sent = sentWith({ conditions: ['accept-language: de'] })
const conditional = violated(failing(rule, alike('3f2a9c', { sent })))
const rules = rulesWith([failing('quota/exhausted', findingWith())])
const many = Array.from({ length: 1_000 }, (_, index) =>
  findingWith({ fingerprint: index.toString(16).padStart(16, '0') }),
)

it.each<[RegExp, Partial<Verdict>, Verdict?]>([
  [/\(other 1 against first\)\n {2}40 rules unchanged: 40 passed, 0 failed\.\n/, {}],
  [/service may have changed:\n *- the seed changed from 20260101 to 7\n/, { seed: 7 }],
  [/service may have changed:\n *- the suite changed from 1.0.0 to 2/, { suite: { version: '2.0.0' } }],
  [/against .*\)\n {2}40 rules unchanged/, { target: otherTarget }],
  [/Not only the targets differ:\n/, { target: otherTarget, profile: 'nightly' }],
  [/no rule was judged\n(.*\n)*.*This run judged nothing, so it says nothing/, { rules: [] }],
  [/PARTIAL, CONFORMANT\n/, { selection: { only: ['endpoints/*'] } }],
  // The fixtures of that run are unknown.
  [/first\)\n {2}This run judged nothing, so it says nothing about .*\n {2}0 ru/, { rules: ofNothing }],
  // A finding from another case or seed is not new.
  [/\n {2}40 rules unchanged[^]*nothing is worse than in first/, { ...otherCase, seed: 7 }, broken],
  [/ERROR\n.*TARGET_BASE_URL: given nothing.*The first run judged nothing/s, {}, errorVerdict()],
  [
    / {2}fails here but not in the first \(1\)\n.*passed → failed\n *\+ 3f2a9c0d1e4b5a67 answered 401/s,
    { rules },
    broken,
  ],
  [/ {2}breached in the first but not here \(1\)\n.*- 3f2a9c0d1e4b5a67 answered 401/s, { rules }, broken],
  [/neither better nor worse \(1\)\n.*not sent this time: 3f2a9c answered/s, { seed: 7 }, conditional],
  [/breached in the first but not here \(1\)\n.*- 3f2a9c answered 401/s, {}, conditional],
  [/\+ 0000000000000004 .*\n *\+ and 995 more\n/, { rules: rulesWith([failing(rule, ...many)]) }],
  [/ {2}- versioning\/selected-per-request: inconclusive, passed\n/, {}, red],
  // Rules that passed everywhere are left out.
  [/^(?!.*endpoints\/list-succeeds)[^]*\nnothing is worse than in first \(exit 0\)\n$/, {}, red],
])('the comparison as text shows %s', (says, changes, before = good) => {
  expect(textOf(comparisonOf(before, { ...good, ...changes }))).toMatch(says)
})

it('the comparison as JSON contains the runs, and every rule in every difference', () => {
  const circumstances = [{ what: 'the seed', before: '20260101', after: '7' }]
  const difference = { path: 'other 1', sameTarget: true, circumstances, worse: false }
  const changed = [{ id: 'flaw-order', before: null, after: ['1001'] }]

  expect(dataOf(comparisonOf(red, verdictWith({ seed: 7, observations })))).toMatchObject({
    format: 'card-switch-conformance/comparison/1',
    worse: false,
    runs: [{ path: 'first', verdict: 'nonconformant' }, { path: 'other 1' }],
    differences: [{ ...difference, rules: { length: serviceRules }, observations: changed }],
  })
})

const even = (comparison: Comparison): string => comparisonPage(comparison).replaceAll(/\s*\n\s*/g, '')

it('the comparison as a page shows the outcome, then the rules that did not pass everywhere, then the runs', () => {
  const vendor = (label: string, verdict: Verdict): Verdict => {
    return { ...verdict, target: targetWith({ label, build: null }) }
  }
  const page = even(comparisonOf(vendor('Vendor A', good), vendor('Vendor B', broken)))
  const order = [
    '>1 rule is worse than in Vendor A (exit 1)</h1>',
    '>Vendor A</th>',
    '>Vendor B</th>',
    '<code>authentication/<wbr />api-key-missing</code><p class="faint">A request without x-api-key',
    '<span class="badge passed">',
    '<span class="badge failed">',
    `${serviceRules - 1} rules passed in every run.`,
    '<li>Vendor B (other 1): NONCONFORMANT<p>',
    '2 against 1 (Vendor B against Vendor A)</h2>',
  ].map((part) => page.indexOf(part))

  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(page).not.toContain('endpoints/list-succeeds')
})

it('the comparison as a page shows the sentence of a rule outside the catalogue if a verdict contains it', () => {
  const id = 'acme/every-logo'
  const own = { ...ruleWith('errors/body-shape'), id, says: 'every customization has a logo' } as const
  const run = sideOf('own', verdictWith({ rules: [...rulesWith([]), { ...own, status: 'warned' }] }))
  const ofHistory = { ...run, verdict: null }
  const acme = /<code>acme\/<wbr \/>every-logo<\/code><p class="faint">(.*?)<\/tr>/
  const row = (first: Side, other: Side) => acme.exec(even(compared(first, [other])))?.[1]

  expect(row(sideOf('a', good), run)).toMatch(/^Every customization has a logo<.*absent.*warned/)
  expect(row(ofHistory, run)).toContain('Every customization has a logo')
  expect(row(ofHistory, ofHistory)).toContain('A rule that is not in the catalogue of this version')
})

const now = new Date('2026-11-20T08:00:00.000Z')
const plain = { colour: false, width: 140 }

const accepted = found('let in', ['secretKey nobodys'], served)
const letIn = violated(failing('authentication/secret-key-invalid', accepted))
const incomplete = { verdict: 'incomplete', exitCode: 3 } as const
const unreached = verdictWith({
  ...incomplete,
  because: ['the run ended early: nothing is listening'],
  rules: ruleIds.map((id) => ruleWith(id, { status: 'inconclusive', answers: 0, sample: null })),
})
const warning = ruleWith('conventions/json-content-type', { status: 'warned', findings: [findingWith()] })

it('targets are sorted by verdict, gravest cause, regressions and name', () => {
  const rows = [
    rowWith('green-10', good),
    rowWith('green-9', good),
    rowWith('warned', verdictWith({ rules: rulesWith([warning]) })),
    rowWith('unreached', unreached),
    rowWith('error', errorVerdict()),
    absentRow('absent'),
    rowWith('still-red', broken, broken),
    rowWith('newly-red', broken, good),
    rowWith('let-in', letIn, letIn),
  ]

  const sorted = comparedTargets(rows, now).rows.map(({ name }) => name)
  expect(sorted.join(' ')).toBe('let-in newly-red still-red absent error unreached warned green-9 green-10')
})

it.each<[string, TargetRow, string]>([
  ['that stays red', rowWith('a', broken, broken), '0 of 1 target got worse (exit 0)'],
  ['that is red in its first run', rowWith('a', broken), '0 of 1 target got worse (exit 0)'],
  ['that was fixed', rowWith('a', good, broken), '0 of 1 target got worse (exit 0)'],
  ['whose run failed', rowWith('a', errorVerdict(), good), '1 of 1 target has no verdict (exit 1)'],
  ['that is no longer reached', rowWith('a', unreached, broken), '1 of 1 target got worse (exit 1)'],
  ['that is still not reached', rowWith('a', unreached, unreached), '0 of 1 target got worse (exit 0)'],
])('targets get worse only by breaking or losing the verdict: a target %s', (_, row, outcome) => {
  expect(comparedTargets([row], now)).toMatchObject({ outcome, worse: outcome.endsWith('(exit 1)') })
})

const someOpen = ruleIds.map((id, at) => ruleWith(id, { status: at < 37 ? 'inconclusive' : 'passed' }))
const half = verdictWith({ ...incomplete, because: ['the quota ran out'], rules: someOpen })
const waived = 'agreed (Kim, until 2027-01-31)'
const ofWaiver = { status: 'waived', because: waived, findings: [{ ...accepted, waived }] } as const
const asAgreed = rulesWith([ruleWith('authentication/secret-key-invalid', ofWaiver)])
const covered = verdictWith({ rules: asAgreed, waivers: red.waivers })
const older = verdictWith({ suite: { version: '0.0.9' } })

const notReached =
  /^! 1 a: NOT JUDGED; was conformant on 2026-11-19 02:00 UTC; 6 h old\n {4}the run ended early: nothing is listening\n {4}a\/index.html\n\n1 not judged\n1 of 1 target got worse \(exit 1\)\n$/
const newlyRed =
  /^✗ 1 a: NONCONFORMANT; \d+ passed, 1 failed; 1 newly failing \(last run 2026-11-19 02:00 UTC\); changed besides: the suite; 6 h old\n {4}security, contract: A request with a wrong secret key was accepted\n {4}a\/index.html\n/
const withException =
  /^! 1 a: CONFORMANT WITH 1 AGREED EXCEPTION; .*\n {4}waived, security, contract: A request/

it.each<[string, Verdict, Verdict | undefined, RegExp]>([
  ['an unreachable target in one line, not rule by rule', unreached, good, notReached],
  ['rules no longer judged, but not as worse', half, good, /^(?!.*\d worse).*; 37 no longer judged \(last/],
  ['verdict, counts, change, age, the gravest cause and the path to the page', letIn, older, newlyRed],
  ['a waived security breach', covered, undefined, withException],
])('targets show %s', (_, verdict, before, says) => {
  expect(targetsText(comparedTargets([rowWith('a', verdict, before)], now), plain)).toMatch(says)
})

it('targets are named by label, build and address, unless they are the embedded service', () => {
  const target = targetWith({ label: null, build: null, embedded: true })
  const rows = [good, verdictWith({ target })].map((verdict) => rowWith('a', verdict))

  expect(rows.map(({ subject }) => subject)).toEqual([
    'vendor, build 42, https://staging.example.com/cards',
    'the EMBEDDED REFERENCE SERVICE',
  ])
})

it.each([
  ['2026-11-20T07:59:10.000Z', '0 min'],
  ['2026-11-20T07:01:00.000Z', '59 min'],
  ['2026-11-18T08:00:01.000Z', '47 h'],
  ['2026-11-18T08:00:00.000Z', '2 days'],
  ['2026-11-20T09:00:00.000Z', '0 min'],
])('targets whose run began at %s are %s old', (startedAt, said) => {
  expect(ageOf(rowWith('a', verdictWith({ startedAt })), now)).toBe(said)
})

const targets = (count: number): readonly TargetRow[] =>
  Array.from({ length: count }, (_, index) => rowWith(`t-${index + 1}`, index < 7 ? broken : good))

it('rules across targets are listed with the first targets that fail them, or counted if they passed everywhere', () => {
  const text = targetsText(comparedTargets(targets(51), now), plain)

  expect(text).toContain('authentication/api-key-missing: 7 targets: t-1, t-2, t-3, t-4, t-5 and 2 more')
  expect(text).toContain(`${ruleIds.length - 4} rules passed at every target that was judged.`)
})

it('rules across targets are also available as JSON', () => {
  const data = JSON.parse(
    targetsJson(comparedTargets([rowWith('t-1', broken), rowWith('t-2', good), absentRow('gone')], now)),
  )
  const failed = { rule, passed: 1, targets: { failed: ['t-1'] } }

  expect(data).toMatchObject({
    format: 'card-switch-conformance/targets/1',
    worse: true,
    targets: [{ name: 't-1' }, { state: 'absent', because: 'no verdict.json in gone' }, { name: 't-2' }],
  })
  expect(data.rules).toContainEqual(expect.objectContaining(failed))
})

it('a list of targets has one line per target, with a name and any path, or one word for both', async () => {
  const text = '# all of them\n\nvendor-a reports/a of ours\r\n  vendor-b\tb\nvendor-c\n#vendor-d\n'
  const cwd = await folderWith({ list: '' })
  await writeFile(join(cwd, 'list'), `${text}d ${join(cwd, 'deep/d')}\ne ${join(cwd, '..')}\n`)

  expect(await expectedTargets('list', cwd)).toEqual([
    { name: 'vendor-a', path: 'reports/a of ours' },
    { name: 'vendor-b', path: 'b' },
    { name: 'vendor-c', path: 'vendor-c' },
    { name: 'd', path: 'deep/d' },
    { name: 'e', path: '..' },
  ])
})

it.each<[string, Readonly<Record<string, string>>, string, string]>([
  ['an empty list', { list: '# none\n' }, 'list', 'list lists no targets'],
  ['a list with NUL bytes', { list: '\0' }, 'list', 'list is a file with NUL bytes'],
  ['a missing list', {}, 'none', 'none is a file that does not exist'],
  ['a folder without reports', { 'a/b': '' }, '.', '. contains no reports folder'],
  [
    'a repeated name',
    { list: 'a x\nb y\na z\nc x' },
    'list',
    'list repeats the name a\nlist repeats the path x',
  ],
  ['a repeated path', { list: 'a x\na z\nc x' }, 'list', '\nlist repeats the path x'],
])('%s is refused', async (_, files, path, message) => {
  await expect(expectedTargets(path, await folderWith(files))).rejects.toThrow(message)
})

const of = async (paths: string, path: string, link: readonly string[] = []) => {
  const cwd = await folderWith(Object.fromEntries(paths.split(' ').map((one) => [one, ''])))
  const [from, to] = link.map((one) => join(cwd, one))
  if (from !== undefined && to !== undefined) await symlink(from, to)
  return expectedTargets(path, cwd)
}
const runs = 'all/10/verdict.json all/9/verdict.json all/9/previous/verdict.json'
const others = 'all/9/allure-results/verdict.json all/.hidden/verdict.json all/notes/readme.txt'

it('a folder of targets has one target per reports folder at any depth, ignoring the folders inside it', async () => {
  expect(await of(`${runs} ${others} all/eu/west/verdict.json`, 'all')).toEqual([
    { name: '9', path: 'all/9' },
    { name: '10', path: 'all/10' },
    { name: 'eu/west', path: 'all/eu/west' },
  ])
})

it('a folder of targets includes folders that had a verdict, does not follow links, and can itself be a reports folder', async () => {
  const were = 'all/a/history.jsonl all/b/previous/verdict.json elsewhere/verdict.json'

  expect((await of(were, 'all', ['elsewhere', 'all/c'])).map(({ name }) => name)).toEqual(['a', 'b'])
  expect(await of('verdict.json', '.')).toEqual([{ name: '.', path: '.' }])
})
