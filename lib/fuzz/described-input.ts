import { createRequire } from 'node:module'
import { parse } from 'node:querystring'
import fc from 'fast-check'
import { refusalOf, success, type Answer } from '../specification/answers.ts'
import { filledPath } from '../specification/endpoints.ts'
import { MachineTooBusy, withinOr, workLimits, type SyncWork } from '../specification/within.ts'
import { listOr, objectOr } from '../text/json.ts'
import { caseClass, judged, type GeneratorInput, type NamedChange, type Share } from './case-class.ts'
import {
  allowanceOf,
  asTexts,
  keywordsOf,
  plainValue,
  propertiesOf,
  rangeOf,
  requiredOf,
  type Carrier,
  type Keywords,
  type Reading,
} from './plain-value.ts'
import { withBody, withPath, withQueryFrom } from './request-changes.ts'
import { percentEncoded } from './targets.ts'

/** Cases for `fuzz/query` on an endpoint whose input is in the endpoints file: values that its schemas forbid, and values that they allow. */
export function describedClasses({ described, query, endpoints }: GeneratorInput) {
  if (!described) return []
  const { file, number, query: ofQuery, template, pathParameters, body } = described
  const allowance = allowanceOf(endpoints)
  const request = (kind: Kind, [says, apply]: NamedChange, isPath = false) => {
    const allowed = [...kinds[kind].allowed, ...(isPath ? [refusalOf('1010')] : [])]
    return judged(`${says} (${file}, entry ${number})`, apply, { allowed, described: { file, number, says } })
  }
  const fromSchema = (source: Omit<InputSource, 'allowance'>, made: Put, isPath = false) =>
    schemaInputs({ ...source, allowance }).map(({ one, drawn, turn }) => {
      // A path value may name something that does not exist, and a forbidden value may count as a different path.
      const kind = isPath && one.kind === 'inside' ? 'open' : one.kind
      const changed = (input: SchemaInput) => {
        const [says, apply] = made(input)
        return request(kind, [input.why ? `${says}, ${input.why}` : says, apply], isPath)
      }
      return { kind, turn, one: changed(one), drawn: drawn.map(changed) }
    })
  const withBroken = (kind: Kind, says: string, text: string) => {
    const one = request(kind, [says, withBody(text)])
    return { kind, turn: 0, one, drawn: one }
  }
  const parameters = Object.entries(pathParameters)
  const examples = parameters.map(([name, { example = '' }]) => [name, String(example)] as const)
  const inPath = (name: string, value: unknown): NamedChange => {
    const text = textsOf(value).join(',')
    const texts = { ...Object.fromEntries(examples), [name]: text }
    return [`{${name}} ${shown(text)}`, withPath(filledPath(template, texts))]
  }
  const broken = [
    withBroken(body?.required === false ? 'open' : 'outside', 'empty body', ''),
    withBroken('outside', 'body that is broken JSON', `{${JSON.stringify(body?.example ?? {})}`),
  ]
  const inQuery = { carrier: 'text', base: { ...parse(query ?? '') } } as const
  const ofSchemas = [
    ...(ofQuery ? fromSchema({ root: ofQuery, ...inQuery }, parameterWith) : []),
    ...parameters.flatMap(([name, { schema: root, example: base }]) =>
      fromSchema({ root, carrier: 'text', base }, ({ value }) => inPath(name, value), true),
    ),
    ...(body ? fromSchema({ root: body.schema, carrier: 'json', base: body.example }, bodyWith) : []),
  ]
  // Lists the first case for each place, then the second for each, so that a gate reaches every place.
  const all = [...(body ? broken : []), ...ofSchemas].toSorted((a, b) => a.turn - b.turn)
  return Object.entries(kinds).map(([kind, { share }]) => {
    const ofKind = all.filter((one) => one.kind === kind)
    const [drawn, listed] = [ofKind.map((one) => one.drawn), ofKind.map(({ one }) => one)]
    return caseClass(`described-${kind}`, share, drawn, listed)
  })
}

const because = 'each is about a different bound in the endpoints file'

/** Each kind of input, with the documented answers. */
const kinds: Readonly<Record<Kind, { readonly allowed: readonly Answer[]; readonly share: Share }>> = {
  outside: { allowed: [refusalOf('1030')], share: { weight: 30, always: 40, because, everywhere: true } },
  inside: { allowed: [success], share: { weight: 15, always: 12, because, everywhere: true } },
  open: { allowed: [success, refusalOf('1030')], share: { weight: 5 } },
}

/** The change that puts a value into the part of a request that a schema describes. */
type Put = (input: SchemaInput) => NamedChange

