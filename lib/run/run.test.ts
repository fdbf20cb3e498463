import { serviceRules } from '../specification/testing/rule-counts.ts'
import { createHook } from 'node:async_hooks'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { suites } from '../../suites/index.ts'
import { withEmbedded } from '../doors/judge-target.ts'
import { answers } from '../judge/judge.ts'
import { startReference, type ReferenceOptions, type ReferenceService } from '../serve/reference/service.ts'
import { verdictMistakes } from '../verdict/read-verdict.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { example, type Area } from './plan/cases.ts'
import type { Settings } from '../settings/settings.ts'
import { read, settingsOf } from '../settings/testing/read.ts'
import { entryOf, specCatalogue } from '../specification/catalogue.ts'
import { phases, ruleIds, type RuleId } from '../specification/rules.ts'
import { area, rule } from './plan/rule.ts'
import type { RunEvent } from './events.ts'
import { judge, type JudgeOptions } from './run.ts'
import { plan } from './plan/plan.ts'

/** A service, and the settings of a gate against it. */
async function reference(
  options: ReferenceOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly service: ReferenceService; readonly settings: Settings }> {
  const service = await startReference(options)
  onTestFinished(() => service.close())
  const settings = settingsOf(await read({ TARGET_BASE_URL: 'embedded', ...env }))
  return { service, settings: withEmbedded(settings, service.baseUrl) }
}

/** The result of a run, and its events. */
async function judged(
  settings: Settings,
  rules: readonly Area[] = suites,
  options: JudgeOptions = {},
): Promise<{ readonly verdict: Verdict; readonly events: readonly RunEvent[] }> {
  const events: RunEvent[] = []
  const { verdict } = await judge(settings, rules, { ...options, onEvent: (event) => events.push(event) })
  expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  return { verdict, events }
}

function statusOf({ rules }: Verdict, id: RuleId): string | undefined {
  return rules.find((one) => one.id === id)?.status
}

test('a run of a gate plans first, gives the verdict on a conformant service, and tells of each rule in the order of the phases', async () => {
  const { service, settings } = await reference()
  const planned = plan(settings, suites)
  expect(service.requests()).toBe(0)

  const { verdict, events } = await judged(settings)
  expect(verdict).toMatchObject({ verdict: 'conformant', exitCode: 0, because: [] })
  expect(verdict.rules.map(({ id }) => id)).toEqual(ruleIds)
  expect(verdict.requests.sent).toBe(service.requests())

  const all = serviceRules
  expect(events.slice(0, all + 1)).toEqual(
    Array.from({ length: all + 1 }, (_, done) => ({ kind: 'planning', done, of: all })),
  )
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

describe('a rule that throws', () => {
  const broken: readonly Area[] = [
    area('Broken', [
      rule('authentication/api-key-missing', () => [
        {
          kind: 'scenario',
          scene: null,
          provides: [],
          wants: [],
          byClient: {},
          name: 'broken',
          requests: 1,
          least: 1,
          requestsAlone: 1,
          play: () => Promise.reject(new TypeError('no such thing')),
        },
      ]),
      rule('authentication/secret-key-missing', ({ list }) => [
        example('absent', list.request.without('x-secret-key'), answers({ status: 400, errorCode: '1002' })),
      ]),
    ]),
  ]

  it('is a failure of the suite, and the others are judged', async () => {
    const { settings } = await reference()
    const { verdict } = await judged(settings, broken)

    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(verdict.because[0]).toMatch(
      /^the suite itself failed: authentication\/api-key-missing: no such thing \(at .*run\.test\.ts/,
    )
    expect(statusOf(verdict, 'authentication/secret-key-missing')).toBe('passed')
  })
})

describe('a run that is ended', () => {
  it('before it begins sends nothing', async () => {
    const { service, settings } = await reference()
    const signal = AbortSignal.abort(new Error('somebody left'))
    const { verdict } = await judged(settings, suites, { signal })

    expect(service.requests()).toBe(0)
    expect(verdict).toMatchObject({ exitCode: 3, because: ['the run ended early: somebody left'] })
    expect(new Set(verdict.rules.map(({ status }) => status))).toEqual(new Set(['inconclusive']))
  })

  it('in the middle keeps what was judged before', async () => {
    const ending = new AbortController()
    const { service, settings } = await reference({
      intervene: () => {
        if (service.requests() === 200) ending.abort(new Error('somebody left'))
        return false
      },
    })
    const { verdict } = await judged(settings, suites, { signal: ending.signal })

    expect(verdict).toMatchObject({ exitCode: 3, because: ['the run ended early: somebody left'] })
    expect(statusOf(verdict, 'conventions/accept-optional')).toBe('passed')
    expect(statusOf(verdict, 'quota/exhausted')).toBe('inconclusive')
    expect(service.requests()).toBeLessThan(220)
  })
})

describe('many runs in one process', () => {
  /** What two equal runs have in common, whichever of several answers comes first. */
  const told = ({ exitCode, rules }: Verdict): readonly [number, unknown] => [
    exitCode,
    rules.map(({ id, status, findings }) => [
      id,
      status,
      findings.map(({ fingerprint }) => fingerprint).toSorted(),
    ]),
  ]
  const faults = [[], ['missing-api-key-secret-named'], ['unknown-endpoint-page']] as const
  const few = { RUN_ONLY: 'authentication/*-missing,versioning/unknown-*' }

  it('at the same time come to what each comes to alone', async () => {
    const runs = await Promise.all(
      faults.map(async (names) => (await reference({ faults: [...names] }, few)).settings),
    )
    const alone: ReturnType<typeof told>[] = []
    for (const settings of runs) alone.push(told((await judged(settings)).verdict))
    const atOnce = await Promise.all(
      (await Promise.all(faults.map((names) => reference({ faults: [...names] }, few)))).map(
        async ({ settings }) => told((await judged(settings)).verdict),
      ),
    )

    expect(alone.map(([exitCode]) => exitCode)).toEqual([0, 1, 1])
    expect(atOnce).toEqual(alone)
  })

  it('leave no listener, no timer and no connection behind', async () => {
    const listeners = (): unknown => process.eventNames().map((name) => [name, process.listenerCount(name)])
    const { settings } = await reference({}, few)
    await judged(settings)
    const before = listeners()
    // What other tests of this thread left is none of these runs'.
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
