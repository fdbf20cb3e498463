import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ruleIds } from '../../specification/rules.ts'
import { folderWith } from '../../text/folder.testing.ts'
import { errorVerdict, findingWith, found, nonconformantVerdict } from '../../verdict/verdict.testing.ts'
import { ruleWith, rulesWith, sentWith, served, targetWith } from '../../verdict/verdict.testing.ts'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { absentRow, alike, failing, rowWith, violated } from '../testing/verdicts.ts'
import { wordsOf } from '../testing/words.ts'
import { comparisonPage, targetsPage } from './compare-page.ts'
import { comparisonText, targetsText } from './compare-text.ts'
import { compared, comparisonJson, sideOf, type Comparison, type Side } from './comparison.ts'
import { comparedTargets, expectedTargets, targetsJson, type TargetRow } from './targets.ts'

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

const textOf = (comparison: Comparison): string => comparisonText(comparison, { colour: false, width: 140 })

const ofNothing = good.rules.map((one) => ({ ...one, status: 'untested' as const }))
const otherCase = violated(failing(rule, findingWith({ case: `${rule}:7:other` })))
const sent = sentWith({ conditions: ['accept-language: de'] })
const conditional = violated(failing(rule, alike('3f2a9c', { sent })))
const rules = rulesWith([failing('quota/exhausted', findingWith())])
const many = Array.from({ length: 1_000 }, (_, at) => findingWith({ fingerprint: `${at}`.padStart(16, '0') }))

const nightly = { profile: 'nightly' } as const
const otherNight = { ...nightly, seed: 7 }
const chosen = { strict: true, fuzzCases: 5, selection: { only: ['a', 'b'], essential: true } }
const later = { startedAt: '2027-01-01T00:00:00.000Z', requests: { ...good.requests, budget: 7 } }
const elsewise = { target: targetWith({ version: '2', endpoints: [] }), ...chosen, ...later }

const called = (label: string | null, build: string | null): Verdict =>
  verdictWith({ target: { ...otherTarget, label, build } })

/** Runs of every kind, each with the run that it is compared with, and others. */
const comparisons: Readonly<Record<string, readonly [Partial<Verdict>, before?: Verdict, ...Verdict[]]>> = {
  'the same': [{}],
  'another seed': [{ seed: 7 }],
  'another suite': [{ suite: { version: '2.0.0' } }],
  'another target': [{ target: otherTarget }],
  'another version, selection and budget, and other endpoints and cases': [elsewise],
  'another night': [otherNight, { ...good, ...nightly }],
  'another target, profile and seed': [{ target: otherTarget, ...otherNight }],
  'no rules': [{ rules: [] }],
  'some rules': [{ selection: { only: ['endpoints/*'] } }],
  'nothing judged': [{ rules: ofNothing }],
  'another case and seed of a finding': [{ ...otherCase, seed: 7 }, broken],
  'after a mistake': [{}, errorVerdict()],
  'another rule fails': [{ rules }, broken],
  'conditions that were not sent this time': [{ seed: 7 }, conditional],
  'conditions that were sent again': [{}, conditional],
  'many findings': [{ rules: rulesWith([failing(rule, ...many)]) }],
  'every status before': [{}, red],
  'two labels': [called('B', null), called('A', null)],
  'two builds': [called('A', '42'), called('A', '41')],
  'the same label and build': [called('A', '42'), called('A', '42')],
  'no label': [called(null, null), called('A', '42')],
  'fixed in one': [{}, broken, broken],
  'worse in one': [{}, good, broken],
  'worse in both': [broken, good, broken],
}

it('the comparison of runs of every kind has the reviewed text', async () => {
  const all = Object.entries(comparisons).map(([kind, [changes, before = good, ...more]]) => {
    return [kind, comparisonOf(before, { ...good, ...changes }, ...more)] as const
  })
  const texts = all.map(([kind, one]) => `=== ${kind}\n${textOf(one)}`)
  const pages = all.map(([kind, one]) => `=== ${kind}\n${wordsOf(comparisonPage(one)).trim()}\n`)

  await expect(texts.join('')).toMatchFileSnapshot('../../../tests/golden/forms/comparison.txt')
  await expect(pages.join('')).toMatchFileSnapshot('../../../tests/golden/forms/comparison-page.txt')
})

const even = (comparison: Comparison): string => comparisonPage(comparison).replaceAll(/\s*\n\s*/g, '')

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

// Runs of few rules, whose JSON is short. It has every rule in any run, in catalogue order.
const few = { ...broken, rules: [failing(rule, findingWith())] }
const ofTwo = (['quota/exhausted', rule] as const).map((id) => ruleWith(id))
const passed = { ...good, rules: ofTwo, observations, seed: 7 }
const inOne = { ...few, rules: [failing(rule, findingWith()), ruleWith('quota/exhausted')] }
const three = [rowWith('t-1', few), rowWith('t-2', passed), absentRow('gone')]

