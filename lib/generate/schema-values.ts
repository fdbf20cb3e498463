import fc, { type Arbitrary } from 'fast-check'
import { conjunction, allowanceOf, type Allowance, type FlatSchema } from './flat-schema.ts'
import { MachineTooBusy, within, workLimits } from '../specification/within.ts'
import { ofLists, ofObjects, type ValuesBelow } from './container-values.ts'
import { plainValue } from './plain-value.ts'
import { rangeOf, type Bound } from './number-range.ts'
import { fixed, type Carrier, type SchemaValue, type SchemaValues } from './schema-value.ts'

/** Where a value stands, and the valid one that stands there. */
interface Place {
  /** Changed in one member at a time; undefined where none is known. */
  readonly base?: unknown
  /** Objects and lists around it. */
  readonly depth?: number
  readonly allowance?: Allowance
}

/** The values that a JSON Schema (draft-07) allows and forbids for sure; `root` holds its definitions. */
export function schemaValues(
  schema: unknown,
  root: unknown,
  carrier: Carrier,
  { base, depth = 0, allowance = allowanceOf() }: Place = {},
): SchemaValues {
  const flat = conjunction(schema, root, allowance)
  const { values } = flat
  const named = values.enum ?? (values.const === undefined ? null : [values.const])
  const around = {
    base: base ?? (carrier === 'json' ? plainValue(schema, root, { allowance }) : undefined),
    below: ((inner, known) =>
      schemaValues(inner, root, carrier, { base: known, depth: depth + 1, allowance })) satisfies ValuesBelow,
  }
  const found = named !== null ? ofNames(named, flat) : depth > deepest ? none : byType(flat, carrier, around)
  const others = named === null && flat.type !== null ? otherTypes(flat, carrier, allowance) : []
  const nulls = carrier === 'json' && flat.forbidsNull ? [fixed(null, 'null')] : []
  return {
    outside: [...found.outside, ...others, ...nulls],
    inside: flat.isWhole ? found.inside : [],
    open: flat.isWhole ? found.open : [],
  }
}

/** Maximum objects and lists around a value that is tried. */
const deepest = 4

const none: SchemaValues = { outside: [], inside: [], open: [] }

function byType(
  flat: FlatSchema,
  carrier: Carrier,
  around: { readonly base: unknown; readonly below: ValuesBelow },
): SchemaValues {
  switch (flat.type) {
    case 'integer':
    case 'number':
      return ofNumbers(flat)
    case 'boolean':
      return { ...none, inside: [fixed(true, 'true'), fixed(false, 'false')] }
    case 'string':
      return ofTexts(flat, carrier)
    case 'array':
      return ofLists(flat, carrier, around)
    case 'object':
      return carrier === 'json' ? ofObjects(flat, around) : none
    case null:
      return none
  }
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

function ofNumbers({ values, type }: Pick<FlatSchema, 'values' | 'type'>): SchemaValues {
  const { low, high, least, most, step, isPlain, isEmpty } = rangeOf({ values, type })

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
  const between =
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
        ...between,
      ]
  const isReadable = [low?.at ?? 0, high?.at ?? 0].every((at) => Math.abs(at) < plainNumbers && isDecimal(at))
  return isReadable ? { outside, inside, open: [] } : none
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
      ...(carrier === 'json' && minLength > 1 && minLength <= longestText[carrier]
        ? [
            fixed(
              'é'.repeat(minLength - 1),
              `${told(minLength - 1)} of two bytes, shorter than its minLength ${minLength}`,
            ),
          ]
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
    return within(workLimits.value, () => ['~!~', 'zz', '00'].find((text) => !expression.test(text)))
  } catch (error) {
    if (error instanceof MachineTooBusy) throw error.to('make values for a pattern')
    return undefined
  }
}

/** Values of another JSON type. A text may be read as one of several types; in JSON each is itself. */
function otherTypes(
  { type, values }: FlatSchema,
  carrier: Carrier,
  allowance: Allowance,
): readonly Arbitrary<SchemaValue>[] {
  const text = fixed('zz', `zz, no ${type}`)
  if (carrier === 'text') return [...(type === 'boolean' ? [text] : []), ...textsOfNumbers({ type, values })]
  const asText = (written: string): Arbitrary<SchemaValue> =>
    fixed(written, `the text ${written}, no ${type}`)
  const object = fixed({}, `an object, no ${type}`)
  switch (type) {
    case 'integer':
      return [asText(String(plainNumberOf(values))), fixed(1.5, '1.5, no integer'), text, object]
    case 'number':
      return [asText(String(plainNumberOf(values))), text, object]
    case 'boolean':
      return [asText('true'), fixed(1, '1, no boolean'), text]
    case 'string':
      return [fixed(1, '1, no string'), object, fixed([], 'a list, no string')]
    case 'array':
      // A single value may stand for a list of one.
      return [object, ...(conjunction(values.items, {}, allowance).type === 'string' ? [] : [text])]
    case 'object':
      return [fixed([], 'a list, no object'), text]
    case null:
      return []
  }
}

/** Texts that are no number, or none of this type; most telling first. Some programs read as far as the digits go. */
function textsOfNumbers({
  type,
  values,
}: Pick<FlatSchema, 'type' | 'values'>): readonly Arbitrary<SchemaValue>[] {
  if (type !== 'integer' && type !== 'number') return []
  const begun = `${plainNumberOf(values)}zz`
  const fraction = type === 'integer' ? [fixed(1.5, '1.5, no integer')] : []
  return [fixed('zz', `zz, no ${type}`), fixed(begun, `${begun}, no ${type}`), ...fraction]
}

/** A number that would be allowed, were it one. */
function plainNumberOf(values: FlatSchema['values']): number {
  const { least, most } = rangeOf({ values, type: 'number' })
  return most ?? least ?? 1
}
