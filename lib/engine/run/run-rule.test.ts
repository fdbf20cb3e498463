import { describe, expect, it, vi } from 'vitest'
import type { Connection } from '../../http/transport.ts'
import { answers, succeeds, type Check } from '../../judge/judge.ts'
import type { RuleId } from '../../specification/rules.ts'
import { example, scenario, type Case } from '../plan/cases.ts'
import { runRule } from './run-rule.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { open, refusal, told, type Arrived, type Reply, type ToldReasons } from '../testing/open.ts'
import { Inconclusive, NotApplicable } from '../plan/errors.ts'
import { endOf, snapshotOf, type OpenRun } from './open-run.ts'

vi.mock('../send/sleep.ts', () => import('../testing/at-once.ts'))

const rule = 'authentication/api-key-missing'
const missing = answers({ status: 400, errorCode: '1001' })
const versionUnknown = { status: 400, errorCode: '1010' } as const
const withoutKey = ({ apiKey }: Arrived): boolean => apiKey === undefined
const wrongWithoutKey = (one: Arrived): Reply | null => (withoutKey(one) ? refusal(401, '1006') : null)
const failure: Reply = { status: 500, body: { oops: true } }

/** Judges cases of a rule, by default with the allotment that they need. */
async function judged(client: OpenRun, id: RuleId, all: readonly Case[]): Promise<ToldReasons> {
  client.sender.budget.reserve(id, 100)
  return told(await runRule(client, id, all))
}

/** The connection, which tells when it has been closed. */
function countingCloses(connection: Connection, closed: () => void): Connection {
  const close = connection.close.bind(connection)
  vi.spyOn(connection, 'close').mockImplementation(() => close().then(closed))
  return connection
}

/** Cases without an API key. */
function cases(plain: TestRequest, count: number): readonly Case[] {
  return Array.from({ length: count }, (_, index) =>
    example(`case-${index + 1}`, plain.without('x-api-key').with('x-case', String(index + 1)), missing),
  )
}

describe('examples under conditions', () => {
  const underConditions = (plain: TestRequest): Case => {
    const flawed = plain.without('x-api-key')
    const bare = example('bare', flawed, missing)
    const request = flawed.withQuery('debug=true').trait({ conditions: ['?debug=true'] })
    return { ...example('under', request, missing), plain: bare }
  }
  const found = (run: OpenRun): readonly unknown[] =>
    ([rule, 'errors/documented-pairs'] as const).map((id) =>
      run.record.findings.of(id).findings.map(({ case: name }) => name),
    )

  it('are one request where they hold', async () => {
    const { run, plain, arrived } = await open()
    await judged(run, rule, [underConditions(plain)])

    expect(arrived.filter(withoutKey).map(({ target }) => target)).toEqual([
      '/api/customizations/list?debug=true',
    ])
    expect(found(run)).toEqual([[], []])
  })

  it('are judged without them where they do not hold: another rule accuses the conditions', async () => {
    const { run, plain, arrived } = await open({
      reply: (one) => (one.target.includes('debug') ? failure : null),
    })
    await judged(run, rule, [underConditions(plain)])

    expect(arrived.filter(withoutKey).map(({ target }) => target)).toEqual([
      '/api/customizations/list?debug=true',
      '/api/customizations/list',
    ])
    expect(found(run)).toEqual([[], []])
  })

  it('are accused without them where the flaw alone shows it', async () => {
    const { run, plain } = await open({ reply: (one) => (withoutKey(one) ? failure : null) })
    await judged(run, rule, [underConditions(plain)])

    expect(found(run)).toEqual([[`${rule}:20260101:under`], [`${rule}:20260101:under`]])
    const [finding] = run.record.findings.of(rule).findings
    expect(finding?.exchange.request.url).not.toContain('debug')
  })
})

