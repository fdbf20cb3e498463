import { describe, expect, it, vi } from 'vitest'
import type { Connection } from '../../http/transport.ts'
import { answers, succeeds, type Check } from '../../judge/judge.ts'
import type { RuleId } from '../../specification/rules.ts'
import { example, scenario, type Case, type Stage } from '../plan/cases.ts'
import { judgeRule } from './judge-rule.ts'
import type { TestRequest } from '../plan/test-request.ts'
import {
  open,
  refusal,
  told,
  type Arrived,
  type Opened,
  type OpenOptions,
  type Reply,
} from '../testing/open.ts'
import { NoAnswer } from '../plan/errors.ts'
import { endOf, snapshotOf } from './open-run.ts'

const rule = 'authentication/api-key-missing'
const missing = answers({ status: 400, errorCode: '1001' })
const unclear: Check = { allowed: [], judge: () => ({ kind: 'unclear', because: 'nobody knows' }) }
const versionUnknown = { status: 400, errorCode: '1010' } as const
const withoutKey = ({ apiKey }: Arrived): boolean => apiKey === undefined
const failure: Reply = { status: 500, body: { oops: true } }
/** Replies so to what has no key, each time or to the first one. */
const toNoKey = (reply: Reply) => (one: Arrived) => (withoutKey(one) ? reply : null)
const wrongWithoutKey = toNoKey(refusal(401, '1006'))
const afterFirst =
  (reply: Reply) =>
  ({ index }: Arrived) =>
    index === 0 ? null : reply

/** What comes of cases of a rule, by default with the allotment that they need. */
async function judged({ run }: Pick<Opened, 'run'>, all: readonly Case[], id: RuleId = rule) {
  run.sender.budget.reserve(id, 100)
  const left = told(await judgeRule(run, id, { kind: 'cases', cases: all }))
  const { answers: of, findings } = run.record
  return { ...left, found: findings.of(id).findings, answers: of.answers(id), sample: of.sample(id) }
}

/** The connection of a stage, which tells when it has been closed. */
function countingCloses(stage: Stage, closed: () => void): Connection {
  const connection = stage.connection()
  const close = connection.close.bind(connection)
  vi.spyOn(connection, 'close').mockImplementation(() => close().then(closed))
  return connection
}

/** Cases without an API key. */
function cases(plain: TestRequest, count: number, check = missing): readonly Case[] {
  return Array.from({ length: count }, (_, index) =>
    example(`case-${index + 1}`, plain.without('x-api-key').with('x-case', String(index + 1)), check),
  )
}

/** A scenario of these steps, each a request and what is asked of its answer. */
function playing(name: string, ...steps: readonly (readonly [TestRequest, Check])[]): Case {
  return scenario(name, steps.length, async (stage) => {
    const judgements = []
    for (const [request, check] of steps) judgements.push(await stage.judge(request, check))
    return judgements
  })
}

const allOf = [rule, 'errors/documented-pairs'] as const
const plainly = ['/api/customizations/list?debug=true', '/api/customizations/list']

it.each<[says: string, reply: OpenOptions['reply'] & {}, targets: readonly string[], isAccused: boolean]>([
  ['is one request where it holds', () => null, plainly.slice(0, 1), false],
  [
    'is judged without them where it does not hold: another rule accuses the conditions',
    ({ target }) => (target.includes('debug') ? failure : null),
    plainly,
    false,
  ],
  ['is accused without them where the flaw alone shows it', toNoKey(failure), plainly, true],
])('an example under conditions %s', async (_, reply, targets, isAccused) => {
  const opened = await open({ reply })
  const flawed = opened.plain.without('x-api-key')
  const under = example(
    'under',
    flawed.withQuery('debug=true').trait({ conditions: ['?debug=true'] }),
    missing,
  )
  await judged(opened, [{ ...under, plain: example('bare', flawed, missing) }])
  const found = allOf.map((id) => opened.run.record.findings.of(id).findings)

  const own = opened.arrived.filter(withoutKey).map(({ target }) => target)

  expect(isAccused ? new Set(own) : own).toEqual(isAccused ? new Set(targets) : targets)
  expect(found.map((all) => all.map(({ case: name }) => name))).toEqual(
    allOf.map(() => (isAccused ? [`${rule}:20260101:under`] : [])),
  )
  for (const { exchange } of found[0] ?? []) expect(exchange.request.url).not.toContain('debug')
})

interface Expected {
  readonly left?: object
  readonly found?: readonly object[]
  readonly answers?: number
  /** Requests that arrived, the first one of the run included. */
  readonly arrived?: number
}

const fits = (rest: string): object => ({
  unjudged: [`${rest} did not fit into the budget (RUN_MAX_REQUESTS)`],
})
const named = (name: string): string => `${rule}:20260101:${name}`
const noCustomer = 'FIXTURE_… is not such a client'

