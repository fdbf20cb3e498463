import { describe, expect, it } from 'vitest'
import { fingerprintOf, type Reproduced } from '../../judge/record.ts'
import { answers, succeeds, type Breach } from '../../judge/judge.ts'
import { exchange, refused, served } from '../../judge/testing/exchanges.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { Occurrence } from '../record/finding-recorder.ts'
import type { RunRecord } from '../record/run-record.ts'
import { Accuser } from './accuser.ts'
import { Confirm } from './confirm.ts'
import { ClientLockedOut } from '../plan/errors.ts'
import { recordOf, requestOf } from '../testing/layers.ts'
import { meets } from '../testing/meets.ts'

const rule = 'authentication/api-key-invalid'
const endpoint = 'GET /api/customizations/list'
const plain = requestOf({ plain: true })
const elsewhere = plain.to('/api/cards', 'GET /api/cards')

function breachBy(answered: Parameters<typeof exchange>[0]): Breach {
  const judged = answers({ status: 401, errorCode: '1006' }).judge(exchange(answered))
  if (judged.kind !== 'violates') throw new Error('allowed')
  return judged.breach
}

const known = breachBy(refused(401, '1007'))
const another = breachBy(refused(401, '1012'))
const letIn = breachBy(served)
const silent: Breach = { allowed: [], answered: null, difference: 'no answer: timeout', summary: 'no answer' }

interface Met extends Occurrence {
  readonly confirm: () => Promise<Reproduced>
}

interface Recorded extends RunRecord {
  readonly record: (met: Met, by?: RuleId) => Promise<unknown>
}

/** What was accused is recorded, once it was confirmed. */
function recorder(): Recorded {
  const record = recordOf()
  const { ask } = meets([])
  const lockouts = { check: () => Promise.resolve(false) }
  const accuser = new Accuser(record, new Confirm({ ask, plain, lockouts, isOff: false }))
  return {
    ...record,
    record: ({ confirm, ...found }, by) => accuser.accuse(found, { kind: 'play', play: confirm }, by),
  }
}

/** A breach met in a case, by default seen 3 times of 3. */
function met(name: string, more: Partial<Met> = {}, seen = 3, of = 3): Met {
  return {
    request: plain,
    exchange: exchange(refused(401, '1007')),
    context: { rule, case: name },
    breach: known,
    confirm: () => Promise.resolve({ seen, of }),
    ...more,
  }
}

/** A breach whose confirmation is pending. */
function pending(name: string) {
  let done: (reproduced: Reproduced) => void = () => {}
  const confirm = (): Promise<Reproduced> => new Promise((resolve) => (done = resolve))
  return { occurrence: met(name, { confirm }), confirmed: (seen: number, of: number) => done({ seen, of }) }
}

function casesOf({ findings }: RunRecord, of: RuleId = rule): readonly string[] {
  return findings.of(of).findings.map((finding) => finding.case.split(':')[2] ?? '')
}

