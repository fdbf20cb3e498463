import fc, { Arbitrary, Value, type Random, type Stream } from 'fast-check'

/** Draws one of these items, the first being the simplest; returns no arbitrary if there are none. */
export function oneOf<T>(items: readonly T[]): readonly Arbitrary<T>[] {
  const [first] = items
  return first === undefined ? [] : [fc.nat(items.length - 1).map((index) => items[index] ?? first)]
}

/** Draws between one and `most` items. Unlike an array with a minimum length of one, which keeps its last item, it can shrink to any of them. */
export function someOf<T>(drawn: Arbitrary<T>, most: number): Arbitrary<readonly T[]> {
  return fc.array(drawn, { maxLength: most, size: 'max' }).filter((items) => items.length > 0)
}

/** Starts at this value and shrinks like the arbitrary, which must be able to shrink without a context. */
export function startingAt<T>(value: T, arbitrary: Arbitrary<T>): Arbitrary<T> {
  return new StartingAt(value, arbitrary)
}

class StartingAt<T> extends Arbitrary<T> {
  readonly #start: Value<T>
  readonly #arbitrary: Arbitrary<T>

  constructor(value: T, arbitrary: Arbitrary<T>) {
    super()
    this.#start = new Value(value, undefined)
    this.#arbitrary = arbitrary
  }

  override generate(_random: Random): Value<T> {
    return this.#start
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return this.#arbitrary.canShrinkWithoutContext(value)
  }

  override shrink(value: T, context: unknown): Stream<Value<T>> {
    return this.#arbitrary.shrink(value, context)
  }
}

/** Made from all items. Shrinks by dropping one item after another, then to one part of an item. */
export function droppable<Item extends { readonly parts?: readonly Item[] }, T>(
  items: () => readonly Item[],
  make: (kept: readonly Item[]) => T,
): Arbitrary<T> {
  return new Droppable(items, make)
}

class Droppable<Item extends { readonly parts?: readonly Item[] }, T> extends Arbitrary<T> {
  readonly #items: () => readonly Item[]
  readonly #make: (kept: readonly Item[]) => T
  /** The remaining items for each value. */
  readonly #kept = new Map<unknown, readonly Item[]>()

  constructor(items: () => readonly Item[], make: (kept: readonly Item[]) => T) {
    super()
    this.#items = items
    this.#make = make
  }

  override generate(_random: Random): Value<T> {
    return this.#made(this.#items())
  }

  override canShrinkWithoutContext(_value: unknown): _value is T {
    return false
  }

  override shrink(_value: T, context: unknown): Stream<Value<T>> {
    const kept = this.#kept.get(context) ?? []
    const fewer = kept.map((_, at) => kept.toSpliced(at, 1))
    const smaller = kept.flatMap(({ parts = [] }, at) => parts.map((part) => kept.toSpliced(at, 1, part)))
    return fc.stream([...fewer, ...smaller].values()).map((items) => this.#made(items))
  }

  #made(kept: readonly Item[]): Value<T> {
    const context = {}
    this.#kept.set(context, kept)
    return new Value(this.#make(kept), context)
  }
}

/** First segments under `/api/` that no service has (`unknownSegment`). They do not shrink, because their letters do not matter. */
export const unknownSegments: Arbitrary<string> = fc.noShrink(
  fc.tuple(fc.nat(), fc.nat()).map(([one, other]) => `zz${sevenLetters(one)}${sevenLetters(other)}`),
)

function sevenLetters(number: number): string {
  return Array.from({ length: 7 }, (_, place) =>
    String.fromCharCode(0x61 + (Math.floor(number / 26 ** place) % 26)),
  ).join('')
}