it.each<[says: string, options: OpenOptions, all: (plain: TestRequest) => readonly Case[], Expected]>([
  ['that hold leave a count', {}, (plain) => cases(plain, 3), { answers: 3 }],
  [
    'that are answered wrongly are one finding, confirmed once, counted after that',
    { reply: wrongWithoutKey },
    (plain) => cases(plain, 3),
    {
      found: [
        {
          case: named('case-1'),
          count: 3,
          reproduced: '3 of 3',
          summary: 'answered 401 / 1006 where 400 / 1001 is documented',
          answered: { status: 401, errorCode: '1006' },
        },
      ],
      arrived: 1 + 3 + 3,
    },
  ],
  [
    'say what else may explain a breach',
    {},
    (plain) => [example('no-customer', plain.with('x-version', '1'), missing, noCustomer)],
    { found: [{ summary: `answered 200 with JSON where 400 / 1001 is documented, or ${noCustomer}` }] },
  ],
  [
    'whose answers are unclear are not judged',
    {},
    (plain) => cases(plain, 2, unclear),
    { left: { unjudged: ['nobody knows'], untested: [] } },
  ],
  [
    'that are never answered, while others are, are violations',
    { reply: toNoKey('closed') },
    (plain) => cases(plain, 1),
    {
      found: [
        {
          answered: null,
          allowed: [{ status: 400, errorCode: '1001' }],
          reproduced: '6 of 6',
          case: named('case-1'),
          summary: expect.stringMatching(/^no answer came while plain valid requests were answered: /),
          exchange: { response: null },
          curl: expect.stringContaining('x-secret-key: $TARGET_SECRET_KEY'),
        },
      ],
    },
  ],
  [
    "that meet trouble like everything else are nobody's fault",
    { reply: afterFirst('closed') },
    (plain) => cases(plain, 3),
    { left: { unjudged: [expect.stringMatching(/^the service stopped answering plain valid requests: /)] } },
  ],
  [
    'that do not fit into the budget are not sent, and the first ones are',
    { env: { RUN_MAX_REQUESTS: '10' }, allotment: { [rule]: 2 } },
    (plain) => cases(plain, 5),
    { left: fits('3 of 5 cases'), answers: 2, arrived: 1 + 2 },
  ],
  [
    'that the budget ends in the middle are not judged',
    {
      env: { RUN_MAX_REQUESTS: '6' },
      allotment: { [rule]: 5 },
      reply: ({ index }) => (index === 2 ? 'closed' : null),
    },
    (plain) => cases(plain, 5),
    { left: { unjudged: [expect.stringContaining('the budget of 6 requests was used up')] }, answers: 4 },
  ],
  [
    'that are scenarios count every answer that they judged',
    {},
    (plain) => [
      playing(
        'two',
        [plain, succeeds()],
        [plain.without('x-api-key'), missing],
        [plain.without('x-api-key').without('accept'), missing],
      ),
    ],
    { answers: 3 },
  ],
  [
    'that find nothing to test make their rule untested, not inconclusive',
    {},
    (plain) => [
      scenario('looking', 1, async (stage) => {
        await stage.send(plain)
        throw new NoAnswer('unavailable', 'nothing was found')
      }),
      scenario('giving-up', 1, () => Promise.reject(new NoAnswer('trouble', 'cannot be told'))),
    ],
    { left: { unjudged: ['cannot be told'], untested: ['nothing was found'] } },
  ],
  [
    'with one unclear answer are not judged',
    { reply: wrongWithoutKey },
    (plain) => [playing('unclear', [plain, unclear])],
    { left: { unjudged: ['nobody knows'] } },
  ],
  [
    'with one unclear answer and a breach are a breach',
    { reply: wrongWithoutKey },
    (plain) => [playing('both', [plain, unclear], [plain.without('x-api-key'), missing])],
    { found: [{}] },
  ],
])('cases %s', async (_, options, all, { left = { unjudged: [] }, found = [], answers: of, arrived }) => {
  const opened = await open(options)
  const came = await judged(opened, all(opened.plain))

  expect(came).toMatchObject({ untested: [], ...left, found })
  expect(came.found).toHaveLength(found.length)
  if (of !== undefined) expect(came.answers).toBe(of)
  if (arrived !== undefined)
    expect([opened.arrived.length, snapshotOf(opened.run).sent]).toEqual([arrived, arrived])
})

it('the answer to the first case is kept as a sample, and a service in trouble ends the run', async () => {
  const [sound, broken] = [await open(), await open({ reply: afterFirst('closed') })]
  await judged(broken, cases(broken.plain, 3))

  expect((await judged(sound, cases(sound.plain, 3))).sample?.response?.status).toBe(400)
  expect([endOf(sound.run), endOf(broken.run)]).toEqual([null, expect.any(Error)])
})

it.each<[string, (arrived: Arrived) => Reply | null]>([
  ['is answered wrongly, too', afterFirst(failure)],
  [
    'meets trouble during the confirmation',
    ({ index }) => (index === 0 ? null : index <= 2 ? failure : 'closed'),
  ],
  [
    'is refused with a credential in the place of a code',
    ({ index, apiKey }) =>
      index === 0 ? null : { status: 400, body: { error_code: apiKey, error_message: 'not known' } },
  ],
])('an example that needs a success is retracted if a plain valid request %s', async (_, reply) => {
  const opened = await open({ reply })
  const shouted = opened.plain.named((name) => name.toUpperCase())
  const id = 'conventions/header-case-insensitive'
  const { unjudged, found } = await judged(opened, [example('upper-case', shouted, succeeds())], id)

  expect([unjudged.length, found]).toEqual([1, []])
})