describe('a finding', () => {
  it('is the first breach of its kind, confirmed', async () => {
    const run = recorder()
    await run.record(met('one', {}, 2, 3))

    expect(run.findings.of(rule).findings).toEqual([
      {
        fingerprint: fingerprintOf(endpoint, known),
        case: `${rule}:7:one`,
        count: 1,
        examples: [],
        summary: 'answered 401 / 1007 where 401 / 1006 is documented',
        allowed: [{ status: 401, errorCode: '1006' }],
        answered: { status: 401, errorCode: '1007' },
        reproduced: '2 of 3',
        exchange: run.answers.shown(plain, exchange(refused(401, '1007'))),
        curl: expect.stringContaining('curl '),
        replay: `npx --no -- card-switch-conformance replay '${rule}:7:one' --times 20`,
        difference: known.difference,
        sent: { endpoint, client: 'target', plain: true, flaws: expect.any(Array), requests: 1 },
      },
    ])
  })

  it('is sent again by curl as its answer was asked for, if its case is about one of several requests', async () => {
    const run = recorder()
    const asked = { ...exchange(refused(401, '1007')), request: plain.method('HEAD').request }
    await run.record(met('one', { exchange: asked }))
    await run.record(met('two', { exchange: null, breach: { ...known, difference: 'no answer' } }))

    const lines = run.findings.of(rule).findings.map(({ curl }) => curl)
    expect(lines).toEqual([expect.stringContaining(' --head '), expect.not.stringContaining(' --head ')])
  })

  it.each([
    ['each time', 3, 3, false],
    ['once, and could not be confirmed', 1, 1, true],
    ['only sometimes', 1, 3, true],
  ])('seen %s is sent again so often that it shows', async (_, seen, of, isRepeated) => {
    const run = recorder()
    await run.record(met('one', {}, seen, of))

    expect(run.findings.of(rule).findings[0]?.replay?.endsWith(' --times 20')).toBe(isRepeated)
  })

  it('is counted when it is met again, with three further cases at most, and confirmed once', async () => {
    const run = recorder()
    let confirmed = 0
    const confirm = (): Promise<Reproduced> => Promise.resolve({ seen: 3, of: (confirmed += 1) + 2 })
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six'])
      await run.record(met(name, { confirm }))

    const [finding, ...others] = run.findings.of(rule).findings
    expect(others).toEqual([])
    expect(finding).toMatchObject({ case: `${rule}:7:one`, count: 6, reproduced: '3 of 3' })
    expect(finding?.examples.map((example) => example.case)).toEqual([
      `${rule}:7:two`,
      `${rule}:7:three`,
      `${rule}:7:four`,
    ])
    expect(confirmed).toBe(1)
  })

  it.each([
    ['one with fewer requests', { requestsAlone: 200 }, {}, 3, 'two'],
    ['the first of equals', {}, {}, 3, 'one'],
    ['not one with more requests', {}, { requestsAlone: 2 }, 3, 'one'],
    // The other case may not be the one that breaks.
    ['the first where it is met only sometimes', { requestsAlone: 200 }, {}, 2, 'one'],
  ] as const)('is shown by %s', async (_, first, second, seen, shown) => {
    const run = recorder()
    await run.record(met('one', { context: { rule, case: 'one', ...first } }, seen, 3))
    await run.record(met('two', { context: { rule, case: 'two', ...second } }))

    const [finding] = run.findings.of(rule).findings
    const other = shown === 'one' ? 'two' : 'one'
    expect(finding).toMatchObject({ case: `${rule}:7:${shown}`, count: 2, reproduced: `${seen} of 3` })
    expect(finding?.replay).toContain(`:${shown}'`)
    expect(finding?.examples.map((example) => example.case)).toEqual([`${rule}:7:${other}`])
  })

  it('is shown by the request with fewer flaws, and by one of the target client', async () => {
    const run = recorder()
    const flawed = plain.trait({ client: 'second' }).without('x-api-key', 'x-version')
    const less = plain.trait({ client: 'second' }).without('x-version')
    const requests = [flawed, less, plain.without('x-version'), flawed]
    for (const [place, request] of requests.entries()) await run.record(met(`${place}`, { request }))

    expect(casesOf(run)).toEqual(['2'])
  })

  it('is counted also while the first is being confirmed', async () => {
    const run = recorder()
    const { occurrence, confirmed } = pending('one')
    const first = run.record(occurrence)
    await run.record(met('two'))
    expect(run.findings.of(rule).findings[0]).toMatchObject({ count: 2, reproduced: '1 of 1' })

    confirmed(1, 3)
    await first
    expect(run.findings.of(rule).findings[0]).toMatchObject({ count: 2, reproduced: '1 of 3' })
  })

  it('is another for another answer, endpoint, demand or rule, in the order in which they were met', async () => {
    const run = recorder()
    const demanded = succeeds().judge(exchange(refused(401, '1007')))
    if (demanded.kind !== 'violates') throw new Error('allowed')
    await run.record(met('one'))
    await run.record(met('two', { breach: another }))
    await run.record(met('three', { request: elsewhere }))
    await run.record(met('four', { breach: demanded.breach }))
    await run.record(met('five'), 'authentication/no-bypass')

    expect(casesOf(run)).toEqual(['one', 'two', 'three', 'four'])
    expect(casesOf(run, 'authentication/no-bypass')).toEqual(['five'])
    expect(casesOf(run, 'authentication/no-side-door')).toEqual([])
  })

  it('stays when confirming it fails, unless the client was locked out', async () => {
    const run = recorder()
    const failing = (thrown: Error): Partial<Met> => ({ confirm: () => Promise.reject(thrown) })

    await expect(run.record(met('one', failing(new Error('the budget was used up'))))).rejects.toThrow(
      'budget',
    )
    expect(run.findings.of(rule).findings[0]).toMatchObject({ count: 1, reproduced: '1 of 1' })
    const lockedOut = { ...failing(new ClientLockedOut('locked out')), breach: another }
    await expect(run.record(met('two', lockedOut))).rejects.toThrow('locked out')
    expect(casesOf(run)).toEqual(['one'])
  })

  it('can be retracted, also while it is being confirmed, and no other with it', async () => {
    const run = recorder()
    const { occurrence, confirmed } = pending('one')
    await run.record(met('other', { breach: another }))
    const first = run.record(occurrence)
    run.findings.drop(run.findings.idOf({ ...occurrence, rule }))
    confirmed(3, 3)
    await first

    expect(casesOf(run)).toEqual(['other'])
  })
})

