import { createRequire } from 'node:module'
import fc, { type Arbitrary } from 'fast-check'
import { MachineTooBusy, within, workLimits, WorkStopped, type SyncWork } from '../specification/within.ts'
import { objectOr } from '../text/json-value.ts'
import {
  asTexts,
  keywordsOf,
  plainValue,
  propertiesOf,
  rangeOf,
  requiredOf,
  type Allowance,
  type Carrier,
  type Keywords,
} from './plain-value.ts'

/** Forbidden; allowed and closed (a number within bounds, a member of an enum, a boolean); or allowed, but possibly naming something that does not exist. */
export type Kind = 'outside' | 'inside' | 'open'

/** A valid value with one change, as judged by a schema. */
export interface SchemaInput {
  readonly value: unknown
  readonly kind: Kind
  /** The changed part: `limit`, `owner.name`, or an empty string for the whole. */
  readonly name: string
  /** The value of the changed part; undefined if it is absent. */
  readonly leaf: unknown
  /** Why the schema forbids it, in Ajv's words; null if it is allowed. */
  readonly why: string | null
}

/** A listed input, and others of the same kind. */
export interface Candidate extends SchemaInput {
  /** Its number, counting from 0, among inputs with the same place and kind. The most useful ones come first. */
  readonly turn: number
  readonly drawn: Arbitrary<SchemaInput>
}

export interface InputSource {
  readonly schema: object
  /** How values are sent: as text, which may be read as several JSON values, or as JSON. */
  readonly carrier: Carrier
  /** A valid value. */
  readonly base: unknown
  readonly allowance: Allowance
}

/** The inputs that a JSON Schema (draft-07) allows and forbids: candidates at each bound that it names, sorted by Ajv. */
export function schemaInputs(source: InputSource): readonly Candidate[] {
  const { schema, base } = source
  const check = orNothing(workLimits.schema, () => checkOf(source))
  const sorted = orNothing(workLimits.value, () =>
    check === null || !check.allows(base)
      ? []
      : [...placesOf({ schema, known: base, name: '', depth: 0, around: (leaf) => leaf }, source)].map(
          (place) => ({
            made: (leaf: unknown) => inputOf(leaf, place, check),
            inputs: place.leaves.flatMap((leaf) => inputOf(leaf, place, check) ?? []),
          }),
        ),
  )
  return (sorted ?? []).flatMap(({ inputs, made }) =>
    inputs.map((one, at) => ({
      ...one,
      turn: inputs.slice(0, at).filter(({ kind }) => kind === one.kind).length,
      drawn: fc
        .oneof(fc.constant(one.leaf), { weight: 3, arbitrary: near(one.leaf) })
        .map((leaf) => orNothing(workLimits.value, () => made(leaf)) ?? one)
        .filter(({ kind }) => kind === one.kind),
    })),
  )
}

/** The result of the work; null if it takes too long. */
function orNothing<Made>(ms: number, work: SyncWork<Made>): Made | null {
  try {
    return within(ms, work)
  } catch (error) {
    if (error instanceof MachineTooBusy) throw error.to('make values for a schema')
    if (error instanceof WorkStopped) return null
    throw error
  }
}

/** How a value is judged when it is sent. */
interface Check {
  readonly allows: (value: unknown) => boolean
  /** Why it is forbidden; null if it is allowed, or if correct services differ. */
  readonly whyForbidden: (value: unknown) => string | null
}

/** Formats that are checked, because every program knows that letters do not match them. */
const checkedFormats = ['date', 'date-time', 'uuid', 'ipv4'] as const

/** Loads Ajv only for the first schema, since loading it takes longer than a suite. */
function checkOf({ schema, carrier }: InputSource): Check {
  const require = createRequire(import.meta.url)
  const { Ajv }: typeof import('ajv') = require('ajv')
  const formats: typeof import('ajv-formats') = require('ajv-formats')
  const quiet = { strict: false, logger: false, meta: false, validateSchema: false } as const
  const isText = carrier === 'text'
  const coerceTypes = isText ? 'array' : false
  const ajv = new Ajv({ ...quiet, inlineRefs: false, multipleOfPrecision: 9, coerceTypes })
  formats.default(ajv, [...checkedFormats])
  const validate = ajv.compile(schema)
  // How a list is written in a query is up to the service, so the number of its items is not known.
  if (isText) for (const keyword of ['minItems', 'maxItems', 'uniqueItems']) ajv.removeKeyword(keyword)
  const ofAnyNumber = isText ? ajv.removeSchema(schema).compile(schema) : validate
  const why = (by: typeof validate, value: unknown): string | null =>
    by(value) ? null : (by.errors?.[0]?.message ?? 'is forbidden')
  // Text may be read as what it is or as what it stands for.
  const whyAsSent = (by: typeof validate, value: unknown): string | null => {
    const asItIs = why(by, structuredClone(value))
    return asItIs === null || !isText ? asItIs : why(by, asTexts(value))
  }
  return {
    allows: (value) => whyAsSent(validate, value) === null,
    whyForbidden: (value) => whyAsSent(ofAnyNumber, value),
  }
}

