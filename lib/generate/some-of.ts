import fc, { type Arbitrary } from 'fast-check'

/**
 * From one to `most` of what is drawn. Unlike an array with a least length of one, it shrinks to whichever of them matters: such
 * an array always keeps the last.
 */
export function someOf<T>(drawn: Arbitrary<T>, most: number): Arbitrary<readonly T[]> {
  return fc.array(drawn, { maxLength: most, size: 'max' }).filter((items) => items.length > 0)
}
