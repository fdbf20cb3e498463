import type { Fault } from './fault.ts'
import { faults } from './faults.ts'
import type { Variant } from './variant.ts'
import { variants } from './variants.ts'

/** A fault, or the fault with this name, by default from the package. Throws an Error for an unknown name. */
export function faultOf(given: string | Fault, among: readonly Fault[] = faults): Fault {
  return typeof given === 'string' ? named('fault', given, among) : given
}

/** A variant, or the variant with this name, by default from the package. Throws an Error for an unknown name. */
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
