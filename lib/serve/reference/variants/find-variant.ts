import { variants } from './all-variants.ts'
import type { Variant } from '../variant.ts'

/** The variant of this name. Throws an Error that names those which begin alike where there is none. */
export function findVariant(name: string): Variant {
  const found = variants.find((variant) => variant.name === name)
  if (found !== undefined) return found
  throw new Error(`unknown variant "${name}"; there are ${beginningAs(name).join(', ')}`)
}

/** The names whose first word is the same; where nothing is, all of them. */
function beginningAs(name: string): readonly string[] {
  const names = variants.map((variant) => variant.name)
  const alike = names.filter((one) => firstWord(one) === firstWord(name))
  return alike.length === 0 ? names : alike
}

function firstWord(name: string): string {
  return name.split('-')[0] ?? ''
}
