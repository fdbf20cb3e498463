import type { Fault } from '../../lib/serve/reference/fault.ts'
import { faultOf, variantOf } from '../../lib/serve/reference/find.ts'
import type { Variant } from '../../lib/serve/reference/variant.ts'
import { faults } from './faults/all-faults.ts'
import { variants } from './variants/all-variants.ts'

/** A fault, or the one of this name among all. Throws an Error where there is none. */
export function findFault(given: string | Fault): Fault {
  return faultOf(given, faults)
}

/** A variant, or the one of this name among all. Throws an Error where there is none. */
export function findVariant(given: string | Variant): Variant {
  return variantOf(given, variants)
}
