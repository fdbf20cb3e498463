import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { faultOf } from '../../../lib/serve/reference/find.ts'

/** The fault of this name that ships. */
export function shipped(name: string): Fault {
  return faultOf(name)
}
