import type { Fault } from './fault.ts'
import { faults } from './faults.ts'
import type { Variant } from './variant.ts'
import { variants } from './variants.ts'

/** A fault, or the one of this name, by default of those that ship. Throws an Error where there is none. */
export function faultOf(given: string | Fault, among: readonly Fault[] = faults): Fault {
  return typeof given === 'string' ? named('fault', given, among) : given
}

/** A variant, or the one of this name, by default of those that ship. Throws an Error where there is none. */
export function variantOf(given: string | Variant, among: readonly Variant[] = variants): Variant {
  return typeof given === 'string' ? named('variant', given, among) : given
}

function named<One extends { readonly name: string }>(
  kind: string,
  name: string,
  among: readonly One[],
): One {
  const found = among.find((one) => one.name === name)
  if (found !== undefined) return found
  throw new Error(`unknown ${kind} "${name}"; known ${kind}s: ${among.map((one) => one.name).join(', ')}`)
}
