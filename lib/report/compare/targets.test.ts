import { describe, expect, it } from 'vitest'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { historyLine } from '../../verdict/history-line.ts'
import { found, served } from '../../explain/testing/causes.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { ruleIds } from '../../specification/rules.ts'
import { rowOf, type TargetRow } from './target-row.ts'
import { comparedTargets, targetsJson, targetsOutcome } from './targets.ts'
import { age, targetsMarkdown, targetsText } from './targets-sections.ts'

const now = new Date('2026-11-20T08:00:00.000Z')
const plain = { colour: false, width: 140 }

/** A row of a verdict, and of the run before. */
function rowWith(name: string, verdict: Verdict, before?: Verdict): TargetRow {
  const last = before === undefined ? null : historyLine({ ...before, startedAt: '2026-11-19T02:00:00.000Z' })
  return rowOf(verdict, { target: { name, path: name, report: 'index.html' }, last })
}

function absent(name: string): TargetRow {
  const none = { startedAt: null, last: null, report: null } as const
  return { name, path: name, ...none, kind: 'absent', because: `no verdict.json in ${name}`, worse: true }
}

function failing(id: (typeof ruleIds)[number], changes: Parameters<typeof findingWith>[0] = {}): Verdict {
  const rules = rulesWith([ruleWith(id, { status: 'failed', findings: [findingWith(changes)] })])
  return verdictWith({ verdict: 'nonconformant', exitCode: 1, because: [`${id} is violated`], rules })
}

const letIn = failing(
  'authentication/secret-key-invalid',
  found('let in', { flaws: ['secretKey nobodys'] }, served),
)
const broken = failing('authentication/api-key-missing')
const unreached = verdictWith({
  verdict: 'incomplete',
  exitCode: 3,
  because: ['the run ended early: nothing is listening'],
  rules: ruleIds.map((id) => ruleWith(id, { status: 'inconclusive', answers: 0, sample: null })),
})

function ordered(...rows: readonly TargetRow[]): readonly string[] {
  return comparedTargets(rows, now).rows.map(({ name }) => name)
}