describe('the budget of a rule', () => {
  it('is no limit for scenarios that can send what they need at least', async () => {
    const opened = await open({ env: { RUN_MAX_REQUESTS: '20' }, allotment: { [rule]: 3 } })
    const played: string[] = []
    const needing = (name: string, least: number, most: number): Case =>
      scenario(name, { least, most }, async (stage) => {
        played.push(name)
        return [await stage.judge(opened.plain.without('x-api-key'), missing)]
      })
    const left = await judged(opened, [needing('a', 1, 2), needing('b', 1, 9), needing('c', 2, 2)])

    expect(played).toEqual(['a', 'b'])
    expect(left).toMatchObject(fits('1 of 3 cases'))
    expect(opened.arrived).toHaveLength(3)
  })

  it('is given back as far as it is not needed, for others to confirm with', async () => {
    const opened = await open({ env: { RUN_MAX_REQUESTS: '20' }, allotment: { [rule]: 19 } })
    await judged(opened, cases(opened.plain, 1))
    const { budget } = opened.run.sender

    expect(budget.allottedTo(rule)).toBe(0)
    expect(() => budget.take('quota/exhausted', 'confirming')).not.toThrow()
  })
})

describe('a scenario', () => {
  it('that is broken is played twice more, on connections of its own each time, all closed in the end', async () => {
    const opened = await open({ reply: wrongWithoutKey })
    const { plain, arrived } = opened
    let [played, closings] = [0, 0]
    const { found } = await judged(opened, [
      scenario('sticky', 2, async (stage) => {
        played += 1
        const connection = countingCloses(stage, () => (closings += 1))
        return [
          await stage.served(plain, connection),
          await stage.judge(plain.without('x-api-key'), missing, connection),
        ]
      }),
    ])
    const own = arrived.filter(withoutKey)
    const isPrepared = ({ connection, index }: Arrived): boolean =>
      arrived.some((one) => one.plain && one.index < index && one.connection === connection)

    expect(found).toMatchObject([{ reproduced: '3 of 3', case: named('sticky') }])
    expect([played, closings, new Set(own.map(({ connection }) => connection)).size]).toEqual([3, 3, 3])
    expect(own.every(isPrepared)).toBe(true)
    expect(snapshotOf(opened.run).confirming).toBeGreaterThanOrEqual(4)
  })

  it('that comes last is played when all other cases of its rule were judged, confirmations included', async () => {
    const opened = await open({ reply: wrongWithoutKey })
    const { run, plain, arrived } = opened
    const last = scenario('last', 1, async (stage) => {
      expect(run.record.findings.of(rule).findings).toHaveLength(1)
      return [await stage.judge(plain.with('x-version', '2147483647'), answers(versionUnknown))]
    })
    const came = await judged(opened, [{ ...last, last: true }, ...cases(plain, 1)])

    expect([arrived.at(-1)?.version, came.answers]).toEqual(['2147483647', 2])
  })

  it.each<[string, Reply | null]>([
    ['does not break again', null],
    ['breaks in another way', { status: 400, body: {} }],
  ])('that %s when it is played again is labelled so', async (_, again) => {
    let met = 0
    const opened = await open({
      reply: (one) => {
        met += withoutKey(one) ? 1 : 0
        return withoutKey(one) ? (met === 1 ? refusal(401, '1006') : again) : null
      },
    })
    const { found } = await judged(opened, [playing('once', [opened.plain.without('x-api-key'), missing])])

    expect(found[0]).toMatchObject({ reproduced: '1 of 3' })
  })

  it('that meets silence in the middle is a violation, and closes its connections', async () => {
    const opened = await open({ reply: toNoKey('closed') })
    let closings = 0
    const { found } = await judged(opened, [
      scenario('silent', 1, async (stage) => {
        const connection = countingCloses(stage, () => (closings += 1))
        return [await stage.judge(opened.plain.without('x-api-key'), missing, connection)]
      }),
    ])

    expect([found[0]?.answered, closings]).toEqual([null, 1])
  })

  it('that only repeats what another rule has steadily met is left to that rule', async () => {
    const opened = await open({ reply: wrongWithoutKey })
    const { plain } = opened
    const flawed = plain.without('x-api-key')
    await judged(opened, [example('absent', flawed, missing)])
    const played = playing('absent', [plain, succeeds()], [flawed, missing])
    const { unjudged, found } = await judged(opened, [played], 'authentication/not-cached')

    expect([unjudged, found]).toEqual([[], []])
  })
})

it('a fault of the suite itself is no result, and is told once all other cases have ended', async () => {
  const bug = new TypeError('a bug of ours')
  const opened = await open()
  const broken = scenario('broken', 1, () => Promise.reject(bug))

  await expect(judged(opened, [broken, ...cases(opened.plain, 3)])).rejects.toBe(bug)
  expect(opened.run.record.answers.answers(rule)).toBe(3)
})
