import { trimOws, valueOf, type Request, type Field } from '../http/exchange.ts'
import {
  documentedPairs,
  success,
  type Answer,
  type ErrorCode,
  type Refusal,
} from '../specification/answers.ts'
import { requiredFields, type RequiredField } from '../specification/endpoints.ts'
import { factNames, flawless, flawOfClient, flaws, type Facts, type Flaw } from '../specification/flaws.ts'
import { groupBy } from '../text/members.ts'
import type { KnownClient, KnownEndpoint, TargetModel } from './target-model.ts'

/**
 * Every answer that the specification allows for these facts; never empty. The specification sets no order among flaws, so any
 * flaw may decide the answer. A request with a certain flaw never succeeds. Source: Authentication, Errors, Limits, Versioning.
 */
export function allowed(facts: Facts): readonly Answer[] {
  const found = flawsOf(facts)
  const codes = new Set(found.flatMap((one) => one.codes))
  const refusals = documentedPairs
    .filter(({ errorCode }) => codes.has(errorCode))
    .map(({ status, errorCode }): Refusal => ({ status, errorCode }))
  return found.every(({ mayHold }) => mayHold) ? [success, ...refusals] : refusals
}

/** The certain flaws in a request, with the fact and the documented codes of each. */
export function certainFlaws(facts: Facts): readonly Omit<FoundFlaw, 'mayHold'>[] {
  return flawsOf(facts).flatMap(({ mayHold, ...certain }) => (mayHold ? [] : [certain]))
}

/** Whether a request has an uncertain flaw. */
export function hasUncertainFlaw(facts: Facts) {
  return flawsOf(facts).some(({ mayHold }) => mayHold)
}

/** A flaw that facts show, with the codes of its refusals. */
type FoundFlaw = Readonly<{
  fact: keyof Facts
  codes: readonly ErrorCode[]
  mayHold: boolean
}>

function flawsOf(facts: Facts): readonly FoundFlaw[] {
  return factNames.flatMap((fact) => {
    const rows: Readonly<Record<string, Flaw>> = flaws[fact]
    const row = rows[facts[fact]]
    const codes = row?.codes(facts) ?? []
    return codes.length === 0
      ? []
      : [
          {
            fact,
            codes,
            mayHold: row?.mayHold === true,
          },
        ]
  })
}

const seen = new WeakMap<TargetModel, WeakMap<Request, Facts | null>>()

/**
 * The facts about a request as it arrives, made once; null if it repeats a required field, because the specification does not say which
 * value counts.
 */
export function factsIfKnown(request: Request, model: TargetModel) {
  const ofModel = seen.get(model) ?? new WeakMap<Request, Facts | null>()
  seen.set(model, ofModel)
  const known = ofModel.get(request)
  if (known !== undefined) return known
  const arrived = arrivedIn(request)
  const facts = arrived && factsFrom(arrived, request, model)
  ofModel.set(request, facts)
  return facts
}

/** Like {@link factsIfKnown}, but throws a RangeError for a repeated field. */
export function factsOf(request: Request, model: TargetModel) {
  const facts = factsIfKnown(request, model)
  if (facts === null) throw new RangeError('it is unknown which of several equally named fields counts')
  return facts
}

/** The values that arrive in the required fields; null for an absent field. */
type Arrived = { readonly [Name in RequiredField]: string | null }

/** The values of the required fields; null if one is repeated. */
function arrivedIn({ fields }: Request): Arrived | null {
  const values: { [Name in RequiredField]: string | null } = {
    'x-api-key': null,
    'x-secret-key': null,
    'x-version': null,
  }
  for (const field of fields) {
    const name = requiredOf(field)
    if (name === undefined) continue
    if (values[name] !== null) return null
    values[name] = trimOws(valueOf(field))
  }
  return values
}

function factsFrom(
  { 'x-api-key': key, 'x-secret-key': secret, 'x-version': version }: Arrived,
  request: Request,
  model: TargetModel,
): Facts {
  const client = clientOf(key, secret, model)
  const endpoint = endpointOf(request, version, model)
  const ofClient = client === null ? null : flawOfClient[client.name]

  return {
    ...flawless,
    ...(ofClient === null ? {} : { [ofClient.fact]: ofClient.value }),
    ...(endpoint.known?.inactive === true ? ({ state: 'inactive' } as const) : {}),
    apiKey: key === null ? 'absent' : key === '' ? 'blank' : client === null ? 'invalid' : 'valid',
    secretKey: secretFact(secret, client, model),
    version: versionOf(version, endpoint.known, model),
    endpoint: endpoint.fact,
    input: inputFact(request, endpoint.known),
  }
}

/** The client to which the key belongs. If several clients share the key, the secret decides. */
function clientOf(key: string | null, secret: string | null, { clients }: TargetModel) {
  const named = clients.filter(({ credentials }) => credentials.apiKey.reveal() === key)
  return named.find(({ credentials }) => credentials.secretKey.reveal() === secret) ?? named[0] ?? null
}

function secretFact(secret: string | null, client: KnownClient | null, { clients }: TargetModel) {
  if (secret === null) return 'absent'
  if (secret === '') return 'blank'
  if (client?.credentials.secretKey.reveal() === secret) return 'valid'
  if (!clients.some(({ credentials }) => credentials.secretKey.reveal() === secret)) return 'nobodys'
  return client === null ? 'valid' : 'another-clients'
}

function versionOf(value: string | null, endpoint: KnownEndpoint | null, model: TargetModel) {
  if (value === null) return 'absent'
  const served = (endpoint ?? model.endpoints[0])?.version ?? '1'
  return versionFact(value, { served, unsupported: model.unsupportedVersion })
}

