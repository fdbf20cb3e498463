import { describe, expect, it, vi } from 'vitest'
import { answers, orRefusedByTransport, succeeds, type Check, sameOutcome } from '../../judge/judge.ts'
import type { GeneratedCase, Property } from '../plan/cases.ts'
import { runProperty } from './run-property.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { open, refusal, told, type Arrived, type Reply, type ToldReasons } from '../testing/open.ts'
import { snapshotOf, type OpenRun } from './open-run.ts'

vi.mock('../send/sleep.ts', () => import('../testing/at-once.ts'))

const rule = 'fuzz/api-key'
const wrong = answers({ status: 401, errorCode: '1006' })
const failure: Reply = { status: 500, body: { oops: true } }
const page = (status: number): Reply => ({ status, body: '<html>', fields: { 'content-type': 'text/html' } })
const mayBeRefused = { check: orRefusedByTransport(wrong), transportMayRefuse: true }

interface Options {
  readonly check?: Check
  readonly transportMayRefuse?: boolean
  readonly before?: boolean
  readonly alone?: boolean
  readonly raw?: boolean
}

/** A key of this many `x`, which shrinks to every shorter one. */
function keyOf(plain: TestRequest, length: number, options: Options = {}, path = ''): GeneratedCase {
  const { check = wrong, transportMayRefuse = false, before = false, alone = false, raw = false } = options
  const sent = plain.with('x-api-key', 'x'.repeat(length)).trait({ transportMayRefuse })
  const request = raw ? sent.onRawSocket() : sent
  return {
    name: `key.${length}${path}`,
    of: 'key',
    says: `${length} characters`,
    request,
    alone,
    before: before ? plain.trait({ transportMayRefuse }) : null,
    check: (met) => (met === null ? check : { allowed: [], judge: (one) => sameOutcome(met, one) }),
    observe: (observations, outcome) =>
      observations.note('seen', `${length}`, outcome === 'connection closed' ? 'closed' : 'answered'),
    simpler: function* simpler() {
      for (let shorter = 1; shorter < length; shorter += 1)
        yield keyOf(plain, shorter, options, `${path}:${shorter - 1}`)
    },
  }
}

function property(plain: TestRequest, lengths: readonly number[], options: Options = {}): Property {
  const { before = false } = options
  return {
    kind: 'generated',
    size: lengths.length,
    requests: lengths.length * (before ? 2 : 1),
    cases: () => lengths.map((length) => keyOf(plain, length, options)),
  }
}

async function judged(client: OpenRun, all: Property, allotted = 100): Promise<ToldReasons> {
  client.sender.budget.reserve(rule, allotted)
  return told(await runProperty(client, rule, all))
}

