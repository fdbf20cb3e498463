import { createHook } from 'node:async_hooks'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { suites } from '../../suites/index.ts'
import { withEmbedded } from '../doors/judge-target.ts'
import { valueOf } from '../http/exchange.ts'
import { clients } from '../serve/reference/clients.ts'
import { startReference, type ReferenceOptions } from '../serve/reference/service.ts'
import type { Settings } from '../settings/settings.ts'
import { read, settingsOf } from '../settings/testing/read.ts'
import { entryOf, phases, ruleIds, specCatalogue } from '../specification/rules.ts'
import { serviceRules } from '../specification/testing/rule-counts.ts'
import { verdictMistakes } from '../verdict/read-verdict.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { plan, type OnEvent, type RunEvent } from './plan/plan.ts'
import { judge } from './run.ts'
import { it as scenario, played, ruled, type Played } from './testing/played.ts'
import { guesses, noKey, ruleId } from './testing/rules.ts'

/** A service, and the settings of a gate against it. */
async function reference(options: ReferenceOptions = {}, env: Readonly<Record<string, string>> = {}) {
  const service = await startReference(options)
  onTestFinished(() => service.close())
  const settings = settingsOf(await read({ TARGET_BASE_URL: 'embedded', ...env }))
  return { service, settings: withEmbedded(settings, service.baseUrl) }
}

/** The result of a run, and its events. */
async function judged(settings: Settings) {
  const events: RunEvent[] = []
  const { verdict } = await judge(settings, suites, { onEvent: (event) => events.push(event) })
  expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  return { verdict, events }
}

test('a gate run plans first, starts rules in the order of phases, and passes a conformant service', async () => {
  const { service, settings } = await reference()
  const planned = plan(settings, suites)
  expect(service.requests()).toBe(0)

  const { verdict, events } = await judged(settings)
  expect(verdict).toMatchObject({ verdict: 'conformant', exitCode: 0, because: [] })
  expect(verdict.rules.map(({ id }) => id)).toEqual(ruleIds)
  expect(verdict.requests.sent).toBe(service.requests())

  const all = serviceRules
  const planning = Array.from({ length: all + 1 }, (_, done) => ({ kind: 'planning', done, of: all }))
  expect(events.slice(0, all + 1)).toEqual(planning)
  expect(events[all + 1]).toEqual({ kind: 'planned', rules: planned, budget: 500 })

  const started = events.flatMap((event) => (event.kind === 'rule-started' ? [event.rule] : []))
  const settled = events.flatMap((event) => (event.kind === 'rule-settled' ? [event.result.id] : []))
  const sent = events.flatMap((event) => (event.kind === 'request-done' ? [event.sent] : []))

  expect(started.toSorted()).toEqual(ruleIds.toSorted())
  expect(settled.toSorted()).toEqual(ruleIds.toSorted())
  const order = started.map((id) => phases.indexOf(entryOf(specCatalogue, id).phase))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(sent.at(-1)).toBe(verdict.requests.sent)
  expect(events.filter(({ kind }) => kind === 'case-done').length).toBeGreaterThan(300)
  expect(events.at(-1)).toEqual({ kind: 'run-ended', verdict })
})

const leaving = new Error('somebody left')
const cancelled = { rules: [noKey('a b'), guesses('g h i')], ended: 'somebody left', exitCode: 3 }
const open = { status: 'inconclusive' }

scenario('a run that is cancelled before it begins sends nothing', cancelled, {
  options: { signal: AbortSignal.abort(leaving) },
  order: '',
  verdict: { rules: ruleIds.map(() => expect.objectContaining(open)) },
})

const midway = new AbortController()
scenario('a run that is cancelled midway keeps its earlier results', cancelled, {
  service: ({ name }) => {
    if (name === 'g') midway.abort(leaving)
    return null
  },
  options: { signal: midway.signal },
  order: 'plain a b g',
  verdict: ruled({ [ruleId]: { status: 'passed' }, 'authentication/secret-key-invalid': open }),
})

const { secretKey: secret } = clients.permitted
const base64 = (text: string): string => Buffer.from(text).toString('base64')

