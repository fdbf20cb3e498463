import { emptyBaseline, observe, stimulusOf, type Baseline } from '../../drift/baseline.ts'
import { compareBaselines, type Drift } from '../../drift/compare-baselines.ts'
import { wholeValue } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { answeredBy } from '../../judge/answered.ts'
import type { ShownExchange } from '../../judge/record.ts'
import { certainFlaws, hasUncertainFlaw } from '../../judge/allowed.ts'
import type { Facts } from '../../judge/facts.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** A departure from the baseline, and the first answer that shows it. */
interface MetDrift {
  readonly drift: Drift
  readonly exchange: ShownExchange | null
}

/** Maximum first answers kept for reports. */
const keptExchanges = 200

/** Learns the shapes of answers to requests with no flaw, or one certain flaw with a single documented code. */
export class BaselineWatch {
  #seen: Baseline = emptyBaseline
  readonly #first = new Map<string, ShownExchange>()

  get seen(): Baseline {
    return this.#seen
  }

  /** Learns from an answer unless it depends on a quota, which varies with the time of day. */
  note({ traits }: TestRequest, { response }: Exchange, facts: Facts, show: () => ShownExchange): void {
    if (hasUncertainFlaw(facts) || facts.quota === 'used-up') return
    if (traits.client === 'disposable' || traits.asksForQuota || traits.transportMayRefuse) return
    const [flaw, ...more] = certainFlaws(facts)
    // With several documented codes, a service may rightly answer differently tomorrow.
    if (more.length > 0 || (flaw !== undefined && flaw.codes.length > 1)) return

    const answered = answeredBy(response)
    const stimulus = stimulusOf(
      traits.endpoint,
      flaw === undefined ? null : `${flaw.fact} ${facts[flaw.fact]}`,
    )
    this.#seen = observe(this.#seen, {
      stimulus,
      status: answered.status,
      errorCode: answered.errorCode,
      body: response.body.kind === 'json' ? { value: wholeValue(response) } : null,
    })
    const key = `${stimulus} ${answered.status}/${answered.errorCode ?? ''}`
    if (!this.#first.has(key) && this.#first.size < keptExchanges) this.#first.set(key, show())
  }

  /** Departures from a baseline that clients need not tolerate. */
  compare(baseline: Baseline): readonly MetDrift[] {
    return compareBaselines(baseline, this.#seen).map((drift) => ({
      drift,
      exchange: this.#first.get(`${drift.stimulus} ${drift.answer}`) ?? null,
    }))
  }
}