const keyLength = ({ apiKey }: Arrived): number => (/^x+$/.test(apiKey ?? '') ? (apiKey?.length ?? 0) : 0)
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('generated cases', () => {
  it('that hold leave a count, a sample and what was observed', async () => {
    const { run, plain } = await open()
    const left = await judged(run, property(plain, upTo(20)))

    expect(left).toEqual({ unjudged: [], untested: [] })
    expect([run.record.answers.answers(rule), run.record.findings.of(rule).findings]).toEqual([20, []])
    expect(run.record.observations.all().find(({ id }) => id === 'seen')?.value).toMatchObject({
      '7': 'answered',
    })
  })

  it('are counted by their kind, and the first of a kind is made as simple as it gets', async () => {
    const { run, plain } = await open({ reply: (one) => (keyLength(one) >= 5 ? failure : null) })
    await judged(run, property(plain, [30, 2, 31, 9]))
    const [finding, ...more] = run.record.findings.of(rule).findings

    expect(more).toEqual([])
    expect(finding).toMatchObject({ count: 3, reproduced: '3 of 3' })
    expect(finding?.case).toMatch(
      /^fuzz\/api-key:20260101:key\.5(?::\d+)+$|^fuzz\/api-key:20260101:key\.5:4$/,
    )
    expect(finding?.summary).toContain('sent was 5 characters')
    expect(finding?.replay).toContain(` replay '${finding?.case}' --base-url http://127.0.0.1:`)
    // The three cases, and neither the simpler ones nor the confirmations.
    expect(run.record.findings.of(rule).blamed.faulty).toBe(3)
    expect(snapshotOf(run).power?.answers).toBe(5)
  })

  it('are simplified within forty requests, however many there are', async () => {
    const { run, plain, arrived } = await open({
      reply: (one) => (keyLength(one) >= 900 ? failure : null),
    })
    await judged(run, property(plain, [1_000]))
    const [finding] = run.record.findings.of(rule).findings

    expect(finding?.case).toContain('key.1000')
    expect(arrived.length).toBeLessThan(1 + 1 + 40 + 3 + 3)
  })

  it('of another kind than the one that is simplified are findings of their own', async () => {
    const reply = (one: Arrived): Reply | null => {
      if (keyLength(one) >= 20) return failure
      return keyLength(one) >= 10 ? refusal(401, '1007') : null
    }
    const { run, plain } = await open({ reply })
    await judged(run, property(plain, [25, 12]))

    expect(
      run.record.findings.of(rule).findings.map(({ summary }) => /sent was (\d+)/.exec(summary)?.[1]),
    ).toEqual(expect.arrayContaining(['20', '10']))
  })

  it('that do not fit into the budget are said, and the same beginning of them is sent', async () => {
    const { run, plain, arrived } = await open()
    const left = await judged(run, property(plain, upTo(20)), 7)

    expect(left.unjudged).toEqual([
      '7 of 20 cases were judged: the others did not fit into the budget (RUN_MAX_REQUESTS)',
    ])
    expect(
      arrived
        .map(keyLength)
        .filter((length) => length > 0)
        .toSorted((a, b) => a - b),
    ).toEqual(upTo(7))
  })

  it('go on where the budget leaves nothing for the retries of one of them', async () => {
    // One for the preflight, six for the cases, none for anything else.
    const { run, plain, arrived } = await open({
      env: { RUN_MAX_REQUESTS: '7', RUN_CONCURRENCY: '1' },
      allotment: { [rule]: 6 },
      reply: (one) => (keyLength(one) === 2 ? 'closed' : null),
    })
    const left = await judged(run, property(plain, upTo(6)))

    expect(left.unjudged).toEqual([
      expect.stringMatching(/^5 of 6 cases were judged: the budget of 7 requests was used up /),
    ])
    expect(arrived).toHaveLength(7)
    expect(run.record.findings.of(rule).findings).toEqual([])
  })

  it('end where the budget leaves nothing for the control that is due, for nobody would notice a lockout', async () => {
    const { run, plain, arrived } = await open({
      env: { RUN_MAX_REQUESTS: '61', RUN_CONCURRENCY: '1' },
      allotment: { [rule]: 60 },
    })
    const left = await judged(run, property(plain, upTo(60)))

    expect(left.unjudged).toEqual([expect.stringMatching(/^\d\d of 60 cases were judged: the budget of 61 /)])
    expect(arrived.length).toBeLessThanOrEqual(51)
  })

  it('that turn out to be nobody’s fault are not judged', async () => {
    const { run, plain } = await open({ reply: ({ index }) => (index === 0 ? null : failure) })
    const left = await judged(run, property(plain, [3], { check: succeeds() }))

    expect(left.unjudged).toEqual([
      '0 of 1 cases were judged: a plain valid request did not succeed either (see endpoints/list-succeeds)',
    ])
    expect(run.record.findings.of(rule).findings).toEqual([])
  })

  it('stop when the run is over, and say why', async () => {
    const { run, plain, arrived } = await open({
      reply: (one) => (one.index >= 10 ? refusal(429, '1020') : null),
    })
    const left = await judged(run, property(plain, upTo(90)))

    expect(left.unjudged).toHaveLength(1)
    expect(left.unjudged[0]).toMatch(/^\d of 90 cases were judged: the daily quota of /)
    expect(left.unjudged[0]?.split('the daily quota of '), 'and say it once').toHaveLength(2)
    expect(arrived.length).toBeLessThan(60)
  })

  it('that wait for an answer in vain, while others are served, are violations', async () => {
    const { run, plain } = await open({ reply: (one) => (keyLength(one) === 3 ? 'closed' : null) })
    const left = await judged(run, property(plain, [3, 4]))

    expect(left.unjudged).toEqual([])
    expect(run.record.findings.of(rule).findings[0]?.summary).toMatch(
      /^no answer came while plain valid requests were answered/,
    )
  })

  it('may find the connection closed where the transport may refuse them, at one request each', async () => {
    const { run, plain, arrived } = await open({ reply: (one) => (keyLength(one) > 0 ? 'closed' : null) })
    const left = await judged(run, property(plain, upTo(9), mayBeRefused))

    expect(left.unjudged).toEqual([])
    expect([run.record.findings.of(rule).findings, run.record.answers.answers(rule)]).toEqual([[], 9])
    expect(arrived.filter((one) => keyLength(one) > 0)).toHaveLength(9)
    expect(run.record.observations.all().find(({ id }) => id === 'seen')?.value).toMatchObject({
      '9': 'closed',
    })
  })

  it('may find a gateway answer there every time while others are served, which few requests show', async () => {
    const { run, plain, arrived } = await open({
      reply: (one) => (keyLength(one) > 0 ? page(502) : null),
    })
    const left = await judged(run, property(plain, upTo(9), mayBeRefused))

    expect(left.unjudged).toEqual([])
    expect([run.record.findings.of(rule).findings, run.record.answers.answers(rule)]).toEqual([[], 9])
    expect(run.record.findings.of('errors/documented-pairs').findings).toEqual([])
    expect(arrived.filter((one) => keyLength(one) > 0).length).toBeLessThanOrEqual(9 + 8)
    expect(arrived.filter((one) => one.plain).length).toBeGreaterThan(1)
  })

  it('may not find a gateway answer where the transport may not refuse them', async () => {
    const { run, plain } = await open({ reply: (one) => (keyLength(one) > 0 ? page(502) : null) })
    await judged(run, property(plain, [2]))

    expect(run.record.findings.of(rule).findings.map(({ summary }) => summary)).toEqual([
      expect.stringMatching(
        /^no answer came while plain valid requests were answered: a gateway answered 502/,
      ),
    ])
  })

  it('may be refused without the error object there, but never with a 5xx', async () => {
    const { run, plain } = await open({
      reply: (one) => (keyLength(one) === 0 ? null : page(keyLength(one) > 5 ? 500 : 414)),
    })
    await judged(run, property(plain, [2, 7], mayBeRefused))

    for (const broken of [rule, 'errors/documented-pairs', 'conventions/json-response'] as const) {
      expect(run.record.findings.of(broken).findings.map(({ answered }) => answered?.status)).toEqual([500])
    }
  })

  it('are compared with the request that is sent before them', async () => {
    const { run, plain } = await open()
    await judged(run, property(plain, [4], { before: true }))

    expect(run.record.findings.of(rule).findings[0]?.summary).toMatch(/the same request apart from /)
  })

  it('go out alone where they must, and so does what is sent before them', async () => {
    const { run, plain, arrived } = await open()
    await judged(run, property(plain, [4, 5], { before: true, alone: true }))
    const cases = arrived.filter((one) => keyLength(one) > 0)
    const others = (one: Arrived): readonly Arrived[] =>
      arrived.filter(({ connection, index }) => connection === one.connection && index !== one.index)

    expect(cases.length).toBeGreaterThanOrEqual(2)
    // The paired request is plain here; of the others, only health checks and confirmations share a connection.
    for (const one of arrived.slice(1, 5)) expect(others(one)).toEqual([])
  })

  it('are judged by themselves where the connection of the one before is closed, and may be', async () => {
    const { run, plain } = await open({ reply: (one) => (one.plain && one.index > 0 ? 'closed' : null) })
    const left = await judged(run, property(plain, [4], { before: true, transportMayRefuse: true }))

    expect(left).toEqual({ unjudged: [], untested: [] })
    expect([run.record.findings.of(rule).findings, run.record.answers.answers(rule)]).toEqual([[], 1])
  })

  it('of the raw socket are untested where it cannot be used', async () => {
    const { run, plain } = await open({
      env: { RUN_CONCURRENCY: '2' },
      rawSocketUnavailable: 'behind a proxy',
    })
    const left = await judged(run, property(plain, upTo(3), { raw: true }))

    expect(left).toEqual({ unjudged: [], untested: ['behind a proxy'] })
  })

  it('of the raw socket that are rows are passed over there, since all other conditions can be met', async () => {
    const { run, plain } = await open({ rawSocketUnavailable: 'behind a proxy' })
    const { cases, ...all } = property(plain, upTo(3), { raw: true })
    const rows = Array.from(cases(), (one) => ({ ...one, request: one.request.trait({ conditions: [] }) }))
    const left = await judged(run, { ...all, cases: () => rows })

    expect(left).toEqual({ unjudged: [], untested: [] })
    expect(run.record.answers.answers(rule)).toBe(0)
  })

  it('go out side by side, never more at once than the settings say', async () => {
    const { run, plain } = await open({ env: { RUN_CONCURRENCY: '3' } })
    const all = property(plain, upTo(30))
    let [drawn, most] = [0, 0]
    await judged(run, {
      ...all,
      cases: function* cases() {
        for (const one of all.cases()) {
          drawn += 1
          most = Math.max(most, drawn - run.record.answers.answers(rule))
          yield one
        }
      },
    })

    expect(most).toBe(3)
  })
})

