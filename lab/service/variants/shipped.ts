import { variantOf } from '../../../lib/serve/reference/find.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** The shipped variant with this name. */
export function shipped(name: string): Variant {
  return variantOf(name)
}