describe('targets', () => {
  it('are ordered by verdict, gravest cause, what got worse, and name', () => {
    const rows = [
      rowWith('green-10', verdictWith()),
      rowWith('green-9', verdictWith()),
      rowWith(
        'warned',
        verdictWith({
          rules: rulesWith([
            ruleWith('conventions/json-content-type', { status: 'warned', findings: [findingWith()] }),
          ]),
        }),
      ),
      rowWith('unreached', unreached),
      rowWith('error', errorVerdict()),
      absent('absent'),
      rowWith('still-red', broken, broken),
      rowWith('newly-red', broken, verdictWith()),
      rowWith('let-in', letIn, letIn),
    ]

    expect(ordered(...rows)).toEqual([
      'let-in',
      'newly-red',
      'still-red',
      'absent',
      'error',
      'unreached',
      'warned',
      'green-9',
      'green-10',
    ])
  })

  it.each<[string, TargetRow, boolean, string]>([
    ['that stays red', rowWith('a', broken, broken), false, 'none of 1 target got worse (exit 0)'],
    ['that is red in its first run', rowWith('a', broken), false, 'none of 1 target got worse (exit 0)'],
    ['that was mended', rowWith('a', verdictWith(), broken), false, 'none of 1 target got worse (exit 0)'],
    ['that broke', rowWith('a', broken, verdictWith()), true, '1 of 1 target got worse (exit 1)'],
    ['that is absent', absent('a'), true, '1 of 1 target has no verdict (exit 1)'],
    [
      'whose run failed',
      rowWith('a', errorVerdict(), verdictWith()),
      true,
      '1 of 1 target has no verdict (exit 1)',
    ],
    [
      'that is not reached any more',
      rowWith('a', unreached, broken),
      true,
      '1 of 1 target got worse (exit 1)',
    ],
    [
      'that was not reached before either',
      rowWith('a', unreached, unreached),
      false,
      'none of 1 target got worse (exit 0)',
    ],
  ])('%s', (_, row, worse, sentence) => {
    const comparison = comparedTargets([row], now)

    expect([comparison.worse, targetsOutcome(comparison)]).toEqual([worse, sentence])
  })

  it('that is not reached is told in one line, and not rule by rule', () => {
    const text = targetsText(comparedTargets([rowWith('a', unreached, verdictWith())], now), plain)

    expect(text).toBe(
      [
        '! 1 a: NOT JUDGED; was conformant on 2026-11-19 02:00 UTC; 6 h old',
        '    the run ended early: nothing is listening',
        '    a/index.html',
        '',
        '1 not judged',
        '1 of 1 target got worse (exit 1)',
        '',
      ].join('\n'),
    )
  })

  it('that ended before all was judged has rules that are not judged any more', () => {
    const rules = ruleIds.map((id, index) => ruleWith(id, { status: index < 37 ? 'inconclusive' : 'passed' }))
    const half = verdictWith({ verdict: 'incomplete', exitCode: 3, because: ['the quota ran out'], rules })

    const text = targetsText(comparedTargets([rowWith('a', half, verdictWith())], now), plain)

    expect(text).toContain('37 not judged any more (last run 2026-11-19 02:00 UTC)')
    expect(text).not.toMatch(/\d+ worse/)
  })

  it('have a line with verdict, counts, change and age, the gravest cause, and the way to the page', () => {
    const { suite } = verdictWith({ suite: { version: '0.0.9' } })
    const text = targetsText(comparedTargets([rowWith('a', letIn, verdictWith({ suite }))], now), plain)

    expect(text).toMatch(
      /^✗ 1 a: NONCONFORMANT; \d+ passed, 1 failed; 1 newly failing \(last run 2026-11-19 02:00 UTC\); changed besides: the suite; 6 h old\n {4}security, contract: A request with a wrong secret key was let in\n {4}a\/index.html\n/,
    )
  })

  it('name a breach of security that is waived', () => {
    const waived = 'agreed (Kim, until 2027-01-31)'
    const [rule] = letIn.rules.filter(({ status }) => status === 'failed')
    const findings = (rule?.findings ?? []).map((finding) => ({ ...finding, waived }))
    const verdict = verdictWith({
      rules: rulesWith([
        ruleWith('authentication/secret-key-invalid', { status: 'waived', because: waived, findings }),
      ]),
      waivers: nonconformantVerdict().waivers,
    })

    const row = rowWith('a', verdict)

    expect(row).toMatchObject({
      word: 'conformant with 1 agreed exception',
      tone: 'warned',
      cause: { kind: 'waived', severity: 'security' },
    })
  })

  it('are called by label, build and address', () => {
    const target = targetWith({ label: null, build: null, embedded: true })

    expect(rowWith('a', verdictWith())).toMatchObject({
      subject: 'vendor, build 42, https://staging.example.com/cards',
    })
    expect(rowWith('a', verdictWith({ target }))).toMatchObject({ subject: 'the EMBEDDED REFERENCE SERVICE' })
  })

  it.each([
    ['2026-11-20T07:59:10.000Z', '0 min'],
    ['2026-11-20T07:01:00.000Z', '59 min'],
    ['2026-11-18T08:00:01.000Z', '47 h'],
    ['2026-11-18T08:00:00.000Z', '2 days'],
    ['2026-11-20T09:00:00.000Z', '0 min'],
  ])('that began at %s are %s old', (startedAt, said) => {
    expect(age(startedAt, now)).toBe(said)
  })
})

describe('rules across targets', () => {
  const many = (count: number): readonly TargetRow[] =>
    Array.from({ length: count }, (_, index) => rowWith(`t-${index + 1}`, index < 7 ? broken : verdictWith()))

  it('are a matrix of signs for up to fifty', () => {
    const text = targetsText(comparedTargets(many(50), now), { colour: false, width: 400 })

    expect(text).toMatch(/^ {2}rule +1 +2 +3 .* 50$/m)
    expect(text).toMatch(/^ {2}authentication\/api-key-missing +(?:✗ +){7}(?:· +){42}·$/m)
    expect(text).toContain(`${ruleIds.length - 4} rules passed at every target that was judged.`)
  })

  it('are counted and named beyond', () => {
    const text = targetsText(comparedTargets(many(51), now), plain)
    const markdown = targetsMarkdown(comparedTargets(many(51), now))

    expect(text).toContain('authentication/api-key-missing: 7 targets: t-1, t-2, t-3, t-4, t-5 and 2 more')
    expect(markdown).toContain(
      '- `authentication/api-key-missing`: 7 targets: t-1, t-2, t-3, t-4, t-5 and 2 more',
    )
    expect(text).not.toContain('Rule by target')
  })

  it('are data for programs', () => {
    const data = JSON.parse(targetsJson(comparedTargets([...many(8), absent('gone')], now)))

    expect(data).toMatchObject({ format: 'card-switch-conformance/targets/1', worse: true })
    expect(data.targets).toHaveLength(9)
    expect(data.targets[7]).toMatchObject({
      name: 'gone',
      state: 'absent',
      because: 'no verdict.json in gone',
    })
    expect(
      data.rules.find(({ rule }: { rule: string }) => rule === 'authentication/api-key-missing'),
    ).toMatchObject({
      passed: 1,
      targets: { failed: ['t-1', 't-2', 't-3', 't-4', 't-5', 't-6', 't-7'] },
    })
  })
})