const parameterWith: Put = ({ name, leaf, value }) => {
  const texts = leaf === undefined ? [] : textsOf(Reflect.get(Object(value), name))
  const told = texts.length > 3 ? `${texts.length} items` : shown(texts.join(','))
  return [texts.length === 0 ? `without ${name}` : `${name}=${told}`, withParameter(name, texts)]
}

const bodyWith: Put = ({ name, leaf, value }) => {
  const text = typeof leaf === 'string' ? leaf : JSON.stringify(leaf)
  const place = name === '' ? 'body with' : `body with ${name}`
  const says = leaf === undefined ? `body without ${name}` : `${place} ${shown(text, JSON.stringify(leaf))}`
  return [says, withBody(JSON.stringify(value))]
}

/** Text, or its length if it is long. */
function shown(text: string, quoted = text) {
  return text.length > 40 ? `${[...text].length} characters` : quoted
}

/** Sets exactly these values for a query parameter. */
function withParameter(name: string, texts: readonly string[]) {
  const written = texts.map((text) => `${percentEncoded(name)}=${percentEncoded(text)}`)
  return withQueryFrom((query) => {
    const pairs = query.split('&').filter((pair) => pair !== '')
    const others = pairs.filter((pair) => decodeURIComponent(pair.split('=')[0] ?? '') !== name)
    return [...others, ...written].join('&')
  })
}

/** A value as query parameters, with the items in a list one after another. */
function textsOf(value: unknown) {
  return [value].flat().map(String)
}

/** Forbidden; allowed and closed (a number within bounds, a member of an enum, a boolean); or allowed, but possibly naming something that does not exist. */
export type Kind = 'outside' | 'inside' | 'open'

/** A valid value with one change, as judged by a schema. */
type SchemaInput = Readonly<{
  value: unknown
  kind: Kind
  /** The changed part: `limit`, `owner.name`, or an empty string for the whole. */
  name: string
  /** The value of the changed part; undefined if it is absent. */
  leaf: unknown
  /** Why the schema forbids it, in Ajv's words; null if it is allowed. */
  why: string | null
}>

export type InputSource = Reading &
  Readonly<{
    root: object
    /** How values are sent: as text, which may be read as several JSON values, or as JSON. */
    carrier: Carrier
    /** A valid value. */
    base: unknown
  }>

/**
 * The inputs that a JSON Schema (draft-07) allows and forbids: candidates at each bound that it names, sorted by Ajv. Each comes with
 * others of its kind, and with its turn: its number, counting from 0, among inputs with the same place and kind, most useful first.
 */
export function schemaInputs(source: InputSource) {
  const { root, base } = source
  const check = orNothing(workLimits.schema, () => checkOf(source))
  if (!check) return []
  const whole = { schema: root, known: base, name: '', depth: 0, around: (leaf: unknown) => leaf }
  const inputsOf = (place: Place) => place.leaves.flatMap((leaf) => inputOf(leaf, place, check) ?? [])
  const places = orNothing(workLimits.value, () =>
    check.allows(base)
      ? [...placesOf(whole, source)].map((place) => ({ place, inputs: inputsOf(place) }))
      : [],
  )
  return (places ?? []).flatMap(({ place, inputs }) =>
    inputs.map((one, at) => ({
      one,
      turn: inputs.slice(0, at).filter(({ kind }) => kind === one.kind).length,
      drawn: fc
        .oneof(fc.constant(one.leaf), { weight: 3, arbitrary: near(one.leaf) })
        .map((leaf) => orNothing(workLimits.value, () => inputOf(leaf, place, check)) ?? one)
        .filter(({ kind }) => kind === one.kind),
    })),
  )
}

/** The result of the work; null if it takes too long. */
function orNothing<Made>(ms: number, work: SyncWork<Made>) {
  try {
    return withinOr<Made | null>(ms, work, () => null)
  } catch (error) {
    throw error instanceof MachineTooBusy ? error.to('make values for a schema') : error
  }
}

/** Formats that are checked, because every program knows that letters do not match them. */
const checkedFormats = ['date', 'date-time', 'uuid', 'ipv4'] as const