/** The input with a value in a place; null if correct services differ about it. */
function inputOf(leaf: unknown, { name, around, isClosed }: Place, check: Check): SchemaInput | null {
  const input = { value: around(leaf), name, leaf }
  if (check.allows(input.value)) return { ...input, kind: isClosed(leaf) ? 'inside' : 'open', why: null }
  const why = check.whyForbidden(input.value)
  // A single value may stand for a list with one item.
  return why === null || check.allows(around([leaf])) ? null : { ...input, kind: 'outside', why }
}

const letters = fc.constantFrom(...'zyxwvutsrqponmlkjihgfedcba')

function near(leaf: unknown): Arbitrary<unknown> {
  if (typeof leaf === 'number' && Number.isInteger(leaf))
    return fc.integer({ min: -1_000, max: 1_000 }).map((more) => leaf + more)
  return typeof leaf === 'string'
    ? fc.string({ unit: letters, maxLength: 30 }).map((more) => leaf + more)
    : fc.constant(leaf)
}

/** A place in an input, with the values to try there. */
interface Place {
  readonly name: string
  readonly leaves: readonly unknown[]
  /** The whole input with this value in that place. */
  readonly around: (leaf: unknown) => unknown
  /** Whether an allowed value is from a closed set, so that it cannot name something that does not exist. */
  readonly isClosed: (leaf: unknown) => boolean
}

interface Spot extends Pick<Place, 'name' | 'around'> {
  readonly schema: unknown
  readonly known: unknown
  /** The number of objects and lists around it. */
  readonly depth: number
}

/** Each place in an input: the whole, its members and items, and theirs in turn. */
function* placesOf({ schema, known, name, around, depth }: Spot, source: InputSource): Generator<Place> {
  const { schema: root, carrier, allowance } = source
  const of = keywordsOf(schema, root, { allowance, alternatives: 'every' })
  const properties = propertiesOf(of)
  const isJson = carrier === 'json'
  const isQuery = depth === 0 && !isJson && properties.size > 0
  const [item] = of('items')
  const plainItem = item === undefined ? undefined : plainValue(item, root, allowance)
  const leaves = isQuery
    ? []
    : [...numbersFor(of), ...textsFor(of, isJson, known), ...(isJson ? listsFor(of, plainItem) : [])]
  // A parameter without a value may count as absent.
  const sent = isJson ? [...leaves, null] : leaves.filter((one) => one !== '')
  if (!isQuery) yield { name, around, leaves: [...new Set(sent)], isClosed: (leaf) => isOfSet(leaf, of) }
  if (depth > deepest) return

  if (item !== undefined && !Array.isArray(item)) {
    const count = isJson ? Math.min(Math.max(1, ...of('minItems').map(Number)), mostItems) : 1
    const inList = (leaf: unknown): unknown => around(Array.from({ length: count }, () => leaf))
    const [first = plainItem]: readonly unknown[] = Array.isArray(known) ? known : []
    const inner = { schema: item, known: first, name: isJson ? `${name}[0]` : name, around: inList }
    yield* placesOf({ ...inner, depth: depth + 1 }, source)
  }
  if (!isJson && !isQuery) return
  const whole = objectOr(known ?? plainValue(schema, root, allowance))
  const placed = (member: string): string => (name === '' ? member : `${name}.${member}`)
  for (const [member, one] of properties) {
    const inWhole = (leaf: unknown): unknown => around({ ...whole, [member]: leaf })
    const inner = { schema: one, known: whole[member], name: placed(member), around: inWhole }
    yield* placesOf({ ...inner, depth: depth + 1 }, source)
  }
  const isClosed = (): boolean => false
  for (const member of requiredOf(of)) {
    const { [member]: present, ...others } = whole
    if (present === undefined || objectOr(properties.get(member))['default'] !== undefined) continue
    yield { name: placed(member), around: () => around(others), leaves: [undefined], isClosed }
  }
  // Unknown parameters in a query are ignored.
  if (isJson && of('additionalProperties').includes(false) && !properties.has('zz'))
    yield { name: placed('zz'), around: (zz) => around({ ...whole, zz }), leaves: ['zz'], isClosed }
}

/** Maximum number of objects and lists around a value that is tried. */
const deepest = 4
/** Maximum number of items in a list that is sent. */
const mostItems = 50
/** The largest number that every program reads and writes with the same digits. */
const plainNumbers = 1e15