it('comparisons as JSON have the reviewed text', async () => {
  const both = [comparisonOf(few, passed), comparisonOf(passed, inOne)]
  const texts = [...both.map(comparisonJson), targetsJson(comparedTargets(three, now))]

  await expect(texts.join('\n')).toMatchFileSnapshot('../../../tests/golden/forms/comparison-json.txt')
})

const accepted = found('let in', ['secretKey nobodys'], served)
const letIn = violated(failing('authentication/secret-key-invalid', accepted))
const incomplete = { verdict: 'incomplete', exitCode: 3 } as const
const unreached = verdictWith({
  ...incomplete,
  because: ['the run ended early: nothing is listening'],
  rules: ruleIds.map((id) => ruleWith(id, { status: 'inconclusive', answers: 0, sample: null })),
})
const warning = ruleWith('conventions/json-content-type', { status: 'warned', findings: [findingWith()] })

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

const embedded = verdictWith({ target: targetWith({ label: null, build: null, embedded: true }) })

it('targets of every kind have the reviewed text, the worst first', async () => {
  const comparison = comparedTargets(
    [
      rowWith('green-10', good),
      rowWith('green-9', good),
      rowWith('warned', verdictWith({ rules: rulesWith([warning]) })),
      rowWith('unreached', unreached, good),
      rowWith('half judged', half, good),
      rowWith('error', errorVerdict()),
      rowWith('with an exception', covered),
      rowWith('embedded', embedded),
      absentRow('absent'),
      rowWith('let-in', letIn, older),
      ...['still-red', 'red-2', 'red-3', 'red-4', 'red-5'].map((name) => rowWith(name, broken, broken)),
      rowWith('newly-red', broken, good),
    ],
    now,
  )
  const page = wordsOf(targetsPage(comparison)).trim()

  await expect(targetsText(comparison, plain)).toMatchFileSnapshot('../../../tests/golden/forms/targets.txt')
  await expect(`${page}\n`).toMatchFileSnapshot('../../../tests/golden/forms/targets-page.txt')
})

it.each([
  ['2026-11-20T07:59:10.000Z', '0 min'],
  ['2026-11-20T07:01:00.000Z', '59 min'],
  ['2026-11-18T08:00:01.000Z', '47 h'],
  ['2026-11-18T08:00:00.000Z', '2 days'],
  ['2026-11-20T09:00:00.000Z', '0 min'],
])('targets whose run began at %s are %s old', (startedAt, said) => {
  const { rows } = comparedTargets([rowWith('a', verdictWith({ startedAt }))], now)
  expect(rows[0]?.age).toBe(said)
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

const samePath = '\nlist repeats the path x'

it.each<[string, Readonly<Record<string, string>>, string, string]>([
  ['an empty list', { list: '# none\n' }, 'list', 'list lists no targets'],
  ['a list with NUL bytes', { list: '\0' }, 'list', 'list is a file with NUL bytes'],
  ['a missing list', {}, 'none', 'none is a file that does not exist'],
  ['a folder without reports', { 'a/b': '' }, '.', '. contains no reports folder'],
  ['a repeated name', { list: 'a x\nb y\na z\nc x' }, 'list', `list repeats the name a${samePath}`],
  ['a repeated path', { list: 'a x\na z\nc x' }, 'list', samePath],
])('%s is refused', async (_, files, path, message) => {
  await expect(expectedTargets(path, await folderWith(files))).rejects.toThrow(message)
})

const of = async (paths: string, path: string, link: readonly string[] = []) => {
  const cwd = await folderWith(Object.fromEntries(paths.split(' ').map((one) => [one, ''])))
  const [from, to] = link.map((one) => join(cwd, one))
  if (from !== undefined && to !== undefined) await symlink(from, to)
  return expectedTargets(path, cwd)
}
const runs = 'all/10/verdict.json all/9/verdict.json all/9/previous/verdict.json all/eu/west/verdict.json'
const others = 'all/9/allure-results/verdict.json all/.hidden/verdict.json all/notes/readme.txt'

const were = 'all/a/history.jsonl all/b/previous/verdict.json elsewhere/verdict.json'

it.each<[string, string, string, link: readonly string[], ...names: readonly string[]]>([
  ['has one target per reports folder at any depth', `${runs} ${others}`, 'all', [], '9', '10', 'eu/west'],
  ['includes folders that had a verdict, and follows no link', were, 'all', ['elsewhere', 'all/c'], 'a', 'b'],
  ['can itself be a reports folder', 'verdict.json', '.', [], '.'],
])('a folder of targets %s', async (_, paths, folder, link, ...names) => {
  expect(await of(paths, folder, link)).toEqual(names.map((name) => ({ name, path: join(folder, name) })))
})
