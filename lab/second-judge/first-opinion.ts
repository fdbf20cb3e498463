import type { Exchange } from '../../lib/http/exchange.ts'
import { isExempt, type KnownPlaces } from '../../lib/judge/excuses.ts'
import { allowed, factsIfKnown } from '../../lib/judge/facts.ts'
import { answersOneOf } from '../../lib/judge/judge.ts'
import { isReadInOneWay } from '../../lib/judge/readings.ts'
import { runWideChecks } from '../../lib/judge/run-wide.ts'
import type { TargetModel } from '../../lib/judge/target-model.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import type { Answer } from '../../lib/specification/answers.ts'
import type { Facts } from '../../lib/specification/flaws.ts'

/** The opinion of the suite's oracle about an exchange, regardless of the rule that sent it. */
export type FirstOpinion = 'allowed' | 'forbidden' | 'silent'

/** The documented run-wide checks. */
const documented = ['conventions/json-response', 'errors/body-shape', 'errors/documented-pairs'] as const

/**
 * The oracle's opinion. Silent if the suite only warns or observes, excuses the transport, or has several
 * readings of the request.
 */
export function firstOpinion(
  { request, traits }: TestRequest,
  exchange: Exchange,
  known: { readonly model: TargetModel; readonly places: KnownPlaces },
  allowedBy: (facts: Facts) => readonly Answer[] = allowed,
): FirstOpinion {
  // A request does not show whether the quota of a disposable client is used up.
  if (traits.client === 'disposable' || isExempt(exchange, traits, known.places)) return 'silent'
  const facts = isReadInOneWay(request) ? factsIfKnown(request, known.model) : null
  if (facts === null) return 'silent'
  const judgements = [
    answersOneOf(allowedBy(facts)).judge(exchange),
    ...documented.map((rule) => runWideChecks[rule](exchange)),
  ]
  const breaches = judgements.flatMap((one) => (one?.kind === 'violates' ? one.breach : []))
  if (breaches.some(({ implied }) => implied !== true)) return 'forbidden'
  return breaches.length === 0 ? 'allowed' : 'silent'
}
