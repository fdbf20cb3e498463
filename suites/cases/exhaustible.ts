import { setImmediate } from 'node:timers/promises'
import { answeredBy, isServed, isSuccessStatus } from '../../lib/judge/answered.ts'
import { describeAnswered } from '../../lib/judge/explain.ts'
import type { Stage } from '../../lib/engine/cases.ts'
import type { TestClient } from '../../lib/engine/client.ts'
import type { TestRequest } from '../../lib/engine/test-request.ts'
import { Inconclusive, NotApplicable } from '../../lib/engine/inconclusive.ts'
import type { RuleId } from '../../lib/spec/rules.ts'
import type { SuiteContext } from '../../lib/engine/suite-context.ts'

/** A client whose quota is used up, or will be. */
export interface Exhaustible {
  readonly name: 'exhausted-client' | 'disposable-client'
  /** How sentences call it. */
  readonly setting: string
  readonly stimulus: TestRequest
  /** How large its quota is, where that is declared. */
  readonly quota: number | null
  /** How many requests a scenario of so many sends, with those that use the quota up where this rule is the one that does it. */
  readonly requests: (rule: RuleId, own: number) => { readonly least: number; readonly most: number }
  /** Uses the quota up, once in a run, and tells how sure it is that it is used up. */
  readonly exhaust: (stage: Stage) => Promise<Certainty>
}

/**
 * `declared`: as many requests were served as the quota is declared to allow, so that every further one must be refused; `likely`:
 * the settings say so, or it was refused already, and a reset may come at any time.
 */
export type Certainty = 'declared' | 'likely'

/** The rules that need a used-up quota, in the order in which they run. */
const quotaRules = ['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client'] as const

/** The clients of the settings whose quota is used up or may be. */
export function exhaustible(context: SuiteContext): readonly Exhaustible[] {
  const { exhausted, disposable, disposableQuota } = context.fixtures
  const first = quotaRules.find((rule) => context.selects(rule))
  const usedUp: readonly Exhaustible[] =
    exhausted === null
      ? []
      : [
          {
            name: 'exhausted-client',
            setting: 'the client of FIXTURE_EXHAUSTED_API_KEY',
            stimulus: context.list.as('exhausted', exhausted).trait({ asksForQuota: true }),
            quota: null,
            requests: (_, own) => ({ least: own, most: own }),
            exhaust: () => Promise.resolve('likely'),
          },
        ]
  if (disposable === null) return usedUp

  const { maxExhaust, concurrency } = context.settings.run
  const stimulus = context.list.as('disposable', disposable).trait({ asksForQuota: true })
  const most = disposableQuota ?? maxExhaust
  return [
    ...usedUp,
    {
      name: 'disposable-client',
      setting: 'the client of FIXTURE_DISPOSABLE_API_KEY',
      stimulus,
      quota: disposableQuota,
      requests: (rule, own) => ({
        least: own,
        most: rule === first && most <= maxExhaust ? own + most : own,
      }),
      exhaust: (stage) =>
        exhaustOnce(stage, { stimulus, most, maxExhaust, concurrency, quota: disposableQuota, payer: first }),
    },
  ]
}

interface Exhausting {
  readonly stimulus: TestRequest
  readonly most: number
  readonly maxExhaust: number
  readonly concurrency: number
  readonly quota: number | null
  /** The rule whose budget it is, or undefined when none is selected. */
  readonly payer: RuleId | undefined
}

/** How using the quota up went, by session: a run does it once. */
const done = new WeakMap<TestClient, Promise<Certainty | Error>>()

async function exhaustOnce(stage: Stage, exhausting: Exhausting): Promise<Certainty> {
  const { quota, maxExhaust, payer } = exhausting
  if (quota !== null && quota > maxExhaust) {
    throw new NotApplicable(
      `FIXTURE_DISPOSABLE_QUOTA is ${quota}, more than may be spent on using a quota up (RUN_MAX_EXHAUST is ${maxExhaust})`,
    )
  }
  // The rule that pays begins first, in the same turn of the event loop.
  if (stage.context.rule !== payer && !done.has(stage.session)) await setImmediate()

  const exhausted =
    done.get(stage.session) ??
    useUp(stage, exhausting).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    )
  done.set(stage.session, exhausted)
  const outcome = await exhausted
  if (outcome instanceof Error) throw outcome
  return outcome
}

/** Sends what a declared quota allows, or until the first refusal, side by side. */
async function useUp(stage: Stage, { stimulus, most, concurrency, quota }: Exhausting): Promise<Certainty> {
  const affordable = stage.session.budget.allottedTo(stage.context.rule)
  if (quota !== null && most > affordable) {
    throw new NotApplicable(
      `using up the quota of ${quota} requests (FIXTURE_DISPOSABLE_QUOTA) does not fit into the budget`,
    )
  }
  const limit = Math.min(most, affordable)
  for (let sent = 0; sent < limit; sent += concurrency) {
    const batch = Math.min(concurrency, limit - sent)
    const exchanges = await Promise.all(Array.from({ length: batch }, () => stage.send(stimulus)))
    const unserved = exchanges.find((exchange) => !isServed(exchange))
    if (unserved === undefined) continue

    const answered = answeredBy(unserved.response)
    if (!isSuccessStatus(answered.status)) return 'likely'
    throw new Inconclusive(
      `the disposable client was answered ${describeAnswered(answered)} before its quota was used up`,
    )
  }
  if (quota !== null) return 'declared'

  const sentence = `the disposable client was still served after ${limit} requests, and FIXTURE_DISPOSABLE_QUOTA is not given`
  throw limit < most
    ? new NotApplicable(`${sentence}: more did not fit into the budget`)
    : new Inconclusive(sentence)
}
