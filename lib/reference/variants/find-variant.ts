import { variants } from './all-variants.ts'
import type { Variant } from './variant.ts'

/** The variant of this name. Throws an Error where there is none. */
export function findVariant(name: string): Variant {
  const found = variants.find((variant) => variant.name === name)
  if (found !== undefined) return found
  throw new Error(`unknown variant "${name}"; the variants are ${variants.map((one) => one.name).join(', ')}`)
}
