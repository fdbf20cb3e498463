import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { addedPropertyVariants } from './added-properties.ts'
import { answerFieldVariants } from './answer-fields.ts'
import { askedCodingVariants } from './asked-codings.ts'
import { conditionVariants } from './conditions-variants.ts'
import { connectionVariants } from './connections.ts'
import { credentialVariants } from './credentials-variants.ts'
import { errorMessageVariants } from './error-messages.ts'
import { framingVariants } from './framing.ts'
import { idleConnectionVariants } from './idle-connections.ts'
import { inputVariants } from './input-variants.ts'
import { interimAnswerVariants } from './interim-answers.ts'
import { issuedCredentialVariants } from './issued-credentials.ts'
import { jsonSpellingVariants } from './json-spelling.ts'
import { keptAnswerVariants } from './kept-answers.ts'
import { labelVariants } from './labels.ts'
import { limitVariants } from './limits.ts'
import { listContentVariants } from './list-content.ts'
import { longHeadVariants } from './long-heads.ts'
import { messageVariants } from './messages-variants.ts'
import { methodVariants } from './methods.ts'
import { orderVariants } from './order.ts'
import { pathVariants } from './paths-variants.ts'
import { refusingGatewayVariants } from './refusing-gateways.ts'
import { repeatedVariants } from './repeated.ts'
import { requestFieldVariants } from './request-fields.ts'
import { serverHabitVariants } from './server-habits.ts'
import { versionVariants } from './versions-variants.ts'

/** Every variant, by area: decisions, reading, writing, transport. */
export const variants: readonly Variant[] = [
  ...orderVariants,
  ...credentialVariants,
  ...issuedCredentialVariants,
  ...versionVariants,
  ...inputVariants,
  ...pathVariants,
  ...methodVariants,
  ...requestFieldVariants,
  ...refusingGatewayVariants,
  ...serverHabitVariants,
  ...conditionVariants,
  ...addedPropertyVariants,
  ...errorMessageVariants,
  ...jsonSpellingVariants,
  ...listContentVariants,
  ...labelVariants,
  ...repeatedVariants,
  ...answerFieldVariants,
  ...keptAnswerVariants,
  ...longHeadVariants,
  ...askedCodingVariants,
  ...framingVariants,
  ...interimAnswerVariants,
  ...connectionVariants,
  ...messageVariants,
  ...idleConnectionVariants,
  ...limitVariants,
]