describe('a case that is wrong by the order of checks', () => {
  const byOrder: Check = {
    ...wrong,
    judge: (exchange) => {
      const judgement = wrong.judge(exchange)
      return judgement.kind === 'violates'
        ? { ...judgement, breach: { ...judgement.breach, against: 'order' } }
        : judgement
    },
  }
  const after = (plain: TestRequest): Property => ({
    kind: 'generated',
    size: 1,
    requests: 2,
    cases: () => [{ ...keyOf(plain, 3, { before: true }), check: () => byOrder, simpler: () => [] }],
  })

  it('is found where it is answered so each time', async () => {
    const { run, plain } = await open({
      reply: (arrived) => (keyLength(arrived) > 0 ? failure : null),
    })

    expect(await judged(run, after(plain))).toEqual({ unjudged: [], untested: [] })
    expect(run.record.findings.of(rule).findings).toHaveLength(1)
  })

  it('says nothing of a service that keeps to no order', async () => {
    let asked = 0
    const { run, plain } = await open({
      reply: (arrived) => {
        if (keyLength(arrived) === 0) return null
        asked += 1
        return asked === 4 ? refusal(401, '1006') : failure
      },
    })

    expect(await judged(run, after(plain))).toEqual({ unjudged: [], untested: [] })
    expect(run.record.findings.of(rule).findings).toEqual([])
    expect(asked).toBe(4)
  })
})