describe('examples', () => {
  it('that hold leave nothing but a count and a sample', async () => {
    const { run, plain } = await open()
    const left = await judged(run, rule, cases(plain, 3))

    expect(left).toEqual({ unjudged: [], untested: [] })
    expect(run.record.findings.of(rule).findings).toEqual([])
    expect(run.record.answers.answers(rule)).toBe(3)
    expect(run.record.answers.sample(rule)?.response?.status).toBe(400)
  })

  it('that are answered wrongly are findings, confirmed once, counted after that', async () => {
    const { run, plain } = await open({ reply: wrongWithoutKey })
    const left = await judged(run, rule, cases(plain, 3))

    expect(left).toEqual({ unjudged: [], untested: [] })
    expect(run.record.findings.of(rule).findings).toHaveLength(1)
    expect(run.record.findings.of(rule).findings[0]).toMatchObject({
      case: 'authentication/api-key-missing:20260101:case-1',
      count: 3,
      reproduced: '3 of 3',
      summary: 'answered 401 / 1006 where 400 / 1001 is documented',
      answered: { status: 401, errorCode: '1006' },
    })
    expect(snapshotOf(run).sent).toBe(1 + 3 + 3)
  })

  it('say what else may explain a breach', async () => {
    const { run, context } = await open({ faults: [], reply: () => null })
    const one = example(
      'no-customer',
      context.list.request.with('x-version', '1'),
      missing,
      'FIXTURE_… is not such a client',
    )
    await judged(run, rule, [one])

    expect(run.record.findings.of(rule).findings[0]?.summary).toBe(
      'answered 200 with JSON where 400 / 1001 is documented, or FIXTURE_… is not such a client',
    )
  })

  it('whose answer is unclear are not judged', async () => {
    const unclear: Check = { allowed: [], judge: () => ({ kind: 'unclear', because: 'nobody knows' }) }
    const { run, plain } = await open()
    const left = await judged(run, rule, [
      example('a', plain.without('x-api-key'), unclear),
      example('b', plain.without('x-api-key'), unclear),
    ])

    expect(left).toEqual({ unjudged: ['nobody knows'], untested: [] })
    expect(run.record.findings.of(rule).findings).toEqual([])
  })

  it('that are never answered, while others are, are violations', async () => {
    const { run, plain } = await open({ reply: (one) => (withoutKey(one) ? 'closed' : null) })
    const left = await judged(run, rule, [example('absent', plain.without('x-api-key'), missing)])

    expect(left).toEqual({ unjudged: [], untested: [] })
    const [finding, ...others] = run.record.findings.of(rule).findings
    expect(others).toEqual([])
    expect(finding).toMatchObject({
      answered: null,
      allowed: [{ status: 400, errorCode: '1001' }],
      reproduced: '6 of 6',
      case: 'authentication/api-key-missing:20260101:absent',
    })
    expect(finding?.summary).toMatch(/^no answer came while plain valid requests were answered: /)
    expect(finding?.exchange.response).toBeNull()
    expect(finding?.curl).toContain('x-secret-key: $TARGET_SECRET_KEY')
  })

  it("that meet trouble like everything else are nobody's fault", async () => {
    const { run, plain } = await open({ reply: ({ index }) => (index === 0 ? null : 'closed') })
    const left = await judged(run, rule, cases(plain, 3))

    expect(left.unjudged).toHaveLength(1)
    expect(left.unjudged[0]).toMatch(/^the service stopped answering plain valid requests: /)
    expect(run.record.findings.of(rule).findings).toEqual([])
    expect(endOf(run)).not.toBeNull()
  })
})

describe('an example that needs a success', () => {
  /** A case that differs from the plain request in nothing that matters. */
  const shouted = (plain: TestRequest): Case =>
    example(
      'upper-case',
      plain.named((name) => name.toUpperCase()),
      succeeds(),
    )
  const other: RuleId = 'conventions/header-case-insensitive'

  it.each<[string, (arrived: Arrived) => Reply | null]>([
    ['is answered wrongly, too', ({ index }) => (index === 0 ? null : failure)],
    [
      'meets trouble during the confirmation',
      ({ index }) => (index === 0 ? null : index <= 2 ? failure : 'closed'),
    ],
    [
      'is refused with a credential in the place of a code',
      ({ index, apiKey }) =>
        index === 0 ? null : { status: 400, body: { error_code: apiKey, error_message: 'not known' } },
    ],
  ])('is retracted if a plain valid request %s', async (_, reply) => {
    const { run, plain } = await open({ reply })
    const left = await judged(run, other, [shouted(plain)])

    expect(left.unjudged).toHaveLength(1)
    expect(run.record.findings.of(other).findings).toEqual([])
  })
})

