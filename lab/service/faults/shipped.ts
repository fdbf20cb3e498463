import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { faultOf } from '../../../lib/serve/reference/find.ts'

/** The shipped fault with this name. */
export function shipped(name: string): Fault {
  return faultOf(name)
}
