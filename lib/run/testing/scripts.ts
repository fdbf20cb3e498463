import type { Meets } from './in-memory.ts'

/** Several names with the same script. */
export const each = (names: string, ...met: readonly Meets[]): Record<string, readonly Meets[]> =>
  Object.fromEntries(names.split(' ').map((name) => [name, met]))

/** These outcomes, repeated. */
export const times = (count: number, ...met: readonly Meets[]): readonly Meets[] =>
  Array.from({ length: count }, () => met).flat()

/** The names a1, a2, … */
export const numbered = (length: number): string => Array.from({ length }, (_, at) => `a${at + 1}`).join(' ')
