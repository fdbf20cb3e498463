import fc, { type Arbitrary } from 'fast-check'
import { conjunction, type FlatSchema } from './flat-schema.ts'

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

/** The values that a JSON Schema (draft-07) allows and forbids for sure; `root` holds its definitions. */
export function schemaValues(schema: unknown, root: unknown, carrier: Carrier): SchemaValues {
  const flat = conjunction(schema, root)
  const { values } = flat
  const named = values.enum ?? (values.const === undefined ? null : [values.const])
  const found = named === null ? byType(flat, root, carrier) : ofNames(named, flat)
  const others = named === null && flat.type !== null ? otherTypes(flat, carrier) : []
  return {
    outside: [...found.outside, ...others],
    inside: flat.isWhole ? found.inside : [],
    open: flat.isWhole ? found.open : [],
  }
}

const none: SchemaValues = { outside: [], inside: [], open: [] }

function byType(flat: FlatSchema, root: unknown, carrier: Carrier): SchemaValues {
  switch (flat.type) {
    case 'integer':
    case 'number':
      return ofNumbers(flat)
    case 'boolean':
      return { ...none, inside: [fixed(true, 'true'), fixed(false, 'false')] }
    case 'string':
      return ofTexts(flat, carrier)
    case 'array':
      return ofLists(flat, root, carrier)
    case 'object':
    case null:
      return none
  }
}

function fixed(value: unknown, says: string): Arbitrary<SchemaValue> {
  return fc.constant({ value, says })
}

/** The values of an enum or a constant. */
function ofNames(named: readonly unknown[], { type, values }: FlatSchema): SchemaValues {
  const names = named.filter((one) => ['string', 'number', 'boolean'].includes(typeof one))
  const fitting = names.filter((one) =>
    type === 'integer' ? Number.isInteger(one) : type === null || typeof one === type,
  )
  const [first = 'zz'] = names
  // Its neighbour in letter case or spelling might be read as the same.
  const stranger = `${String(first)}zz`
  const isAll = Object.keys(values).length === 1
  return {
    outside: named.includes(stranger) ? [] : [fixed(stranger, `${stranger}, not one of its enum`)],
    inside: isAll ? fitting.map((one) => fixed(one, `${String(one)}, one of its enum`)) : [],
    open: [],
  }
}

/** Maximum size of a number that every program reads and writes in the same digits. */
const plainNumbers = 1e15

function ofNumbers({ values, type }: FlatSchema): SchemaValues {
  const step = values.multipleOf ?? 1
  const isStepped = type === 'integer' || values.multipleOf !== undefined
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = values
  const low = bound(minimum, exclusiveMinimum, Math.max)
  const high = bound(maximum, exclusiveMaximum, Math.min)
  const isPlain = Number.isInteger(step) && step > 0
  const first = isPlain && low !== null ? firstWithin(low, step, isStepped) : null
  const last = isPlain && high !== null ? firstWithin(negated(high), step, isStepped) : null
  const least = first
  const most = last === null ? null : 0 - last
  const isEmpty = least !== null && most !== null && least > most

  const beyond = (from: Bound, sign: 1 | -1, name: string): readonly Arbitrary<SchemaValue>[] => {
    const edge = from.at
    const start = sign === 1 ? Math.floor(edge) : Math.ceil(edge)
    const nearest = from.isExclusive && Number.isInteger(edge) ? start : start + sign
    const word = sign === 1 ? 'above' : 'below'
    const says = (value: number): string =>
      value === edge ? `${value}, at its exclusive ${name}` : `${value}, ${word} its ${name} ${edge}`
    return [
      fc.constant({ value: nearest, says: says(nearest) }),
      fc.nat(999).map((more) => ({ value: nearest + sign * more, says: says(nearest + sign * more) })),
    ]
  }
  const outside = [
    ...(high === null ? [] : beyond(high, 1, 'maximum')),
    ...(low === null ? [] : beyond(low, -1, 'minimum')),
    ...(isPlain && step > 1
      ? [
          fixed(
            (least ?? most ?? 0) + (least === null ? -1 : 1),
            `${(least ?? most ?? 0) + (least === null ? -1 : 1)}, no multiple of ${step}`,
          ),
        ]
      : []),
  ]
  const within =
    least !== null && most !== null && !isEmpty && most - least <= 2 ** 31
      ? [
          fc
            .nat(Math.floor((most - least) / step))
            .map((steps) => least + steps * step)
            .map((value) => ({ value, says: `${value}, within its bounds` })),
        ]
      : []
  const inside = isEmpty
    ? []
    : [
        ...(most === null ? [] : [fixed(most, `${most}, at its maximum`)]),
        ...(least === null ? [] : [fixed(least, `${least}, at its minimum`)]),
        ...within,
      ]
  const isReadable = [low?.at ?? 0, high?.at ?? 0].every((at) => Math.abs(at) < plainNumbers && isDecimal(at))
  return isReadable ? { outside, inside, open: [] } : none
}

interface Bound {
  readonly at: number
  readonly isExclusive: boolean
}

/** The tighter of an inclusive and an exclusive bound. */
function bound(
  inclusive: number | undefined,
  exclusive: number | undefined,
  tighter: (a: number, b: number) => number,
): Bound | null {
  if (exclusive === undefined) return inclusive === undefined ? null : { at: inclusive, isExclusive: false }
  if (inclusive === undefined || tighter(inclusive, exclusive) === exclusive)
    return { at: exclusive, isExclusive: true }
  return { at: inclusive, isExclusive: false }
}

