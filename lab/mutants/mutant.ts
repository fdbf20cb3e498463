import { createHash } from 'node:crypto'

/** One half of all mutants. The suite may learn from the seen half; for the other only numbers are published. */
export type Half = 'seen' | 'unseen'

/** A service with one small change made by a program, as stored in `mutants.json`. */
export interface Mutant {
  /**
   * For code: file, operator, digest of the original, and index among equals. For answers: operator, kind,
   * occasion.
   */
  readonly id: string
  /** Group of operators: Stryker's operator name, or the changed part of an answer. */
  readonly family: string
  /** From the root. `answers` if the mutant changes answers of the whole service. */
  readonly file: string
  /** From 1, or null for answers. */
  readonly line: number | null
  /** The original, shortened. */
  readonly original: string
  /** The replacement, shortened. */
  readonly replacement: string
  readonly half: Half
}

/** The half of an id, which never changes: the last bit of the first byte of its SHA-256. */
export const halfOf = (id: string): Half => (digestOf(id).readUInt8(0) % 2 === 0 ? 'seen' : 'unseen')

/** SHA-256 of a text. */
export const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Maximum length of a shown original or replacement, and of the common part at each end. */
const [longest, longestCommon] = [160, 40]

/** Original and replacement on one line each, reduced to the differing part. */
export function shortened(original: string, replacement: string): Pick<Mutant, 'original' | 'replacement'> {
  const [a, b] = [original, replacement].map((text) => text.replaceAll(/\s+/g, ' ').trim())
  if (a === undefined || b === undefined) throw new Error('expected two texts')
  if (Math.max(a.length, b.length) <= longest) return { original: a, replacement: b }

  let start = 0
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1
  const from = Math.max(0, start - longestCommon)
  const cut = (text: string): string => {
    const part = text.slice(from, from + longest)
    return `${from > 0 ? '…' : ''}${part}${from + longest < text.length ? '…' : ''}`
  }
  return { original: cut(a), replacement: cut(b) }
}
