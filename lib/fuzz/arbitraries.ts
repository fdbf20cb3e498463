import fc, { Value, type Arbitrary } from 'fast-check'

/** Draws one of these items, the first being the simplest; returns no arbitrary if there are none. */
export function oneOf<T>(items: readonly T[]): readonly Arbitrary<T>[] {
  const [first] = items
  return first === undefined ? [] : [fc.nat(items.length - 1).map((index) => items[index] ?? first)]
}

/** Draws between one and `most` items. Unlike an array with a minimum length of one, which keeps its last item, it can shrink to any of them. */
export function someOf<T>(drawn: Arbitrary<T>, most: number) {
  return fc.array(drawn, { maxLength: most, size: 'max' }).filter((items) => items.length > 0)
}

/** Starts at this value, which is made when drawn, and shrinks like the arbitrary, which must be able to shrink without a context. */
export function startingAt<T>(value: () => T, arbitrary: Arbitrary<T>) {
  const starting: Arbitrary<T> = Object.create(arbitrary)
  starting.generate = () => new Value(value(), undefined)
  return starting
}

/** All items, which are made when drawn. Shrinks by dropping one item after another, then to one part of an item. */
export function droppable<Item extends { readonly parts?: readonly Item[] }>(items: () => readonly Item[]) {
  const dropping = startingAt(items, fc.constant([]))
  dropping.shrink = (kept) => {
    const fewer = kept.map((_, at) => kept.toSpliced(at, 1))
    const smaller = kept.flatMap(({ parts = [] }, at) => parts.map((part) => kept.toSpliced(at, 1, part)))
    return fc.stream([...fewer, ...smaller].values()).map((fewest) => new Value(fewest, undefined))
  }
  return dropping
}

/** First segments under `/api/` that no service has (`unknownSegment`). They do not shrink, because their letters do not matter. */
export const unknownSegments = fc.noShrink(
  fc.tuple(fc.nat(), fc.nat()).map((numbers) => `zz${numbers.map(sevenLetters).join('')}`),
)

function sevenLetters(number: number) {
  const letter = (_: unknown, place: number) => 0x61 + (Math.floor(number / 26 ** place) % 26)
  return String.fromCharCode(...Array.from({ length: 7 }, letter))
}
