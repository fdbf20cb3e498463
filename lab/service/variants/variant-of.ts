import type { Manner } from '../../../lib/serve/reference/manner.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Makes variants that differ in this part of the manner, and keep no state. */
function variantOf<Part extends keyof Manner>(part: Part) {
  return (name: string, about: string, chosen: NonNullable<Manner[Part]>): Variant => ({
    name,
    about,
    manner: () => ({ [part]: chosen }),
  })
}

export const gateway = variantOf('gateway')
export const delivering = variantOf('deliver')
export const reading = variantOf('reading')
export const writing = variantOf('writing')
