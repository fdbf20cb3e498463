import { emptyBaseline, mergeBaselines, observe, requestNameOf, type Baseline } from '../../drift/baseline.ts'
import { compareBaselines, type Drift } from '../../drift/compare-baselines.ts'
import { wholeValue } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { answeredBy } from '../../judge/answered.ts'
import { certainFlaws, hasUncertainFlaw } from '../../judge/facts.ts'
import type { ShownExchange } from '../../judge/record.ts'
import type { Facts } from '../../specification/flaws.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'

export interface CaseExchange {
  readonly request: TestRequest
  readonly exchange: Exchange
  readonly context: Context
}

/** The first answer of a kind from the cases with the fewest requests, and its case. */
interface FirstAnswer {
  readonly shown: ShownExchange
  readonly request: TestRequest
  readonly context: Context
}

/** A difference from the baseline, and the first answer that shows it. */
export interface MetDrift {
  readonly drift: Drift
  readonly first: FirstAnswer
}

/** Maximum number of answers kept for reports, in total and for differences. */
const keptExchanges = 400
const keptDepartures = 200

/** Learns the shapes of answers to requests with no flaw, or with one certain flaw and one documented code. */
export class BaselineWatch {
  readonly #known: Baseline
  #seen: Baseline = emptyBaseline
  readonly #first = new Map<string, FirstAnswer>()

  /** `known` is the baseline to compare with; answers that differ from it are kept. */
  constructor(known: Baseline | null = null) {
    this.#known = known ?? emptyBaseline
  }

  get seen(): Baseline {
    return this.#seen
  }

  /** Learns from an answer, unless it depends on a quota, which varies during the day. */
  note(
    { request, exchange: { response }, context }: CaseExchange,
    facts: Facts,
    show: () => ShownExchange,
  ): void {
    const { traits } = request
    if (hasUncertainFlaw(facts) || facts.quota === 'used-up') return
    if (traits.client === 'disposable' || traits.asksForQuota || traits.transportMayRefuse) return
    const [flaw, ...more] = certainFlaws(facts)
    // If several codes are documented, a service may answer differently tomorrow.
    if (more.length > 0 || (flaw !== undefined && flaw.codes.length > 1)) return

    const answered = answeredBy(response)
    const requestName = requestNameOf(
      traits.endpoint,
      flaw === undefined ? null : `${flaw.fact} ${facts[flaw.fact]}`,
    )
    const seen = observe(emptyBaseline, {
      requestName,
      status: answered.status,
      errorCode: answered.errorCode,
      body: response.body.kind === 'json' ? { value: wholeValue(response) } : null,
    })
    this.#seen = mergeBaselines(this.#seen, seen)
    const answer = `${requestName} ${answered.status}/${answered.errorCode ?? ''}`
    for (const key of new Set([answer, ...compareBaselines(this.#known, seen).map(keyOf)])) {
      const known = this.#first.get(key)
      const isSimpler = known !== undefined && requestsOf(context) < requestsOf(known.context)
      const most = key === answer ? keptExchanges : keptDepartures
      if (isSimpler || (known === undefined && this.#first.size < most))
        this.#first.set(key, { shown: show(), request, context })
    }
  }

  /** Forgets all answers before a case is repeated. */
  forget(): void {
    this.#seen = emptyBaseline
    this.#first.clear()
  }

  /** The breaking differences from a baseline. */
  compare(baseline: Baseline): readonly MetDrift[] {
    return compareBaselines(baseline, this.#seen).flatMap((drift) => {
      const { requestName, answer } = drift
      const first = this.#first.get(keyOf(drift)) ?? this.#first.get(`${requestName} ${answer}`)
      return first === undefined ? [] : [{ drift, first }]
    })
  }
}

/** A key that leaves out the kind of change, because a property that one answer lacks may be present in others. */
function keyOf({ requestName, answer, path }: Drift): string {
  return [requestName, answer, ...(path === null ? [] : [path])].join(' ')
}

/** The number of requests in a replay; infinite if the case cannot be replayed. */
function requestsOf({ replayable = true, requestsAlone = 1 }: Context): number {
  return replayable ? requestsAlone : Infinity
}