/** The endpoint for a request. If a path has several versions, the requested one. */
function endpointOf(request: Request, version: string | null, model: TargetModel) {
  const path = pathOf(request.target)
  const all = placesOf(model).get(`${request.method} ${path}`) ?? []
  const known = all.find((endpoint) => endpoint.version === version) ?? all[0] ?? null
  const isUnknown = path.startsWith('/api/') && unknownSegment.test(path.split('/')[2] ?? '')
  return { fact: known === null ? (isUnknown ? 'unknown' : 'uncertain') : 'exists', known } as const
}

const places = new WeakMap<TargetModel, ReadonlyMap<string, readonly KnownEndpoint[]>>()

/** The endpoints indexed by method and path, because an endpoints file may contain hundreds. */
function placesOf(model: TargetModel): ReadonlyMap<string, readonly KnownEndpoint[]> {
  const made = places.get(model) ?? groupBy(model.endpoints, ({ method, path }) => `${method} ${path}`)
  places.set(model, made)
  return made
}

function inputFact({ target, body }: Request, endpoint: KnownEndpoint | null) {
  const query = queryOf(target)
  if ((body ?? null) !== (endpoint?.body ?? null)) return 'uncertain'
  if (query === (endpoint?.query ?? null)) return 'valid'
  return query !== null && query === endpoint?.invalidQuery ? 'invalid' : 'uncertain'
}

function pathOf(target: string) {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

function queryOf(target: string) {
  const start = target.indexOf('?')
  return start === -1 ? null : target.slice(start + 1)
}

const greatest = 2 ** 31 - 1
/** The minimum for a random version, because no service has that many versions. */
const improbable = 10 ** 8

/** Classifies an `x-version` value as it arrives, with one character up to U+00FF per byte. Source: Versioning. */
export function versionFact(value: string, known: Record<'served' | 'unsupported', string>) {
  if (value === known.served) return 'served'
  const text = Buffer.from(value, 'latin1').toString('utf8')
  if (text === '') return 'blank'
  if (!/^(?:0|-?[1-9][0-9]*)$/.test(text)) return isWrittenOddly(text) ? 'odd' : 'malformed'
  if (text === known.unsupported) return 'unsupported'

  // A double represents all integers in the range exactly, and never rounds one from outside into it.
  const version = Number(text)
  if (version < 0 || version > greatest) return 'out-of-range'
  return version >= improbable ? 'unsupported' : 'other'
}

/** Whether the text is an integer that only some parsers read: a sign, leading zeros, `.0`, hexadecimal, exponents, other scripts' digits, underscores. */
function isWrittenOddly(text: string) {
  return (
    /^[+-]?[0-9]+\.0*$/.test(text) ||
    /^[+-]?0(?:x[0-9a-f]+|o[0-7]+|b[01]+)$/i.test(text) ||
    /^[+-]?[0-9]+(?:\.[0-9]*)?e[+-]?[0-9]+$/i.test(text) ||
    /^[+-]?[0-9]+(?:_[0-9]+)+$/.test(text) ||
    /^[+-]?\p{Nd}+$/u.test(text)
  )
}

/**
 * All legitimate readings of a request's required fields, HTTP's reading first. Many servers keep trailing white space (contrary to
 * RFC 9110, 5.5), and some keep a leading tab; some ignore a value with bytes beyond ASCII. A control character, a line break or an
 * oversized line may make a server drop the line or stop reading.
 */
export function readingsOf(request: Request): readonly Request[] {
  const { fields } = request
  const further = ways.filter(({ is }) => fields.some(is))
  return [request, ...further.map(({ read }) => ({ ...request, fields: read(fields) }))]
}

/** Whether all servers must read a request in the same way. */
export function isReadInOneWay({ fields }: Request) {
  return !ways.some(({ is }) => fields.some(is))
}

/** A way in which some servers deviate, and the fields as they read them. */
const ways: readonly {
  readonly is: (field: Field) => boolean
  readonly read: (fields: readonly Field[]) => readonly Field[]
}[] = [
  {
    is: mayKeepSpace,
    read: (fields) => fields.map((field) => (mayKeepSpace(field) ? unstripped(field) : field)),
  },
  { is: beyondAscii, read: (fields) => fields.filter((field) => !beyondAscii(field)) },
  { is: mayEndTheHead, read: (fields) => fields.filter((field) => !isRequired(field)) },
]

/** Whether a server may refuse a malformed line in the request and quote it. */
export function hasMalformedLine({ fields }: Request) {
  return fields.some(mayEndTheHead)
}

function mayKeepSpace(field: Field) {
  return isRequired(field) && /^ *\t|[ \t]$/.test(valueOf(field))
}

/** The dots keep the white space inside the value and change every value. */
function unstripped(field: Field): Field {
  return { name: field.name, value: `.${valueOf(field)}.` }
}

function beyondAscii(field: Field) {
  return isRequired(field) && /[\x80-\xff]/.test(valueOf(field))
}

/** Maximum length accepted by every common server, in characters. */
const longestValue = 2_000

function mayEndTheHead(field: Field) {
  const value = valueOf(field)
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return isRequired(field) && (value.length > longestValue || /[\0-\x08\x0a-\x1f\x7f]/.test(value))
}

function isRequired(field: Field) {
  return requiredOf(field) !== undefined
}

/** The required header that a field is, in any letter case; undefined for other fields. */
function requiredOf({ name }: Field) {
  const known = name.toLowerCase()
  return requiredFields.find((field) => field === known)
}

/** A recognizable random first segment under `/api/` that no service has. Any other path may be an undocumented endpoint. */
export const unknownSegment = /^zz[a-z]{14}$/