describe('a breach of a scenario is explained', () => {
  const inScenario = (more: Partial<Met> = {}): Met =>
    met('scenario', { context: { rule: 'authentication/not-cached', case: 'scenario' }, ...more })

  it.each<[string, boolean, Met, RuleId, Partial<Met>]>([
    ['by the same breach that was met steadily', true, met('one'), rule, {}],
    ['by one that was tried twice', true, met('one', {}, 2, 2), rule, {}],
    ['by no other breach', false, met('one'), rule, { breach: another }],
    ['by no breach of another endpoint', false, met('one'), rule, { request: elsewhere }],
    ['by none that came and went', false, met('one', {}, 2, 3), rule, {}],
    ['by none that was not confirmed', false, met('one', {}, 1, 1), rule, {}],
    ['by no rule that runs alone', false, met('one'), 'versioning/selected-per-request', {}],
    ['by no rule of quotas', false, met('one'), 'quota/exhausted', {}],
    [
      'for no rule that runs with others',
      false,
      met('one'),
      rule,
      { context: { rule: 'authentication/no-bypass', case: 'a' } },
    ],
    ['not if somebody was let in', false, met('one', { breach: letIn }), rule, { breach: letIn }],
    ['not if no answer came', false, met('one', { breach: silent }), rule, { breach: silent }],
  ])('%s: %s', async (_, expected, before, by, scenario) => {
    const run = recorder()
    await run.record(before, by)

    expect(run.findings.isExplained(inScenario(scenario))).toBe(expected)
    expect(recorder().findings.isExplained(inScenario(scenario))).toBe(false)
  })

  it('and counts among the answers that show it', async () => {
    const run = recorder()
    await run.record(met('one'))
    run.findings.isExplained(inScenario())

    expect(run.findings.of(rule).blamed).toEqual({ faulty: 2, unanswered: 0 })
  })
})

describe('answers with a breach', () => {
  it('are counted by rule, and as judged for it', async () => {
    const run = recorder()
    const occurrence = met('one')
    await run.record(occurrence)
    await run.record(met('two'))
    await run.record(occurrence, 'authentication/no-bypass')

    expect(run.findings.of(rule).blamed).toEqual({ faulty: 2, unanswered: 0 })
    expect(run.findings.of('authentication/no-bypass').blamed).toEqual({ faulty: 1, unanswered: 0 })
    expect(run.answers.answers('authentication/no-bypass')).toBe(1)
  })

  it('are neither confirmations nor what shows an expectation to be wrong', async () => {
    const run = recorder()
    await run.record(met('again', { context: { rule, case: 'again', purpose: 'confirming' } }))
    await run.record(met('own'), 'tolerance/added-properties')

    expect(run.findings.of(rule).blamed).toEqual({ faulty: 0, unanswered: 0 })
    expect(run.findings.of('tolerance/added-properties').blamed).toEqual({ faulty: 0, unanswered: 0 })
  })

  it('are none where no answer came, which counts once for all rules that tell of it', async () => {
    const run = recorder()
    const failure = new Error('no answer')
    const occurrence = met('one', { breach: silent, exchange: null, failure })
    await run.record(occurrence)
    await run.record(met('two', { breach: silent, exchange: null, failure }))

    expect(run.findings.of(rule).blamed).toEqual({ faulty: 0, unanswered: 1 })
  })

  it('are not those of a finding that was retracted', async () => {
    const run = recorder()
    const occurrence = met('one')
    await run.record(occurrence)
    run.findings.drop(run.findings.idOf({ ...occurrence, rule }))

    expect(run.findings.of(rule).blamed).toEqual({ faulty: 0, unanswered: 0 })
  })
})

describe('what a rule was judged on', () => {
  it('is counted, the first kept as a sample', () => {
    const run = recorder()
    run.answers.countAnswer(rule, plain, exchange(refused(401, '1007')))
    run.answers.countAnswer(rule, plain, exchange(served))

    expect(run.answers.answers(rule)).toBe(2)
    expect(run.answers.sample(rule)?.response?.status).toBe(401)
    expect([run.answers.answers('quota/exhausted'), run.answers.sample('quota/exhausted')]).toEqual([0, null])
  })
})

describe('a client that was locked out', () => {
  const other = 'authentication/secret-key-invalid'

  it('loses what no plain valid request was served after, before and afterwards', async () => {
    const run = recorder()
    await run.record(met('proven'))
    await run.record(met('cut short', {}, 2, 2), other)
    run.findings.clientIs('locked-out')
    await run.record(met('later', {}, 1, 1), other)
    await run.record(met('elsewhere', { breach: another }), other)

    expect(casesOf(run)).toEqual(['proven'])
    expect(casesOf(run, other)).toEqual(['elsewhere'])
  })

  it('and is served again loses what was seen once in several tries: from then on, and before that what may have been the lockout', async () => {
    const run = recorder()
    await run.record(met('twice before', {}, 2, 3))
    await run.record(met('let in before', { breach: letIn }, 1, 3))
    run.findings.clientIs('recovered')
    await run.record(met('once', {}, 1, 3))
    await run.record(met('twice', {}, 2, 3))
    await run.record(met('each time', { breach: another }, 3, 3))

    expect(casesOf(run)).toEqual(['let in before', 'each time'])
  })

  it('keeps what is never the fault of the service', async () => {
    const run = recorder()
    await run.record(met('own', {}, 1, 1), 'tolerance/added-properties')
    run.findings.clientIs('locked-out')

    expect(run.findings.of('tolerance/added-properties').findings).toHaveLength(1)
  })
})
