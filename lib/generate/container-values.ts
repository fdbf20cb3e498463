import { isObject, objectOr } from '../json/json-value.ts'
import type { Arbitrary } from 'fast-check'
import { type FlatSchema } from './flat-schema.ts'
import { fixed, type Carrier, type SchemaValue, type SchemaValues } from './schema-value.ts'

/** The values of a schema within another, which stand in the place of a valid one. */
export type ValuesBelow = (schema: unknown, base: unknown) => SchemaValues

interface Around {
  /** A valid value, or undefined if none is known. */
  readonly base: unknown
  readonly below: ValuesBelow
}

/** Maximum items of a list that is sent. */
const mostItems = 50

/** Lists with an item that is allowed or forbidden, with too many and with too few. */
export function ofLists({ values }: FlatSchema, carrier: Carrier, { base, below }: Around): SchemaValues {
  const { items, minItems = 0, maxItems, uniqueItems } = values
  const isJson = carrier === 'json'
  const empty = isJson ? [fixed([], 'an empty list')] : []
  const forbidsEmpty = isJson && minItems > 0
  const none = { outside: forbidsEmpty ? empty : [], inside: forbidsEmpty ? [] : empty, open: [] }
  if (items === undefined || Array.isArray(items)) return none
  const [known]: readonly unknown[] = Array.isArray(base) ? base : []
  const ofItem = below(items, known)
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
  const mayBeOne = minItems <= 1 && (maxItems ?? 1) >= 1
  return {
    outside: [
      ...(maxItems === undefined || maxItems >= mostItems
        ? []
        : repeated(maxItems + 1, `more than its maxItems ${maxItems}`)),
      ...ofItem.outside.map(inList),
      ...(minItems > 1 && minItems <= mostItems && uniqueItems !== true
        ? repeated(minItems - 1, `fewer than its minItems ${minItems}`)
        : []),
      ...(isJson && uniqueItems === true ? repeated(2, 'equal ones, of its uniqueItems') : []),
      ...none.outside,
    ],
    inside: [...(mayBeOne ? ofItem.inside.map(inList) : []), ...none.inside],
    open: mayBeOne ? ofItem.open.map(inList) : [],
  }
}

/** Objects with one member that is allowed or forbidden, without one that is required, and with one too many. */
export function ofObjects({ values }: FlatSchema, { base, below }: Around): SchemaValues {
  const { properties = {}, required = [], additionalProperties } = values
  const isKnown = isObject(base)
  const whole = objectOr(base)
  const members = Object.entries(properties).map(([name, schema]) => {
    const found = below(schema, Object.hasOwn(whole, name) ? whole[name] : undefined)
    const within = (some: readonly Arbitrary<SchemaValue>[]): readonly Arbitrary<SchemaValue>[] =>
      some.map((one) =>
        one.map(({ value, says }) => ({
          value: { ...whole, [name]: value },
          says: placed(name, value, says),
        })),
      )
    return {
      outside: within(found.outside),
      inside: isKnown ? within(found.inside) : [],
      open: isKnown ? within(found.open) : [],
    }
  })
  const absent = [...new Set(required)].map((name) =>
    // Made when it is drawn: there may be thousands of them.
    fixed(whole, `no ${name}, which is required`).map(({ says }) => {
      const { [name]: _, ...value } = whole
      return { value, says }
    }),
  )
  const isClosed = additionalProperties === false && !Object.hasOwn(properties, 'zz')
  const unknown = isClosed ? [fixed({ ...whole, zz: 'zz' }, 'zz, which it does not name')] : []
  return {
    outside: inTurns([...members.map(({ outside }) => outside), absent, unknown]),
    inside: inTurns(members.map(({ inside }) => inside)),
    open: inTurns(members.map(({ open }) => open)),
  }
}

/** A member and its value in words: `limit: 101, above its maximum 100`, or of an object in it `address.city: …`. */
function placed(name: string, value: unknown, says: string): string {
  return isObject(value) && /^[^ ,]*: /.test(says) ? `${name}.${says}` : `${name}: ${says}`
}

/** The first of each list, then the second of each: a gate reaches every member. */
export function inTurns<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const turns: Item[][] = []
  for (const list of lists) for (const [turn, item] of list.entries()) (turns[turn] ??= []).push(item)
  return turns.flat()
}
