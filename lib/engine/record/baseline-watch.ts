import { emptyBaseline, mergeBaselines, observe, requestNameOf, type Baseline } from '../../drift/baseline.ts'
import { compareBaselines, type Drift } from '../../drift/compare-baselines.ts'
import { wholeValue } from '../../http/body.ts'
import { answeredBy } from '../../judge/answered.ts'
import type { ShownExchange } from '../../judge/record.ts'
import type { Exchange } from '../../http/exchange.ts'
import { certainFlaws, hasUncertainFlaw } from '../../judge/allowed.ts'
import type { Facts } from '../../judge/facts.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'

/** An exchange, and whose it is. */
export interface CaseExchange {
  readonly request: TestRequest
  readonly exchange: Exchange
  readonly context: Context
}

/** The first answer of a kind, of the cases with the fewest requests, and the case that got it. */
interface FirstAnswer {
  readonly shown: ShownExchange
  readonly request: TestRequest
  readonly context: Context
}

/** A departure from the baseline, and the first answer that shows it. */
export interface MetDrift {
  readonly drift: Drift
  readonly first: FirstAnswer
}

/** Maximum first answers kept for reports, and of them those that show a departure. */
const keptExchanges = 400
const keptDepartures = 200

/** Learns the shapes of answers to requests with no flaw, or one certain flaw with a single documented code. */
export class BaselineWatch {
  readonly #known: Baseline
  #seen: Baseline = emptyBaseline
  readonly #first = new Map<string, FirstAnswer>()

  /** With the baseline to compare with, the answer that is kept shows the departure itself. */
  constructor(known: Baseline | null = null) {
    this.#known = known ?? emptyBaseline
  }

  get seen(): Baseline {
    return this.#seen
  }

  /** Learns from an answer unless it depends on a quota, which varies with the time of day. */
  note(
    { request, exchange: { response }, context }: CaseExchange,
    facts: Facts,
    show: () => ShownExchange,
  ): void {
    const { traits } = request
    if (hasUncertainFlaw(facts) || facts.quota === 'used-up') return
    if (traits.client === 'disposable' || traits.asksForQuota || traits.transportMayRefuse) return
    const [flaw, ...more] = certainFlaws(facts)
    // With several documented codes, a service may rightly answer differently tomorrow.
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

  /** Forgets all answers: a case is sent once more. */
  forget(): void {
    this.#seen = emptyBaseline
    this.#first.clear()
  }

  /** Departures from a baseline that clients need not tolerate. */
  compare(baseline: Baseline): readonly MetDrift[] {
    return compareBaselines(baseline, this.#seen).flatMap((drift) => {
      const { requestName, answer } = drift
      const first = this.#first.get(keyOf(drift)) ?? this.#first.get(`${requestName} ${answer}`)
      return first === undefined ? [] : [{ drift, first }]
    })
  }
}

/** Without the kind: what one answer lacks is missing only sometimes in all. */
function keyOf({ requestName, answer, path }: Drift): string {
  return [requestName, answer, ...(path === null ? [] : [path])].join(' ')
}

/** Requests that the case of an answer sends when it is sent again; last, where nobody can. */
function requestsOf({ replayable = true, requestsAlone = 1 }: Context): number {
  return replayable ? requestsAlone : Infinity
}
