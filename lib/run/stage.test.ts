import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime } from '../../tests/support/virtual-time.ts'
import { TransportError } from '../http/transport-error.ts'
import { answers, succeeds, succeedsWith } from '../judge/judge.ts'
import { refused, served } from '../judge/testing/exchanges.ts'
import { emptyBaseline, observe, requestNameOf } from '../drift/baseline.ts'
import type { Scene, Stage, Step } from './plan/cases.ts'
import { NoAnswer } from './plan/errors.ts'
import { SharedAnswers } from './plan/shared-requests.ts'
import type { Context, TestRequest } from './plan/test-request.ts'
import type { Outcome } from './testing/fake-connection.ts'
import { given, requestOf, through } from './testing/layers.ts'
import type { Replying } from './testing/in-memory.ts'
import { open, type Opened } from './testing/open.ts'
import { openStage } from './stage.ts'

beforeEach(fakeTime)

const context: Context = { rule: 'authentication/not-cached', case: 'a' }
const again: Context = { ...context, purpose: 'confirming' }
const missing = answers({ status: 400, errorCode: '1001' })
const to = (target: string, traits = {}): TestRequest =>
  requestOf({ endpoint: `GET ${target}`, ...traits }, { target })
const [a, b] = [to('/a'), to('/b')]
const right = refused(400, '1001')
const wrong = refused(401, '1006')

/** Serves plain valid requests, and refuses others as documented or as these say. */
const refusing =
  (others: Readonly<Record<string, Outcome>> = {}): Replying =>
  ({ target }) =>
    others[target] ?? (target.startsWith('/api/') ? served : right)

interface Playing extends Pick<Opened, 'run' | 'transport' | 'plain'> {
  readonly stage: Stage
  readonly close: () => Promise<void>
  /** The targets of what was sent, without the first request of the run. */
  readonly sent: () => readonly string[]
}

/** A stage of a run whose cases want these requests so many times. */
async function playing(
  others?: Readonly<Record<string, Outcome>>,
  {
    wanted = [],
    of = context,
    env,
  }: {
    readonly wanted?: readonly TestRequest[]
    readonly of?: Context
    readonly env?: Record<string, string>
  } = {},
): Promise<Playing> {
  const uses = new Map<string, number>()
  for (const { key } of wanted) uses.set(key, (uses.get(key) ?? 0) + 1)
  const shared = new SharedAnswers(uses)
  const opened = await open({ reply: refusing(others), shared, ...(env === undefined ? {} : { env }) })
  return {
    ...opened,
    ...openStage(opened.run, of),
    sent: () => opened.arrived.slice(1).map(({ target }) => target),
  }
}

describe('a stage', () => {
  it('provides its answers for cases that want them', async () => {
    const { stage, run, sent } = await playing({}, { wanted: [a, a] })
    const first = await given(stage.send(a))

    expect(run.shared.isOfScenario(first)).toBe(true)
    expect(await given(stage.known(a))).toBe(first)
    expect(await given(run.requests.sendOnce(a, context))).toBe(first)
    expect(sent()).toEqual(['/a'])
  })

  it('that is played again provides nothing, and takes nothing', async () => {
    const { stage, run, sent } = await playing({}, { wanted: [a, a, b, b], of: again })
    await given(run.requests.sendOnce(a, context))
    await given(stage.known(a))
    await given(stage.judgeKnown(a, missing))
    const exchange = await given(stage.send(b))

    expect(run.shared.isOfScenario(exchange)).toBe(false)
    expect(sent()).toEqual(['/a', '/a', '/a', '/b'])
  })

  it.each([
    ['holds', missing, ['/a']],
    ['does not hold', succeeds(), ['/a', '/a']],
  ])('judges the answer that another scenario got, where it %s', async (_, check, expected) => {
    const { stage, sent } = await playing({}, { wanted: [a, a] })
    await given(stage.send(a))
    const { judgement } = await given(stage.judgeKnown(a, check))

    expect([judgement.kind === 'holds', sent()]).toEqual([check === missing, expected])
  })

  it('keeps a silence: what is asked meanwhile is sent after it', async () => {
    const { stage, sent } = await playing()
    const silence = stage.silence(300)
    const after = stage.send(a)
    await vi.advanceTimersByTimeAsync(299)
    expect(sent()).toEqual([])
    await given(Promise.all([silence, after]))

    expect([sent(), stage.sentAs('target')]).toEqual([['/a'], 2])
  })

  it('judges what it sends, on the connection that it is given', async () => {
    const { stage, transport } = await playing()
    const connection = stage.connection()
    const judged = await given(stage.judge(a, missing, connection))

    expect(judged).toMatchObject({
      request: a,
      exchange: { response: { status: 400 } },
      judgement: { kind: 'holds' },
    })
    expect(transport.opened.map(({ sent }) => sent.length)).toEqual([1])
  })

  it('holds each check against tolerated changes of the answer', async () => {
    const { stage, run, plain } = await playing()
    const counting = succeedsWith((body) => (Object.keys(Object(body)).length > 2 ? 'it holds more' : null))
    await given(stage.judge(plain.trait({ plain: false }), counting))

    expect(run.record.findings.of('tolerance/added-properties').findings).toHaveLength(1)
  })

  it('attempts what the transport may reject, and hides no other failure', async () => {
    const closed = new TransportError('connection-closed', 'closed')
    const { stage } = await playing({ '/a': closed, '/b': closed })

    expect(await given(stage.attempt(to('/a', { transportMayRefuse: true })))).toBeNull()
    expect(await given(stage.attempt(to('/c')))).toMatchObject({ response: { status: 400 } })
    await expect(given(stage.attempt(b))).rejects.toThrow('no answer came')
  })

  it('records what departs from a baseline in the answers of the run so far', async () => {
    const { stage, run, plain } = await playing({}, { env: { RUN_BASELINE: '/baseline.json' } })
    await given(stage.send(plain))
    const baseline = observe(emptyBaseline, {
      requestName: requestNameOf(plain.traits.endpoint, null),
      status: 200,
      errorCode: null,
      body: { value: { customizations: [], total: 'none' } },
    })
    await stage.compareWith(baseline)

    expect(run.record.findings.of(context.rule).findings.map(({ summary }) => summary)).toEqual([
      expect.stringContaining('$.total'),
    ])
  })

  it('can send what its rule was given', async () => {
    const { stage, run } = await playing()
    run.sender.budget.reserve(context.rule, 7)

    expect(stage.affordable).toBe(7)
  })

  it('sends as many at once as the settings allow, for its case', async () => {
    const { stage, run } = await playing()
    const send = vi.spyOn(run.requests, 'send')
    await given(stage.send(a))

    expect(send).toHaveBeenCalledExactlyOnceWith(a, { ...context, atOnce: true })
  })

  it('closes the connections that it opened, and no others', async () => {
    const { stage, close, transport } = await playing()
    const connections = [stage.connection(), stage.connection()]
    await close()

    expect(transport.opened.map(({ closed }) => closed)).toEqual([true, true])
    expect([transport.opened, transport.closed]).toEqual([connections, false])
  })
})

