import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { variantOf } from '../../../lib/serve/reference/find.ts'

/** The variant of this name that ships. */
export function shipped(name: string): Variant {
  return variantOf(name)
}
