import type { Variant } from './variant.ts'

/** Every variant, by area. */
export const variants: readonly Variant[] = []