describe('a success that a play needs', () => {
  it.each([
    ['sent', (stage: Stage, request: TestRequest) => stage.served(request)],
    ['taken from another case', (stage: Stage, request: TestRequest) => stage.servedKnown(request)],
  ])('is the exchange that came, %s', async (_, demanded) => {
    const { stage, plain } = await playing()

    expect(await given(demanded(stage, plain))).toMatchObject({
      request: plain,
      judgement: { kind: 'holds' },
    })
    const error = await through(demanded(stage, a))
    expect(error).toBeInstanceOf(NoAnswer)
    expect(error).toMatchObject({
      none: 'trouble',
      message: 'a plain valid request was answered 400 / 1001 (see endpoints/list-succeeds)',
      follows: [{ rule: 'endpoints/list-succeeds', request: a }],
    })
  })
})

describe('a scene', () => {
  const step = (request: TestRequest, more: Partial<Step> = {}): Step => ({
    request,
    check: missing,
    ...more,
  })

  it('is played once in a run, also by two rules at the same time, and each time that it is played again', async () => {
    const scene: Scene = [[step(a)], [step(b)]]
    const { stage, run, sent } = await playing()
    const other = openStage(run, { ...context, rule: 'versioning/selected-per-request' })
    const [one, same] = await given(Promise.all([stage.enact(scene), other.stage.enact(scene)]))

    expect(same).toBe(one)
    expect(sent()).toEqual(['/a', '/b'])
    expect(await given(openStage(run, again).stage.enact(scene))).not.toBe(one)
    expect(sent()).toEqual(['/a', '/b', '/a', '/b'])
  })

  it('gives what came of each step, groups one after the other', async () => {
    const scene: Scene = [[step(a), step(b)], [step(to('/c'))]]
    const { stage, sent } = await playing({ '/b': wrong })
    const played = await given(stage.enact(scene))

    expect(sent()).toEqual(['/a', '/b', '/c'])
    expect(scene.flat().map((one) => played.get(one)?.judgement.kind)).toEqual(['holds', 'violates', 'holds'])
  })

  it('sends steps with the same name on one connection, others on another or any', async () => {
    const [one, two] = [{ connection: 'one' }, { connection: 'two' }]
    const { stage, transport } = await playing()
    await given(stage.enact([[step(a, one)], [step(b, one), step(to('/c'), two), step(to('/d'))]]))

    expect(transport.opened.map(({ sent }) => sent.map(({ request }) => request.target))).toEqual([
      ['/a', '/b'],
      ['/c'],
    ])
  })

  it('falls back to the plain form of a step that is not served, on the same connection', async () => {
    const { stage, plain, transport } = await playing()
    const [refusedOne, servedOne] = [
      step(a, { fallback: plain, connection: 'one' }),
      step(plain.trait({}), { fallback: b }),
    ]
    const played = await given(stage.enact([[refusedOne], [servedOne]]))

    expect([refusedOne, servedOne].map((one) => played.get(one)?.request)).toEqual([plain, servedOne.request])
    expect(transport.opened.map(({ sent }) => sent.length)).toEqual([2])
  })
})
