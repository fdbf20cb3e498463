import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ruleIds } from '../../specification/rules.ts'
import { folderWith } from '../../text/folder.testing.ts'
import { errorVerdict, findingWith, nonconformantVerdict, found } from '../../verdict/verdict.testing.ts'
import { served } from '../../verdict/verdict.testing.ts'
import { ruleWith, rulesWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { absentRow, failing, rowWith, violated } from '../testing/verdicts.ts'
import { expectedTargets } from './expected-targets.ts'
import type { TargetRow } from './target-row.ts'
import { targetsText } from './targets-text.ts'
import { ageOf, comparedTargets, targetsJson } from './targets.ts'

const now = new Date('2026-11-20T08:00:00.000Z')
const plain = { colour: false, width: 140 }

const good = verdictWith()
const accepted = found('let in', ['secretKey nobodys'], served)
const letIn = violated(failing('authentication/secret-key-invalid', accepted))
const broken = violated(failing('authentication/api-key-missing', findingWith()))
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

const half = verdictWith({
  ...incomplete,
  because: ['the quota ran out'],
  rules: ruleIds.map((id, index) => ruleWith(id, { status: index < 37 ? 'inconclusive' : 'passed' })),
})
const waived = 'agreed (Kim, until 2027-01-31)'
const ofWaiver = { status: 'waived', because: waived, findings: [{ ...accepted, waived }] } as const
const covered = verdictWith({
  rules: rulesWith([ruleWith('authentication/secret-key-invalid', ofWaiver)]),
  waivers: nonconformantVerdict().waivers,
})
const older = verdictWith({ suite: { version: '0.0.9' } })

it.each<[string, Verdict, Verdict | undefined, RegExp]>([
  [
    'an unreachable target in one line, not rule by rule',
    unreached,
    good,
    /^! 1 a: NOT JUDGED; was conformant on 2026-11-19 02:00 UTC; 6 h old\n {4}the run ended early: nothing is listening\n {4}a\/index.html\n\n1 not judged\n1 of 1 target got worse \(exit 1\)\n$/,
  ],
  [
    'rules that are no longer judged, without counting them as worse',
    half,
    good,
    /^(?!.*\d worse).*; 37 no longer judged \(last run 2026-11-19 02:00 UTC\)/,
  ],
  [
    'verdict, counts, change, age, the gravest cause and the path to the page',
    letIn,
    older,
    /^✗ 1 a: NONCONFORMANT; \d+ passed, 1 failed; 1 newly failing \(last run 2026-11-19 02:00 UTC\); changed besides: the suite; 6 h old\n {4}security, contract: A request with a wrong secret key was accepted\n {4}a\/index.html\n/,
  ],
  [
    'a waived security breach',
    covered,
    undefined,
    /^! 1 a: CONFORMANT WITH 1 AGREED EXCEPTION; .*\n {4}waived, security, contract: A request/,
  ],
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

const many = (count: number): readonly TargetRow[] =>
  Array.from({ length: count }, (_, index) => rowWith(`t-${index + 1}`, index < 7 ? broken : good))

it('rules across targets are listed with the first targets that fail them, or counted if they passed everywhere', () => {
  const text = targetsText(comparedTargets(many(51), now), plain)

  expect(text).toContain('authentication/api-key-missing: 7 targets: t-1, t-2, t-3, t-4, t-5 and 2 more')
  expect(text).toContain(`${ruleIds.length - 4} rules passed at every target that was judged.`)
})

it('rules across targets are also available as JSON', () => {
  const data = JSON.parse(
    targetsJson(comparedTargets([rowWith('t-1', broken), rowWith('t-2', good), absentRow('gone')], now)),
  )
  const rule = { rule: 'authentication/api-key-missing', passed: 1, targets: { failed: ['t-1'] } }

  expect(data).toMatchObject({
    format: 'card-switch-conformance/targets/1',
    worse: true,
    targets: [{ name: 't-1' }, { state: 'absent', because: 'no verdict.json in gone' }, { name: 't-2' }],
  })
  expect(data.rules).toContainEqual(expect.objectContaining(rule))
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
  ['a repeated name', { list: 'a x\nb y\na z\nc x' }, 'list', 'list:3 repeats the name of line 1: a\nlist:4'],
  ['a repeated path', { list: 'a x\na z\nc x' }, 'list', '\nlist:3 repeats the path of line 1: x'],
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
