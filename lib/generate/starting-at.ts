import { Arbitrary, Value, type Random, type Stream } from 'fast-check'

/** Always this value at first; it shrinks as the arbitrary shrinks it, which must be able to do so without a context. */
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
