import { describe, expect, it } from 'vitest'
import { orRefusedByTransport } from '../judge/excuses.ts'
import { answers, sameOutcome, succeeds, type Check } from '../judge/judge.ts'
import { example, type Example, type Property } from './plan/cases.ts'
import { judgeRule } from './judge-rule.ts'
import type { TestRequest } from './plan/test-request.ts'
import {
  open,
  refusal,
  told,
  type Arrived,
  type OpenOptions,
  type Reply,
  type ToldReasons,
} from './testing/open.ts'
import { snapshotOf, type OpenRun } from './open-run.ts'

const rule = 'fuzz/api-key'
const wrong = answers({ status: 401, errorCode: '1006' })
const failure: Reply = { status: 500, body: { oops: true } }
const mayBeRefused = { check: orRefusedByTransport(wrong), transportMayRefuse: true }

interface Options {
  readonly check?: Check
  readonly transportMayRefuse?: boolean
  readonly before?: boolean
  readonly alone?: boolean
  readonly raw?: boolean
}

/** A key of this many `x`, which shrinks to every shorter one. */
function keyOf(plain: TestRequest, length: number, options: Options = {}, path = ''): Example {
  const { check = wrong, transportMayRefuse = false, before = false, alone = false, raw = false } = options
  const sent = plain.with('x-api-key', 'x'.repeat(length)).trait({ transportMayRefuse })
  const request = raw ? sent.onRawSocket() : sent
  const pair: Example['pair'] = {
    request: plain.trait({ transportMayRefuse }),
    check: (met) => (met === null ? check : { allowed: [], judge: (one) => sameOutcome(met, one) }),
  }
  return {
    ...example(`key.${length}${path}`, request, check),
    ...(before ? { requests: 2, least: 2, pair } : {}),
    again: true,
    says: `${length} characters`,
    ...(alone ? { alone } : {}),
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
  return told(await judgeRule(client, rule, all))
}

const keyLength = ({ apiKey }: Arrived): number => (/^x+$/.test(apiKey ?? '') ? (apiKey?.length ?? 0) : 0)
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

/** A pair whose breach is one of the order of checks. */
function byOrder(plain: TestRequest): Property {
  const check: Check = {
    ...wrong,
    judge: (exchange) => {
      const judgement = wrong.judge(exchange)
      if (judgement.kind !== 'violates') return judgement
      return { ...judgement, breach: { ...judgement.breach, against: 'order' } }
    },
  }
  const { pair, ...one } = keyOf(plain, 3, { before: true })
  const cases = [{ ...one, pair: { request: pair?.request ?? plain, check: () => check }, simpler: () => [] }]
  return { kind: 'generated', size: 1, requests: 2, cases: () => cases }
}

/** Fails but for the fourth time. */
function atFourth(): (one: Arrived) => Reply | null {
  let asked = 0
  return (one) => {
    if (keyLength(one) === 0) return null
    asked += 1
    return asked === 4 ? refusal(401, '1006') : failure
  }
}

/** What comes of a property, its findings by what they say of it. */
async function came(options: OpenOptions, of: (plain: TestRequest) => Property, allotted?: number) {
  const { run, plain, arrived } = await open(options)
  const left = await judged(run, of(plain), allotted)
  const { findings, blamed } = run.record.findings.of(rule)
  const seen = run.record.observations.all().find(({ id }) => id === 'seen')?.value
  return {
    ...left,
    run,
    arrived,
    findings,
    faulty: blamed.faulty,
    seen,
    answers: run.record.answers.answers(rule),
  }
}

const ofLengths = (lengths: readonly number[], options?: Options) => (plain: TestRequest) =>
  property(plain, lengths, options)
const toKeys =
  (reply: Reply, from = 1) =>
  (one: Arrived) =>
    keyLength(one) >= from ? reply : null

interface Expected {
  readonly unjudged?: readonly unknown[]
  readonly untested?: readonly string[]
  readonly findings?: readonly object[]
  readonly answers?: number
  readonly seen?: object
  /** Requests with a key of this property. */
  readonly cases?: number
}

describe('generated cases', () => {
  it.each<[string, OpenOptions, (plain: TestRequest) => Property, Expected, allotted?: number]>([
    [
      'that hold leave a count and what was observed',
      {},
      ofLengths(upTo(20)),
      { answers: 20, seen: { 7: 'answered' } },
    ],
    [
      'of another kind than the one that is simplified are findings of their own',
      { reply: (one) => toKeys(failure, 20)(one) ?? toKeys(refusal(401, '1007'), 10)(one) },
      ofLengths([25, 12]),
      {
        findings: ['20', '10'].map((length) => ({ summary: expect.stringContaining(`sent: ${length} `) })),
      },
    ],
    [
      'that do not fit into the budget are said, and the others are sent',
      {},
      ofLengths(upTo(20)),
      {
        unjudged: [`7 of 20 cases were judged: the others did not fit into the budget (RUN_MAX_REQUESTS)`],
        cases: 7,
      },
      7,
    ],
    [
      // One for the preflight, six for the cases, none for anything else.
      'go on where the budget leaves nothing for the retries of one of them',
      {
        env: { RUN_MAX_REQUESTS: '7', RUN_CONCURRENCY: '1' },
        allotment: { [rule]: 6 },
        reply: (one) => (keyLength(one) === 2 ? 'closed' : null),
      },
      ofLengths(upTo(6)),
      {
        unjudged: [expect.stringMatching(/^5 of 6 cases were judged: the budget of 7 requests was used up /)],
        cases: 6,
      },
    ],
    [
      'stop when the run is over, and say why, once',
      { reply: ({ index }) => (index >= 10 ? refusal(429, '1020') : null) },
      ofLengths(upTo(90)),
      {
        unjudged: [
          expect.stringMatching(/^\d of 90 cases were judged: the daily quota of (?!.*the daily quota of )/),
        ],
      },
    ],
    [
      'that turn out to be nobody’s fault are not judged',
      { reply: ({ index }) => (index === 0 ? null : failure) },
      ofLengths([3], { check: succeeds() }),
      {
        unjudged: [
          '0 of 1 cases were judged: a plain valid request did not succeed either (see endpoints/list-succeeds)',
        ],
      },
    ],
    [
      'that wait for an answer in vain, while others are served, are violations',
      { reply: (one) => (keyLength(one) === 3 ? 'closed' : null) },
      ofLengths([3, 4]),
      { findings: [{ summary: expect.stringMatching(/^no answer came while plain valid requests were /) }] },
    ],
    [
      'may find the connection closed where the transport may refuse them, at one request each',
      { reply: toKeys('closed') },
      ofLengths(upTo(9), mayBeRefused),
      { answers: 9, seen: { 9: 'closed' }, cases: 9 },
    ],
    [
      'are compared with the request that is sent before them',
      {},
      ofLengths([4], { before: true }),
      { findings: [{ summary: expect.stringContaining('the same request apart from ') }] },
    ],
    [
      'are judged by themselves where the connection of the one before is closed, and may be',
      { reply: (one) => (one.plain && one.index > 0 ? 'closed' : null) },
      ofLengths([4], { before: true, transportMayRefuse: true }),
      { answers: 1 },
    ],
    [
      'of the raw socket are untested where it cannot be used',
      { env: { RUN_CONCURRENCY: '2' }, rawSocketUnavailable: 'behind a proxy' },
      ofLengths(upTo(3), { raw: true }),
      { untested: ['behind a proxy'] },
    ],
    [
      'of the raw socket that are rows are passed over there, since all other conditions can be met',
      { rawSocketUnavailable: 'behind a proxy' },
      (plain) => {
        const { cases, ...all } = property(plain, upTo(3), { raw: true })
        const rows = Array.from(cases(), (one) => ({
          ...one,
          request: one.request.trait({ conditions: [] }),
        }))
        return { ...all, cases: () => rows }
      },
      { answers: 0 },
    ],
    [
      'that are wrong by the order of checks are found where they are answered so each time',
      { reply: toKeys(failure) },
      byOrder,
      { findings: [{}] },
    ],
    [
      'that are wrong by the order of checks say nothing of a service that keeps to no order',
      { reply: atFourth() },
      byOrder,
      { cases: 4 },
    ],
  ])('%s', async (_, options, of, { findings = [], unjudged = [], untested = [], ...more }, allotted) => {
    const met = await came(options, of, allotted)

    expect(met).toMatchObject({ unjudged, untested })
    expect(met.findings).toHaveLength(findings.length)
    expect(met.findings).toEqual(expect.arrayContaining(findings.map((one) => expect.objectContaining(one))))
    if (more.answers !== undefined) expect(met.answers).toBe(more.answers)
    if (more.seen !== undefined) expect(met.seen).toMatchObject(more.seen)
    if (more.cases !== undefined)
      expect(met.arrived.filter((one) => keyLength(one) > 0)).toHaveLength(more.cases)
  })

  it('are counted by their kind, and the first of a kind is made as simple as it gets', async () => {
    const { run, findings, faulty } = await came({ reply: toKeys(failure, 5) }, ofLengths([30, 2, 31, 9]))
    const [finding, ...more] = findings

    expect(more).toEqual([])
    expect(finding).toMatchObject({ count: 3, reproduced: '3 of 3' })
    expect(finding?.case).toMatch(/^fuzz\/api-key:20260101:key\.5(?::\d+)+$/)
    expect(finding?.summary).toContain('sent: 5 characters')
    expect(finding?.replay).toContain(` replay '${finding?.case}' --base-url http://127.0.0.1:`)
    // The three cases, and neither the simpler ones nor the confirmations.
    expect([faulty, snapshotOf(run).power?.answers]).toEqual([3, 5])
  })

  it('are simplified within forty requests, however many there are', async () => {
    const { findings, arrived } = await came({ reply: toKeys(failure, 900) }, ofLengths([1_000]))

    expect(findings[0]?.case).toContain('key.1000')
    expect(arrived.length).toBeLessThan(1 + 1 + 40 + 3 + 3)
  })

  it('end where the budget leaves nothing for the control that is due, for nobody would notice a lockout', async () => {
    const env = { RUN_MAX_REQUESTS: '61', RUN_CONCURRENCY: '1' }
    const { unjudged, arrived } = await came({ env, allotment: { [rule]: 60 } }, ofLengths(upTo(60)))

    expect(unjudged).toEqual([expect.stringMatching(/^\d\d of 60 cases were judged: the budget of 61 /)])
    expect(arrived.length).toBeLessThanOrEqual(51)
  })

  it('go out alone where they must, and so does what is sent before them', async () => {
    const { arrived } = await came({}, ofLengths([4, 5], { before: true, alone: true }))
    const others = (one: Arrived): readonly Arrived[] =>
      arrived.filter(({ connection, index }) => connection === one.connection && index !== one.index)

    expect(arrived.filter((one) => keyLength(one) > 0).length).toBeGreaterThanOrEqual(2)
    // The paired request is plain here; of the others, only health checks and confirmations share a connection.
    for (const one of arrived.slice(1, 5)) expect(others(one)).toEqual([])
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
