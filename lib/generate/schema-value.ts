import fc, { type Arbitrary } from 'fast-check'

/** A value for a schema, and how it was made: `101, above its maximum 100`. */
export interface SchemaValue {
  readonly value: unknown
  readonly says: string
}

/** What a schema says of values, as far as it is certain; most telling first. */
export interface SchemaValues {
  /** Forbidden, whatever else the schema says. */
  readonly outside: readonly Arbitrary<SchemaValue>[]
  /** Allowed, and complete: a number within bounds, one of an enum, a boolean. */
  readonly inside: readonly Arbitrary<SchemaValue>[]
  /** Allowed, but texts that may name something that does not exist. */
  readonly open: readonly Arbitrary<SchemaValue>[]
}

/** How a value is sent: in a text, which may be read as several JSON values, or as JSON. */
export type Carrier = 'text' | 'json'

/** Always this value. */
export function fixed(value: unknown, says: string): Arbitrary<SchemaValue> {
  return fc.constant({ value, says })
}
