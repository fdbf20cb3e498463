import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { addedPropertyVariants } from './added-properties.ts'
import { answerFieldVariants } from './answer-fields.ts'
import { conditionVariants } from './conditions-variants.ts'
import { connectionVariants } from './connections.ts'
import { credentialVariants } from './credentials-variants.ts'
import { errorMessageVariants } from './error-messages.ts'
import { framingVariants } from './framing.ts'
import { inputVariants } from './input-variants.ts'
import { issuedCredentialVariants } from './issued-credentials.ts'
import { jsonSpellingVariants } from './json-spelling.ts'
import { labelVariants } from './labels.ts'
import { limitVariants } from './limits.ts'
import { listContentVariants } from './list-content.ts'
import { methodVariants } from './methods.ts'
import { orderVariants } from './order.ts'
import { pathVariants } from './paths-variants.ts'
import { refusingGatewayVariants } from './refusing-gateways.ts'
import { requestFieldVariants } from './request-fields.ts'
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
  ...conditionVariants,
  ...addedPropertyVariants,
  ...errorMessageVariants,
  ...jsonSpellingVariants,
  ...listContentVariants,
  ...labelVariants,
  ...answerFieldVariants,
  ...framingVariants,
  ...connectionVariants,
  ...limitVariants,
]
