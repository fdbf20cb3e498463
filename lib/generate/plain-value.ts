import { objectOr } from '../json/json-value.ts'
import { conjunction, allowanceOf, type Allowance, type FlatSchema } from './flat-schema.ts'
import { rangeOf } from './number-range.ts'

interface PlainValueOptions {
  readonly takesSuggested?: boolean
  readonly depth?: number
  readonly allowance?: Allowance
}

/** Maximum objects and lists within each other. */
const deepest = 12

/**
 * The smallest value that a JSON Schema (draft-07) allows, or undefined if none is known for sure. Taking the values that a schema
 * suggests and its alternatives, it knows more, and may be wrong where the schema contradicts itself.
 */
export function plainValue(
  schema: unknown,
  root: unknown,
  { takesSuggested = false, depth = 0, allowance = allowanceOf() }: PlainValueOptions = {},
): unknown {
  const flat = conjunction(takesSuggested ? withFirstAlternative(schema) : schema, root, allowance)
  if (depth > deepest || !(flat.isWhole || takesSuggested)) return undefined
  const { values, suggested } = flat
  if (takesSuggested && suggested.length > 0) return suggested[0]
  const named = values.enum ?? (values.const === undefined ? null : [values.const])
  if (named !== null) {
    const isAll = Object.keys(values).length === 1
    return named.find((one) => fitsType(one, flat) && (isAll || takesSuggested))
  }
  const below = (inner: unknown): unknown =>
    plainValue(inner, root, { takesSuggested, depth: depth + 1, allowance })
  switch (flat.type) {
    case 'integer':
    case 'number':
      return plainNumber(flat)
    case 'boolean':
      return true
    case 'string':
      return plainText(flat)
    case 'array':
      return plainList(flat, below)
    case 'object':
      return plainObject(flat, below)
    case null:
      return values.properties === undefined && values.required === undefined
        ? Object.keys(values).length === 0
          ? 'a'
          : undefined
        : plainObject(flat, below)
  }
}

/** A schema with the first of each of its alternatives. */
function withFirstAlternative(schema: unknown): unknown {
  const { anyOf, oneOf, ...own } = objectOr(schema)
  const first = [anyOf, oneOf].flatMap((some) => (Array.isArray(some) ? some.slice(0, 1) : []))
  return first.length === 0 ? schema : { allOf: [own, ...first] }
}

function fitsType(value: unknown, { type }: FlatSchema): boolean {
  if (type === 'integer') return Number.isInteger(value)
  return ['string', 'number', 'boolean'].includes(typeof value) && (type === null || typeof value === type)
}

function plainNumber(flat: FlatSchema): number | undefined {
  const { least, most, step, isPlain, isEmpty } = rangeOf(flat)
  return isEmpty || !isPlain ? undefined : (least ?? most ?? step)
}

/** Texts of formats, as every program accepts them. */
const ofFormats: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  email: 'a@example.com',
  hostname: 'example.com',
  uri: 'https://example.com/',
  'uri-reference': '/a',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

function plainText({ values }: FlatSchema): string | undefined {
  const { minLength = 0, maxLength = Infinity, pattern, format } = values
  const free = 'a'.repeat(Math.min(Math.max(minLength, 1), maxLength, 20_000))
  const text = format === undefined ? free : ofFormats[format]
  const fits = text !== undefined && text.length >= minLength && text.length <= maxLength
  return pattern === undefined && fits ? text : undefined
}

function plainList(
  { values }: FlatSchema,
  below: (schema: unknown) => unknown,
): readonly unknown[] | undefined {
  const { items = {}, minItems = 0, uniqueItems = false, maxItems = Infinity } = values
  if (minItems === 0 && maxItems >= 0) return []
  const item = Array.isArray(items) || (uniqueItems && minItems > 1) ? undefined : below(items)
  return item === undefined || minItems > maxItems || minItems > 1_000
    ? undefined
    : Array.from({ length: minItems }, () => item)
}

function plainObject(
  { values }: FlatSchema,
  below: (schema: unknown) => unknown,
): Readonly<Record<string, unknown>> | undefined {
  const { required = [], properties = {}, additionalProperties = {} } = values
  const members = [...new Set(required)].map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    return [name, schema === true ? 'a' : below(schema)] as const
  })
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members)
}
