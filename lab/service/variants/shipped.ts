import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { variantOf } from '../../../lib/serve/reference/find.ts'

/** The shipped variant with this name. */
export function shipped(name: string): Variant {
  return variantOf(name)
}
