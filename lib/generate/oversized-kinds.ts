import fc from 'fast-check'
import type { Kind } from './fuzzed.ts'
import { ofSize } from './size-kinds.ts'
import { spread } from './spread.ts'
import { invented, type Subject } from './subject.ts'
import { kindOf } from './value-kinds.ts'

/** Sizes about the limits of common servers and gateways, most telling first. */
export const oversizes = [8_192, 4_096, 16_384, 65_536, 8_190, 8_191, 8_193] as const

/** Values that servers need not take; at which size they refuse is an observation. */
export function oversizedKinds(subjects: readonly Subject[]): readonly Kind[] {
  const cases = spread(oversizes, subjects, (size, subject) => {
    const made = ofSize(subject, size)
    return [
      fc.constant(
        invented(subject, made, {
          transportMayRefuse: true,
          toUnknownPath: true,
          observe: { id: 'value-size', as: made.says },
        }),
      ),
    ]
  })
  return kindOf({ name: 'oversized', weight: 1, gate: true }, cases)
}