describe('cases that do not fit into the budget', () => {
  it('are not sent, the first ones are, and the rest is told', async () => {
    const { run, plain, arrived } = await open({
      env: { RUN_MAX_REQUESTS: '10' },
      allotment: { [rule]: 2 },
    })
    const left = await judged(run, rule, cases(plain, 5))

    expect(left).toEqual({
      unjudged: ['3 of 5 cases did not fit into the budget (RUN_MAX_REQUESTS)'],
      untested: [],
    })
    expect(arrived).toHaveLength(3)
    expect(run.record.answers.answers(rule)).toBe(2)
  })

  it('are scenarios that cannot send what they need at least', async () => {
    const { run, plain, arrived } = await open({
      env: { RUN_MAX_REQUESTS: '20' },
      allotment: { [rule]: 3 },
    })
    const played: string[] = []
    const playing = (name: string, least: number, most: number): Case =>
      scenario(name, { least, most }, async (stage) => {
        played.push(name)
        return [await stage.judge(plain.without('x-api-key'), missing)]
      })
    const left = await judged(run, rule, [playing('a', 1, 2), playing('b', 1, 9), playing('c', 2, 2)])

    expect(played).toEqual(['a', 'b'])
    expect(left.unjudged).toEqual(['1 of 3 cases did not fit into the budget (RUN_MAX_REQUESTS)'])
    expect(arrived).toHaveLength(3)
  })

  it('give back what the rule did not need, for others to confirm with', async () => {
    const { run, plain } = await open({ env: { RUN_MAX_REQUESTS: '20' }, allotment: { [rule]: 19 } })
    await judged(run, rule, cases(plain, 1))

    expect(run.sender.budget.allottedTo(rule)).toBe(0)
    expect(() => run.sender.budget.take('quota/exhausted', 'confirming')).not.toThrow()
  })

  it('that the budget ends in the middle are not judged', async () => {
    const { run, plain } = await open({
      env: { RUN_MAX_REQUESTS: '6' },
      allotment: { [rule]: 5 },
      reply: ({ index }) => (index === 2 ? 'closed' : null),
    })
    const left = await judged(run, rule, cases(plain, 5))

    expect(left.unjudged).toEqual([expect.stringContaining('the budget of 6 requests was used up')])
    expect(run.record.answers.answers(rule)).toBe(4)
    expect(run.record.findings.of(rule).findings).toEqual([])
  })
})

