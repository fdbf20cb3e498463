import { createHash } from 'node:crypto'

/** Half of all mutants: one to learn from, one of which only numbers are published. */
export type Half = 'seen' | 'unseen'

/** A service with one small change that nobody chose, as it stands in `mutants.json`. */
export interface Mutant {
  /** Of the reference service's code: file, operator, digest of the original, place among equals. Of answers: operator, kind, occasion. */
  readonly id: string
  /** Group of operators: Stryker's name of the operator, or what is changed in an answer. */
  readonly family: string
  /** From the root; `answers` if the answers of the whole service are changed. */
  readonly file: string
  /** From 1; null for answers. */
  readonly line: number | null
  /** What stands there, shortened. */
  readonly original: string
  /** What the mutant has in its place, shortened. */
  readonly replacement: string
  readonly half: Half
}

/** The half that an id belongs to, for ever: the last bit of the first byte of its SHA-256. */
export function halfOf(id: string): Half {
  return digestOf(id).readUInt8(0) % 2 === 0 ? 'seen' : 'unseen'
}

/** SHA-256 of a text. */
export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** Maximum length of a shown original or replacement, and of what both have in common at an end. */
const [longest, longestCommon] = [160, 40]

/** Original and replacement on one line each, both cut to the part in which they differ. */
export function shortened(original: string, replacement: string): Pick<Mutant, 'original' | 'replacement'> {
  const [a, b] = [original, replacement].map((text) => text.replaceAll(/\s+/g, ' ').trim())
  if (a === undefined || b === undefined) throw new Error('two texts were given')
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

/** The given mutants; throws if two have the same id. */
export function unique(mutants: readonly Mutant[]): readonly Mutant[] {
  const seen = new Set<string>()
  for (const { id } of mutants) {
    if (seen.has(id)) throw new Error(`two mutants have the id ${id}; expected one`)
    seen.add(id)
  }
  return mutants
}
