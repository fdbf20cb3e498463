import { byName } from '../by-name.ts'
import type { Fault } from '../fault.ts'
import { faults } from '../faults.ts'

/** The fault of this name that ships. */
export function shipped(name: string): Fault {
  return byName('fault', name, faults)
}
