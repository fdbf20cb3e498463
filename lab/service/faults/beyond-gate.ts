import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** A fault that shows only in cases that a gate does not send. */
export function beyondGate(fault: Fault): Fault {
  return { ...fault, profile: 'acceptance' }
}