/** How values are judged when they are sent. Loads Ajv only for the first schema, since loading it takes longer than a suite. */
function checkOf({ root, carrier }: InputSource) {
  const require = createRequire(import.meta.url)
  const { Ajv }: typeof import('ajv') = require('ajv')
  const formats: typeof import('ajv-formats') = require('ajv-formats')
  const quiet = { strict: false, logger: false, meta: false, validateSchema: false } as const
  const isText = carrier === 'text'
  const coerceTypes = isText ? 'array' : false
  const ajv = new Ajv({ ...quiet, inlineRefs: false, multipleOfPrecision: 9, coerceTypes })
  formats.default(ajv, [...checkedFormats])
  const validate = ajv.compile(root)
  // How a list is written in a query is up to the service, so the number of its items is not known.
  if (isText) for (const keyword of ['minItems', 'maxItems', 'uniqueItems']) ajv.removeKeyword(keyword)
  const ofAnyNumber = isText ? ajv.removeSchema(root).compile(root) : validate
  const whyNot = (by: typeof validate, value: unknown) => {
    // Text may be read as what it is or as what it stands for.
    const readings = isText ? [structuredClone(value), asTexts(value)] : [value]
    return readings.some((one) => by(one)) ? null : (by.errors?.[0]?.message ?? 'is forbidden')
  }
  return {
    allows: (value: unknown) => whyNot(validate, value) === null,
    /** Why a value is forbidden; null if it is allowed, or if correct services differ. */
    whyForbidden: (value: unknown) => whyNot(ofAnyNumber, value),
  }
}

type Check = ReturnType<typeof checkOf>

/** The input with a value in a place; null if correct services differ about it. */
function inputOf(leaf: unknown, { name, around, of }: Place, check: Check): SchemaInput | null {
  const input = { value: around(leaf), name, leaf }
  if (check.allows(input.value)) return { ...input, kind: isOfSet(leaf, of) ? 'inside' : 'open', why: null }
  const why = check.whyForbidden(input.value)
  // A single value may stand for a list with one item.
  return why === null || (leaf !== undefined && check.allows(around([leaf])))
    ? null
    : { ...input, kind: 'outside', why }
}

const letters = fc.constantFrom(...'zyxwvutsrqponmlkjihgfedcba')

function near(leaf: unknown) {
  if (typeof leaf === 'string') return fc.string({ unit: letters, maxLength: 30 }).map((more) => leaf + more)
  if (!Number.isInteger(leaf)) return fc.constant(leaf)
  return fc.integer({ min: -1_000, max: 1_000 }).map((more) => Number(leaf) + more)
}

/** A place in an input, with the values to try there. */
type Place = Readonly<{
  name: string
  of: Keywords
  leaves: readonly unknown[]
  /** The whole input with this value in that place, or without any. */
  around: (leaf: unknown) => unknown
}>

/** Where to look for places: a schema, a valid value for it, and the number of objects and lists around it. */
type Spot = Pick<Place, 'name' | 'around'> & Readonly<{ schema: unknown; known: unknown; depth: number }>

/** Each place in an input: the whole, its members and items, and theirs in turn. */
function* placesOf({ schema, known, name, around, depth }: Spot, source: InputSource): Generator<Place> {
  const of = keywordsOf(schema, source)
  const properties = propertiesOf(of)
  const isJson = source.carrier === 'json'
  const isQuery = depth === 0 && !isJson && properties.size > 0
  const [item] = of('items')
  const plainItem = item === undefined ? undefined : plainValue(item, source)
  const leaves = new Set(leavesFor(of, source.carrier, known, plainItem))
  if (!isQuery) yield { name, of, around, leaves: [...leaves] }
  if (depth > deepest) return

  if (item !== undefined && !Array.isArray(item)) {
    const count = isJson ? Math.min(Math.max(1, ...of('minItems').map(Number)), mostItems) : 1
    const inList = (leaf: unknown) => around(Array.from({ length: count }, () => leaf))
    const [first = plainItem] = listOr(known)
    const inner = { schema: item, known: first, name: isJson ? `${name}[0]` : name, around: inList }
    yield* placesOf({ ...inner, depth: depth + 1 }, source)
  }
  if (!isJson && !isQuery) return
  const whole = objectOr(known ?? plainValue(schema, source))
  const placeOf = (member: string) => ({
    name: name === '' ? member : `${name}.${member}`,
    around: (leaf: unknown) => {
      const { [member]: _, ...others } = whole
      return around(leaf === undefined ? others : { ...whole, [member]: leaf })
    },
  })
  for (const [member, one] of properties)
    yield* placesOf({ ...placeOf(member), schema: one, known: whole[member], depth: depth + 1 }, source)
  for (const member of requiredOf(of))
    if (whole[member] !== undefined && objectOr(properties.get(member))['default'] === undefined)
      yield { ...placeOf(member), of, leaves: [undefined] }
  // Unknown parameters in a query are ignored.
  if (isJson && of('additionalProperties').includes(false) && !properties.has('zz'))
    yield { ...placeOf('zz'), of, leaves: ['zz'] }
}