function isOfType(of: Keywords, type: string): boolean {
  return of('type').flat().includes(type)
}

/** Numbers at each bound and just beyond it, and a number that is not a multiple. */
function numbersFor(of: Keywords): readonly number[] {
  const { least, most, step } = rangeOf(of)
  const beyond = [
    ...of('maximum').map((at) => Math.floor(Number(at)) + 1),
    ...of('minimum').map((at) => Math.ceil(Number(at)) - 1),
  ]
  const exclusive = [...of('exclusiveMaximum'), ...of('exclusiveMinimum')].map(Number)
  const between = step > 1 ? [Number.isFinite(least) ? least + 1 : 1] : []
  return [...beyond, ...exclusive, ...between, most, least].filter(
    (one) => Math.abs(one) < plainNumbers && !/e/.test(String(one)),
  )
}

/** The values in an enum and an unknown one, text at each bound of a length, and values of a different type, pattern or format. */
function textsFor(of: Keywords, isJson: boolean, known: unknown): readonly unknown[] {
  const names = namesOf(of)
  // Every server accepts a line of this length.
  const longest = isJson ? 20_000 : 1_000
  const repeated = (letter: string, counts: readonly number[]): readonly string[] =>
    counts.filter((count) => count >= 0 && count <= longest).map((count) => letter.repeat(count))
  const [short, long] = [of('minLength').map(Number), of('maxLength').map(Number)]
  const shorter = short.map((one) => one - 1)
  const [most = 1] = Object.values(rangeOf(of)).filter(Number.isFinite)
  const wrong = of('type')
    .flat()
    .flatMap((type) => (isJson ? wrongJson : wrongTexts)[String(type)]?.(most) ?? [])
  return [
    // Adds letters, because a value that differs only in letter case or spelling might be read as the same.
    ...names.slice(0, 1).map((one) => `${String(one)}zz`),
    ...repeated('a', [...long.map((one) => one + 1), ...shorter]),
    ...of('pattern').flatMap(() => ['~!~', ...(typeof known === 'string' ? [`${known}zz`] : [])]),
    ...of('format').map(() => 'zz'),
    ...(isOfType(of, 'boolean') && names.length === 0 ? [true, false] : []),
    ...names,
    ...repeated('a', [...long, ...short]),
    ...(isJson ? [...repeated('é', shorter), ...repeated('😀', long)] : []),
    ...wrong,
  ]
}

function namesOf(of: Keywords): readonly unknown[] {
  const names = [...of('enum').flat(), ...of('const')]
  return names.filter((one) => ['string', 'number', 'boolean'].includes(typeof one))
}

/** Values of a different type that no program can mistake for an allowed type. */
type WrongTypes = Readonly<Record<string, (most: number) => readonly unknown[]>>

/** Only clearly wrong text, because programs read text in many ways. */
const wrongTexts: WrongTypes = {
  integer: (most) => ['zz', `${most}zz`, 1.5],
  number: (most) => ['zz', `${most}zz`],
  boolean: () => ['zz'],
}
const wrongJson: WrongTypes = {
  integer: (most) => [String(most), 1.5, 'zz', {}],
  number: (most) => [String(most), 'zz', {}],
  boolean: () => ['true', 1, 'zz'],
  string: () => [1, {}, []],
  array: () => [{}, 'zz'],
  object: () => [[], 'zz'],
}

/** Lists with too many, too few, equal or no items. */
function listsFor(of: Keywords, item: unknown): readonly unknown[] {
  const beyond = [
    ...of('maxItems').map((most) => Number(most) + 1),
    ...of('minItems').map((least) => Number(least) - 1),
  ]
  const counts = of('uniqueItems').includes(true) ? [2] : beyond
  return [
    ...counts
      .filter((count) => item !== undefined && count > 0 && count <= mostItems)
      .map((count) => Array.from({ length: count }, () => item)),
    ...(isOfType(of, 'array') ? [[]] : []),
  ]
}

/** Whether an allowed value is a boolean, a member of an enum, a number at or within bounds, or an empty list. A service may refuse what an unchecked format forbids. */
function isOfSet(leaf: unknown, of: Keywords): boolean {
  const isUnchecked = of('format').some((format) => !checkedFormats.some((known) => known === format))
  if (isUnchecked && !(typeof leaf === 'number' && Math.abs(leaf) < 2 ** 31)) return false
  if (typeof leaf === 'boolean' || namesOf(of).includes(leaf)) return true
  if (Array.isArray(leaf)) return leaf.length === 0
  const { least, most, step } = rangeOf(of)
  if (typeof leaf !== 'number' || !Number.isInteger(step)) return false
  return leaf === least || leaf === most || (Number.isFinite(most - least) && least < leaf && leaf < most)
}
