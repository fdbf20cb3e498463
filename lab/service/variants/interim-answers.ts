import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { afterContinue, continuedInPackets } from '../deliveries/interim.ts'

/** Unrequested interim answers, which every client must be able to read (RFC 9110, 15.2). */
export const interimAnswerVariants: readonly Variant[] = [
  interim('continue-before-answers', '100 (Continue) comes before every answer.', afterContinue(1)),
  interim(
    'continue-twice-before-answers',
    '100 (Continue) comes twice before every answer.',
    afterContinue(2),
  ),
  interim(
    'interim-answers-in-pieces',
    '100 and 103, with fields, come before every answer, in pieces that end anywhere.',
    continuedInPackets,
  ),
]

function interim(name: string, about: string, deliver: Deliverer): Variant {
  return { name, about, manner: () => ({ deliver }) }
}