/** Maximum number of objects and lists around a value that is tried. */
const deepest = 4
/** Maximum number of items in a list that is sent. */
const mostItems = 50
/** The largest number that every program reads and writes with the same digits. */
const plainNumbers = 1e15

/**
 * The values to try in a place, most useful first: at each bound and just beyond it, in an enum and unknown, and of a different type,
 * pattern or format.
 */
function leavesFor(of: Keywords, carrier: Carrier, known: unknown, item: unknown) {
  const isJson = carrier === 'json'
  const numbers = (keyword: string, more = 0) => of(keyword).map((at) => Number(at) + more)
  const { least, most, step } = rangeOf(of)
  const bounds = [
    ...numbers('maximum').map((at) => Math.floor(at) + 1),
    ...numbers('minimum').map((at) => Math.ceil(at) - 1),
    ...numbers('exclusiveMaximum'),
    ...numbers('exclusiveMinimum'),
    ...(step > 1 ? [Number.isFinite(least) ? least + 1 : 1] : []),
    most,
    least,
  ]
  const names = namesOf(of)
  const types = of('type').flat().map(String)
  // Every server accepts a line of this length.
  const longest = isJson ? 20_000 : 1_000
  const repeated = (letter: string, counts: readonly number[]) =>
    counts.filter((count) => count >= 0 && count <= longest).map((count) => letter.repeat(count))
  const long = numbers('maxLength')
  const shorter = numbers('minLength', -1)
  const some = [most, least, step].find(Number.isFinite)
  const scalars = [
    ...bounds.filter((one) => Math.abs(one) < plainNumbers && !/e/.test(String(one))),
    // Adds letters, because a value that differs only in letter case or spelling might be read as the same.
    ...names.slice(0, 1).map((one) => `${String(one)}zz`),
    ...repeated('a', [...numbers('maxLength', 1), ...shorter]),
    ...of('pattern').flatMap(() => ['~!~', ...(typeof known === 'string' ? [`${known}zz`] : [])]),
    ...of('format').map(() => 'zz'),
    ...(types.includes('boolean') && names.length === 0 ? [true, false] : []),
    ...names,
    ...repeated('a', [...long, ...numbers('minLength')]),
    ...(isJson ? [...repeated('é', shorter), ...repeated('😀', long)] : []),
    ...types.flatMap((type) => wrongTypes(some)[carrier][type] ?? []),
  ]
  // A parameter without a value may count as absent.
  if (!isJson) return scalars.filter((one) => one !== '')
  const counts = of('uniqueItems').includes(true)
    ? [2]
    : [...numbers('maxItems', 1), ...numbers('minItems', -1)]
  const lists = counts
    .filter((count) => item !== undefined && count > 0 && count <= mostItems)
    .map((count) => Array.from({ length: count }, () => item))
  return [...scalars, ...lists, ...(types.includes('array') ? [[]] : []), null]
}

function namesOf(of: Keywords) {
  return [...of('enum').flat(), ...of('const')].filter((one) => /string|number|boolean/.test(typeof one))
}

type ByType = Readonly<Partial<Record<string, readonly unknown[]>>>

/** Values of a different type that no program can mistake for an allowed type. As text only few, because programs read text in many ways. */
function wrongTypes(number = 1): Readonly<Record<Carrier, ByType>> {
  return {
    text: { integer: ['zz', `${number}zz`, 1.5], number: ['zz', `${number}zz`], boolean: ['zz'] },
    json: {
      integer: [String(number), 1.5, 'zz', {}],
      number: [String(number), 'zz', {}],
      boolean: ['true', 1, 'zz'],
      string: [1, {}, []],
      array: [{}, 'zz'],
      object: [[], 'zz'],
    },
  }
}

/** Whether an allowed value is a boolean, a member of an enum, a number at or within bounds, or an empty list. A service may refuse what an unchecked format forbids. */
function isOfSet(leaf: unknown, of: Keywords) {
  const isUnchecked = of('format').some((format) => !checkedFormats.some((known) => known === format))
  if (isUnchecked && !(typeof leaf === 'number' && Math.abs(leaf) < 2 ** 31)) return false
  if (typeof leaf === 'boolean' || namesOf(of).includes(leaf)) return true
  if (Array.isArray(leaf)) return leaf.length === 0
  const { least, most, step } = rangeOf(of)
  if (typeof leaf !== 'number' || !Number.isInteger(step)) return false
  return leaf === least || leaf === most || (Number.isFinite(most - least) && least < leaf && leaf < most)
}
