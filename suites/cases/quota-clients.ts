import { Inconclusive, NotApplicable, notServed } from '../../lib/engine/plan/errors.ts'
import type { Stage } from '../../lib/engine/plan/cases.ts'
import type { SuiteContext } from '../../lib/engine/plan/suite-context.ts'
import type { TestRequest } from '../../lib/engine/plan/test-request.ts'
import type { Exchange } from '../../lib/http/exchange.ts'
import { answeredBy, isServed, isSuccessStatus } from '../../lib/judge/answered.ts'
import { describeAnswered } from '../../lib/judge/explain.ts'
import type { RuleId } from '../../lib/specification/rules.ts'
import { oncePerRun } from '../../lib/suite/once-per-run.ts'

/** A client whose quota is used up, or will be. */
export interface QuotaClient {
  readonly name: 'exhausted-client' | 'disposable-client'
  /** Its name in sentences. */
  readonly setting: string
  readonly request: TestRequest
  /** Its declared quota, or null. */
  readonly quota: number | null
  /** Requests of a scenario with `own` ones, including those that use the quota up if this rule pays for them. */
  readonly requests: (rule: RuleId, own: number) => { readonly least: number; readonly most: number }
  /** Sends its request; for a client whose quota is used up already, the answer may be one of before. */
  readonly ask: (stage: Stage) => Promise<Exchange>
  /** The request if `ask` takes an answer of before. */
  readonly wants: readonly TestRequest[]
  /** Uses the quota up, once in a run; gives how certain that is. */
  readonly exhaust: (stage: Stage) => Promise<Certainty>
}

/** `declared`: the declared quota was served. `likely`: settings or an earlier refusal say so; a reset may come at any time. */
export type Certainty = 'declared' | 'likely'

/** The rules that need a used-up quota, in the order of the catalogue: the first that is selected uses it up. */
const quotaRules = ['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client'] as const

/** The clients whose quota is used up or may be, the same for every rule of a run. */
export const quotaClients = oncePerRun((context): readonly QuotaClient[] => [
  ...exhaustedClient(context),
  ...disposableClient(context),
])

function exhaustedClient({ list }: SuiteContext): readonly QuotaClient[] {
  return list.of('exhausted').map((made) => {
    const request = made.trait({ asksForQuota: true })
    return {
      name: 'exhausted-client',
      setting: 'the client of FIXTURE_EXHAUSTED_API_KEY',
      request,
      quota: null,
      requests: (_, own) => ({ least: own, most: own }),
      ask: (stage) => stage.known(request),
      wants: [request],
      exhaust: () => Promise.resolve('likely'),
    }
  })
}

function disposableClient({ fixtures, list, settings, selects }: SuiteContext): readonly QuotaClient[] {
  const quota = fixtures.disposableQuota
  const { maxExhaust, concurrency } = settings.run
  const payer = quotaRules.find((rule) => selects(rule))
  const most = quota ?? maxExhaust
  let exhausting: Promise<Certainty> | null = null
  return list.of('disposable').map((made) => {
    const request = made.trait({ asksForQuota: true })
    return {
      name: 'disposable-client',
      setting: 'the client of FIXTURE_DISPOSABLE_API_KEY',
      request,
      quota,
      requests: (rule, own) => ({
        least: own,
        most: rule === payer && most <= maxExhaust ? own + most : own,
      }),
      ask: (stage) => stage.send(request),
      wants: [],
      exhaust: async (stage) => {
        if (most > maxExhaust) {
          throw new NotApplicable(
            `FIXTURE_DISPOSABLE_QUOTA is ${quota}, more than may be spent on using a quota up (RUN_MAX_EXHAUST is ${maxExhaust})`,
          )
        }
        exhausting ??= useUp(stage, { request, quota, most, concurrency })
        return exhausting
      },
    }
  })
}

interface Exhausting extends Pick<QuotaClient, 'request' | 'quota'> {
  readonly most: number
  readonly concurrency: number
}

/** Sends the declared quota, or until the first refusal, side by side. */
async function useUp(stage: Stage, { request, quota, most, concurrency }: Exhausting): Promise<Certainty> {
  const { affordable } = stage
  if (quota !== null && most > affordable) {
    throw new NotApplicable(
      `using up the quota of ${quota} requests (FIXTURE_DISPOSABLE_QUOTA) does not fit into the budget`,
    )
  }
  const limit = Math.min(most, affordable)
  for (let sent = 0; sent < limit; sent += concurrency) {
    const batch = Math.min(concurrency, limit - sent)
    const exchanges = await Promise.all(Array.from({ length: batch }, () => stage.send(request)))
    const unserved = exchanges.find((exchange) => !isServed(exchange))
    if (unserved === undefined) continue

    const answered = answeredBy(unserved.response)
    if (!isSuccessStatus(answered.status)) return 'likely'
    throw new Inconclusive(
      `the disposable client was answered ${describeAnswered(answered)} before its quota was used up`,
      notServed({ request, exchange: unserved }),
    )
  }
  if (quota !== null) return 'declared'

  const sentence = `the disposable client was still served after ${limit} requests, and FIXTURE_DISPOSABLE_QUOTA is not given`
  if (limit < most) throw new NotApplicable(`${sentence}: more did not fit into the budget`)
  throw new Inconclusive(sentence)
}