test.for<readonly [string, Error]>([
  ['a whole secret', new Error(`the queue gave up: ${secret}`)],
  ['a secret in base64', new Error(`authorization: Basic ${base64(`a:${secret}`)}`)],
  ['a secret in a platform exception', new DOMException(`of ${secret}`, 'AbortError')],
  ['most of a secret', new TypeError(secret.slice(2))],
])('the reason of an abort signal is reported without credentials: %s', async ([, reason]) => {
  for (const isEarly of [true, false]) {
    const ending = new AbortController()
    if (isEarly) ending.abort(reason)
    const events: unknown[] = []
    const onEvent: OnEvent = (event) => {
      if (event.kind === 'answered') ending.abort(reason)
      else events.push(event)
    }
    const { verdict } = await played({ rules: [noKey('a')], options: { signal: ending.signal, onEvent } })

    expect(verdict).toMatchObject({ verdict: 'incomplete' })
    const all = JSON.stringify([verdict, events])
    expect(all).toContain('TARGET_SECRET_KEY')
    for (const text of [secret, secret.slice(2), base64(`a:${secret}`)]) expect(all).not.toContain(text)
  }
})

/** A run whose listener throws this at such an event. */
function thrownBy(error: unknown, at: RunEvent['kind']): Promise<Played> {
  const onEvent: OnEvent = ({ kind }) => {
    // oxlint-disable-next-line typescript/only-throw-error -- a listener may throw anything.
    if (kind === at) throw error
  }
  return played({ rules: [noKey('a')], options: { onEvent } })
}

test.for<readonly [string, unknown]>([
  ['in its message', new Error(`no such row: ${secret}`)],
  ['in its cause', new Error('not stored', { cause: new Error(base64(secret)) })],
  ['in a property', Object.assign(new TypeError('not sent'), { options: { headers: [secret] } })],
  ['in a hidden property', Object.defineProperty(new Error('x'), 'key', { value: secret })],
  ['in an aggregated error', new AggregateError([new Error(secret)], 'all failed')],
  ['in a thrown string', `no such row: ${secret}`],
])('an error that leaves a run shows no credential %s', async ([, error]) => {
  for (const at of ['planned', 'rule-started', 'run-ended'] as const) {
    const whole = { depth: Infinity, showHidden: true, maxStringLength: Infinity }
    const told = await thrownBy(error, at).then(
      ({ verdict }) => JSON.stringify(verdict),
      (thrown: unknown) => `${String(thrown)} ${inspect(thrown, whole)}`,
    )

    expect(told.includes('the suite itself failed')).toBe(at === 'rule-started')
    for (const text of [secret, base64(secret)]) expect(told).not.toContain(text)
  }
})

test('an error without a credential leaves a run unchanged', async () => {
  const error = new RangeError('the disk is full')

  await expect(thrownBy(error, 'planned')).rejects.toBe(error)
})

test('the event for an answer contains the raw request', async () => {
  const { events } = await played({ rules: [noKey('a')] })
  const values = events.flatMap((event) => (event.kind === 'answered' ? event.request.request.fields : []))

  expect(values.map(valueOf)).toContain(secret)
})

describe('many runs in one process', () => {
  /** The parts of a verdict that do not depend on the order of answers. */
  const told = ({ exitCode, rules }: Verdict): readonly [number, unknown] => [
    exitCode,
    rules.map((one) => [one.id, one.status, one.findings.map(({ fingerprint }) => fingerprint).toSorted()]),
  ]
  const faults = [[], ['missing-api-key-secret-named'], ['unknown-endpoint-page']] as const
  const few = { RUN_ONLY: 'authentication/*-missing,versioning/unknown-*' }

  it('give the same results together as alone', async () => {
    const judgedOne = async (names: readonly string[]) => {
      const { settings } = await reference({ faults: [...names] }, few)
      return told((await judged(settings)).verdict)
    }
    const alone: ReturnType<typeof told>[] = []
    for (const names of faults) alone.push(await judgedOne(names))

    expect(alone.map(([exitCode]) => exitCode)).toEqual([0, 1, 1])
    expect(await Promise.all(faults.map(judgedOne))).toEqual(alone)
  })

  it('leave no listeners, timers or connections behind', async () => {
    const listeners = (): unknown => process.eventNames().map((name) => [name, process.listenerCount(name)])
    const { settings } = await reference({}, few)
    await judged(settings)
    const before = listeners()
    // Ignores what other tests in this thread left behind.
    const left = new Map<number, string>()
    let [runs, opened] = [true, 0]
    const hook = createHook({
      init: (id, type) => {
        if (!runs || !['Timeout', 'TCPWRAP'].includes(type)) return
        left.set(id, type)
        if (type === 'TCPWRAP') opened += 1
      },
      destroy: (id) => void left.delete(id),
    }).enable()
    for (let times = 0; times < 3; times += 1) await judged(settings)
    runs = false

    expect(listeners()).toEqual(before)
    expect(opened).toBeGreaterThan(3)
    await expect.poll(() => [...left.values()]).toEqual([])
    hook.disable()
  })
})
