import type { Kind } from './fuzzed.ts'
import type { Made, Subject } from './subject.ts'
import { casesOf, kindOf } from './value-kinds.ts'

/** Sizes that every common server takes, most telling first: limits of 255 or 256 characters are the usual ones. */
export const usualSizes = [1_024, 256, 2_000, 255] as const

/** Values of other sizes than the valid one. */
export function sizeKinds(subject: Subject): readonly Kind[] {
  const { length } = subject.text
  const near = [length + 1, length - 1].filter((size) => size > 0)
  const sizes = new Set<number>([1_024, 256, ...near, ...usualSizes])
  const values = [...sizes].map((size) => ofSize(subject, size))
  return kindOf({ name: 'size', weight: 1, gate: true }, casesOf(subject, values))
}

/** A value of one and the same letter, as long as said, that is not valid: at most two letters are. */
export function ofSize({ field, isValid }: Subject, size: number): Made {
  const values = ['x', 'k', 'q'].map((letter) => letter.repeat(size))
  const value = values.find((one) => !isValid(one)) ?? ''
  return {
    value,
    says: `${field} of ${size === 1 ? '1 character' : `${size.toLocaleString('en-US')} characters`}`,
  }
}