describe('a scenario', () => {
  it('that holds counts every answer that it judged', async () => {
    const { run, plain } = await open()
    await judged(run, rule, [
      scenario('two', 3, async (stage) => [
        await stage.served(plain),
        await stage.judge(plain.without('x-api-key'), missing),
        await stage.judge(plain.without('x-api-key').without('accept'), missing),
      ]),
    ])

    expect(run.record.answers.answers(rule)).toBe(3)
    expect(run.record.findings.of(rule).findings).toEqual([])
  })

  it('that is broken is played twice more, on connections of its own each time, all closed in the end', async () => {
    const { run, plain, arrived } = await open({ reply: wrongWithoutKey })
    let played = 0
    let closings = 0
    await judged(run, rule, [
      scenario('sticky', 2, async (stage) => {
        played += 1
        const connection = countingCloses(stage.connection(), () => (closings += 1))
        return [
          await stage.served(plain, connection),
          await stage.judge(plain.without('x-api-key'), missing, connection),
        ]
      }),
    ])

    expect(run.record.findings.of(rule).findings[0]).toMatchObject({
      reproduced: '3 of 3',
      case: expect.stringMatching(/:sticky$/),
    })
    expect(played).toBe(3)
    expect(closings).toBe(3)
    const own = arrived.filter(withoutKey)
    expect(new Set(own.map(({ connection }) => connection)).size).toBe(3)
    for (const { connection, index } of own) {
      expect(arrived.some((one) => one.plain && one.index < index && one.connection === connection)).toBe(
        true,
      )
    }
    expect(snapshotOf(run).confirming).toBeGreaterThanOrEqual(4)
  })

  it('that comes last is played when all other cases of its rule were judged, confirmations included', async () => {
    const { run, plain, arrived } = await open({ reply: wrongWithoutKey })
    const last = scenario('last', 1, async (stage) => {
      expect(run.record.findings.of(rule).findings).toHaveLength(1)
      return [await stage.judge(plain.with('x-version', '2147483647'), answers(versionUnknown))]
    })
    await judged(run, rule, [{ ...last, last: true }, ...cases(plain, 1)])

    expect(arrived.at(-1)?.version).toBe('2147483647')
    expect(run.record.answers.answers(rule)).toBe(2)
  })

  it.each<[string, Reply | null]>([
    ['does not break again', null],
    ['breaks in another way', { status: 400, body: {} }],
  ])('that %s when it is played again is labelled so', async (_, again) => {
    let met = 0
    const { run, plain } = await open({
      reply: (one) => {
        if (!withoutKey(one)) return null
        met += 1
        return met === 1 ? refusal(401, '1006') : again
      },
    })
    await judged(run, rule, [
      scenario('once', 1, async (stage) => [await stage.judge(plain.without('x-api-key'), missing)]),
    ])

    expect(run.record.findings.of(rule).findings[0]).toMatchObject({ reproduced: '1 of 3' })
  })

  it('that finds nothing to test makes its rule untested, not inconclusive', async () => {
    const { run, plain } = await open()
    const left = await judged(run, rule, [
      scenario('looking', 1, async (stage) => {
        await stage.send(plain)
        throw new NotApplicable('nothing was found')
      }),
      scenario('giving-up', 1, () => Promise.reject(new Inconclusive('cannot be told'))),
    ])

    expect(left).toEqual({ unjudged: ['cannot be told'], untested: ['nothing was found'] })
  })

  it('of which one answer is unclear is not judged, unless another is a breach', async () => {
    const { run, plain } = await open({ reply: wrongWithoutKey })
    const unclear: Check = { allowed: [], judge: () => ({ kind: 'unclear', because: 'not exhausted today' }) }
    const left = await judged(run, rule, [
      scenario('unclear', 1, async (stage) => [await stage.judge(plain, unclear)]),
    ])
    expect(left.unjudged).toEqual(['not exhausted today'])

    const both = await judged(run, rule, [
      scenario('both', 2, async (stage) => [
        await stage.judge(plain, unclear),
        await stage.judge(plain.without('x-api-key'), missing),
      ]),
    ])
    expect(both.unjudged).toEqual([])
    expect(run.record.findings.of(rule).findings).toHaveLength(1)
  })

  it('that meets silence in the middle is a violation, and closes its connections', async () => {
    const { run, plain } = await open({ reply: (one) => (withoutKey(one) ? 'closed' : null) })
    let closings = 0
    await judged(run, rule, [
      scenario('silent', 1, async (stage) => {
        const connection = countingCloses(stage.connection(), () => (closings += 1))
        return [await stage.judge(plain.without('x-api-key'), missing, connection)]
      }),
    ])

    expect(run.record.findings.of(rule).findings[0]).toMatchObject({ answered: null })
    expect(closings).toBe(1)
  })

  it('that only repeats what another rule has steadily met is left to that rule', async () => {
    const { run, plain } = await open({ reply: wrongWithoutKey })
    await judged(run, rule, [example('absent', plain.without('x-api-key'), missing)])
    const left = await judged(run, 'authentication/not-cached', [
      scenario('absent', 2, async (stage) => [
        await stage.served(plain),
        await stage.judge(plain.without('x-api-key'), missing),
      ]),
    ])

    expect(left.unjudged).toEqual([])
    expect(run.record.findings.of('authentication/not-cached').findings).toEqual([])
  })
})

describe('a fault of the suite itself', () => {
  it('is not taken for a result, and is told once all other cases have ended', async () => {
    const bug = new TypeError('a bug of ours')
    const { run, plain } = await open()
    const broken = scenario('broken', 1, () => Promise.reject(bug))

    await expect(judged(run, rule, [broken, ...cases(plain, 3)])).rejects.toBe(bug)
    expect(run.record.answers.answers(rule)).toBe(3)
  })
})