function negated({ at, isExclusive }: Bound): Bound {
  return { at: 0 - at, isExclusive }
}

/** The least multiple of a step within a lower bound; a number that need be none stands at the bound itself. */
function firstWithin({ at, isExclusive }: Bound, step: number, isStepped: boolean): number {
  if (!isStepped && !isExclusive) return at
  const first = Math.ceil(at / step) * step
  return isExclusive && first === at ? first + step : first
}

function isDecimal(value: number): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(String(value))
}

/** Maximum length of a text that is sent, in characters: every server takes a line of this. */
const longestText = { text: 1_000, json: 20_000 } as const

function ofTexts({ values }: FlatSchema, carrier: Carrier): SchemaValues {
  const { minLength = 0, maxLength, pattern, format } = values
  const letters = (count: number): string => 'a'.repeat(count)
  const told = (count: number): string => `${count} character${count === 1 ? '' : 's'}`
  // A parameter without a value may count as absent.
  const shortest = carrier === 'text' ? 1 : 0
  const isFree = pattern === undefined && format === undefined
  const most = Math.min(maxLength ?? Infinity, longestText[carrier])
  const fits = (count: number): boolean => count >= Math.max(shortest, minLength) && count <= most
  const unmatched = pattern === undefined ? undefined : notMatching(pattern)
  const isKnownFormat = format !== undefined && strictFormats.includes(format)
  return {
    outside: [
      ...(maxLength !== undefined && maxLength < longestText[carrier]
        ? [
            fixed(letters(maxLength + 1), `${told(maxLength + 1)}, longer than its maxLength ${maxLength}`),
            fc.integer({ min: 1, max: Math.min(100, longestText[carrier] - maxLength) }).map((more) => ({
              value: letters(maxLength + more),
              says: `${told(maxLength + more)}, longer than its maxLength ${maxLength}`,
            })),
          ]
        : []),
      ...(minLength > shortest && minLength <= longestText[carrier]
        ? [fixed(letters(minLength - 1), `${told(minLength - 1)}, shorter than its minLength ${minLength}`)]
        : []),
      ...(unmatched === undefined ? [] : [fixed(unmatched, `${unmatched}, not of its pattern`)]),
      ...(isKnownFormat ? [fixed('zz', `zz, no ${format}`)] : []),
    ],
    inside: [],
    open: isFree
      ? [maxLength, minLength]
          .filter((count) => count !== undefined && fits(count))
          .map((count = 0) => fixed(letters(count), told(count)))
      : [],
  }
}

/** Formats of which every program knows that `zz` is none. */
const strictFormats: readonly string[] = ['date', 'date-time', 'uuid', 'ipv4']

/** A text that no reading of a pattern matches; undefined if none is known. */
function notMatching(pattern: string): string | undefined {
  try {
    const expression = new RegExp(pattern, 'u')
    return ['~!~', 'zz', '00'].find((text) => !expression.test(text))
  } catch {
    return undefined
  }
}

/** Maximum items of a list that is sent. */
const mostItems = 50

function ofLists({ values }: FlatSchema, root: unknown, carrier: Carrier): SchemaValues {
  const { items, minItems = 0, maxItems, uniqueItems } = values
  if (items === undefined) return none
  const ofItem = schemaValues(items, root, carrier)
  const inList = (item: Arbitrary<SchemaValue>): Arbitrary<SchemaValue> =>
    item.map(({ value, says }) => ({ value: [value], says: `an item ${says}` }))
  const [item] = [...ofItem.inside, ...ofItem.open]
  const repeated = (count: number, how: string): readonly Arbitrary<SchemaValue>[] =>
    item === undefined
      ? []
      : [
          item.map(({ value }) => ({
            value: Array.from({ length: count }, () => value),
            says: `${count} items, ${how}`,
          })),
        ]
  return {
    outside: [
      ...(maxItems === undefined || maxItems >= mostItems
        ? []
        : repeated(maxItems + 1, `more than its maxItems ${maxItems}`)),
      ...ofItem.outside.map(inList),
      ...(minItems > 1 && minItems <= mostItems && uniqueItems !== true
        ? repeated(minItems - 1, `fewer than its minItems ${minItems}`)
        : []),
    ],
    inside: minItems <= 1 && (maxItems ?? 1) >= 1 ? ofItem.inside.map(inList) : [],
    open: minItems <= 1 && (maxItems ?? 1) >= 1 ? ofItem.open.map(inList) : [],
  }
}

/** Values of another JSON type, which no program reads as one of this type. */
function otherTypes({ type, values }: FlatSchema, carrier: Carrier): readonly Arbitrary<SchemaValue>[] {
  const text = fixed('zz', `zz, no ${type}`)
  const object = fixed({}, `an object, no ${type}`)
  if (carrier === 'text') return ['integer', 'number', 'boolean'].includes(String(type)) ? [text] : []
  if (type === 'string') return [object]
  if (type === 'object') return [text]
  // A single value may stand for a list of one.
  if (type === 'array') return conjunction(values.items, {}).type === 'string' ? [object] : [text]
  return [text, object]
}
