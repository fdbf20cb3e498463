import type { Fault } from '../../lib/serve/reference/fault.ts'
import { faultOf, variantOf } from '../../lib/serve/reference/find.ts'
import type { Variant } from '../../lib/serve/reference/variant.ts'
import { faults } from './faults/all-faults.ts'
import { variants } from './variants/all-variants.ts'

/** The given fault, or the one with this name. Throws an Error if there is none. */
export function findFault(given: string | Fault): Fault {
  return faultOf(given, faults)
}

/** The given variant, or the one with this name. Throws an Error if there is none. */
export function findVariant(given: string | Variant): Variant {
  return variantOf(given, variants)
}
