import { setImmediate } from 'node:timers/promises'
import type { Exchange } from '../http/exchange.ts'
import { answers } from '../judge/judge.ts'
import { answeredBy, isSuccess } from '../judge/answered.ts'
import { describeAnswered } from '../judge/explain.ts'
import { isRefused } from '../judge/exhaustion.ts'
import type { Judged, Stage } from '../session/cases.ts'
import type { Session } from '../session/session.ts'
import type { Stimulus } from '../session/stimulus.ts'
import { Unjudged, Untested } from '../session/unjudged.ts'
import type { RuleId } from '../spec/rules.ts'
import type { SuiteContext } from './suite-context.ts'

/** A client whose quota is used up, or will be. */
export interface Exhaustible {
  readonly name: 'exhausted-client' | 'disposable-client'
  /** How sentences call it. */
  readonly setting: string
  readonly stimulus: Stimulus
  /** How many requests a scenario of so many sends, with those that use the quota up where this rule is the one that does it. */
  readonly requests: (rule: RuleId, own: number) => { readonly least: number; readonly most: number }
  /** Uses the quota up, once in a run; gives what was judged on the way, for the rule that did it. */
  readonly exhaust: (stage: Stage) => Promise<readonly Judged[]>
}

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
            requests: (_, own) => ({ least: own, most: own }),
            exhaust: () => Promise.resolve([]),
          },
        ]
  if (disposable === null) return usedUp

  const { maxExhaust, concurrency } = context.settings.run
  const stimulus = context.list.as('disposable', disposable).trait({ asksForQuota: true })
  const most = disposableQuota === null ? maxExhaust : disposableQuota + 1
  return [
    ...usedUp,
    {
      name: 'disposable-client',
      setting: 'the client of FIXTURE_DISPOSABLE_API_KEY',
      stimulus,
      requests: (rule, own) => ({
        least: own,
        most: rule === first && most <= maxExhaust + 1 ? own + most : own,
      }),
      exhaust: (stage) =>
        exhaustOnce(stage, { stimulus, most, maxExhaust, concurrency, quota: disposableQuota, payer: first }),
    },
  ]
}

interface Exhausting {
  readonly stimulus: Stimulus
  readonly most: number
  readonly maxExhaust: number
  readonly concurrency: number
  readonly quota: number | null
  /** The rule whose budget it is, or undefined when none is selected. */
  readonly payer: RuleId | undefined
}

/** How using the quota up went, by session: a run does it once. */
const done = new WeakMap<Session, Promise<Error | null>>()

async function exhaustOnce(stage: Stage, exhausting: Exhausting): Promise<readonly Judged[]> {
  const { quota, maxExhaust, payer } = exhausting
  if (quota !== null && quota > maxExhaust) {
    throw new Untested(
      `FIXTURE_DISPOSABLE_QUOTA is ${quota}, more than may be spent on using a quota up (RUN_MAX_EXHAUST is ${maxExhaust})`,
    )
  }
  // The rule that pays begins first, in the same turn of the event loop.
  if (stage.context.rule !== payer && !done.has(stage.session)) await setImmediate()
  const known = done.get(stage.session)
  if (known !== undefined) {
    const failure = await known
    if (failure !== null) throw failure
    return []
  }
  const judged: Judged[] = []
  const exhausted = useUp(stage, exhausting, judged).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
  done.set(stage.session, exhausted)
  const failure = await exhausted
  if (failure !== null && !(failure instanceof StillServed)) throw failure
  return judged
}

/** Sends until the first 1020: what a declared quota allows side by side, then one more, which must be refused. */
async function useUp(stage: Stage, exhausting: Exhausting, judged: Judged[]): Promise<void> {
  const { stimulus, most, concurrency, quota } = exhausting
  const affordable = stage.session.budget.allottedTo(stage.context.rule)
  if (quota !== null && most > affordable) {
    throw new Untested(
      `using up the quota of ${quota} requests (FIXTURE_DISPOSABLE_QUOTA) does not fit into the budget`,
    )
  }
  const certain = quota ?? Math.min(most, affordable)
  for (let sent = 0; sent < certain; sent += concurrency) {
    const batch = Math.min(concurrency, certain - sent)
    const exchanges = await Promise.all(Array.from({ length: batch }, () => stage.send(stimulus)))
    const odd = exchanges.find((exchange) => !isRefused(exchange) && !isServed(exchange))
    if (odd !== undefined) {
      const answer = describeAnswered(answeredBy(odd.response))
      throw new Unjudged(`the disposable client was answered ${answer} before its quota was used up`)
    }
    if (exchanges.some(isRefused)) return
  }
  if (quota === null) {
    const sentence = `the disposable client was still served after ${certain} requests, and FIXTURE_DISPOSABLE_QUOTA is not given`
    throw certain < most
      ? new Untested(`${sentence}: more did not fit into the budget`)
      : new Unjudged(sentence)
  }
  const beyond = judge(stimulus, await stage.send(stimulus))
  judged.push(beyond)
  if (isServed(beyond.exchange)) throw new StillServed()
}

/** A disposable client that is served beyond its declared quota. */
class StillServed extends Unjudged {
  constructor() {
    super('the disposable client is served beyond its declared quota')
  }
}

function judge(stimulus: Stimulus, exchange: Exchange): Judged {
  return { stimulus, exchange, judgement: answers({ status: 429, errorCode: '1020' }).judge(exchange) }
}

function isServed({ response }: Exchange): boolean {
  return isSuccess(answeredBy(response))
}
