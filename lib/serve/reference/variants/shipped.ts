import { byName } from '../by-name.ts'
import type { Variant } from '../variant.ts'
import { variants } from '../variants.ts'

/** The variant of this name that ships. */
export function shipped(name: string): Variant {
  return byName('variant', name, variants)
}
