import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { afterContinue, continuedInPackets } from '../deliveries/interim.ts'
import { delivering } from './variant-of.ts'

/** Unrequested interim answers, which every client must be able to read (RFC 9110, 15.2). */
export const interimAnswerVariants: readonly Variant[] = [
  delivering('continue-before-answers', '100 (Continue) comes before every answer.', afterContinue(1)),
  delivering(
    'continue-twice-before-answers',
    '100 (Continue) comes twice before every answer.',
    afterContinue(2),
  ),
  delivering(
    'interim-answers-in-pieces',
    '100 and 103, with fields, come before every answer, in pieces that end anywhere.',
    continuedInPackets,
  ),
]
