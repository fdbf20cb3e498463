import { trimOws, valueOf, type Request } from '../http/request.ts'
import {
  documentedPairs,
  success,
  type Answer,
  type ErrorCode,
  type Refusal,
} from '../specification/answers.ts'
import { requiredFieldNamed, unknownSegment, type RequiredField } from '../specification/endpoints.ts'
import { groupBy } from '../text/counts.ts'
import { memberNames } from '../text/members.ts'
import type { KnownClient, KnownEndpoint, TargetModel } from './target-model.ts'

/** The codes with which a flaw may be refused; null for a flawless value. */
interface Row {
  readonly codes: readonly ErrorCode[]
  /** Whether the flaw may be acceptable, so that a success is also allowed. */
  readonly mayHold: boolean
}

type RowOf = (facts: { readonly apiKey: string; readonly secretKey: string }) => Row | null

function flaw(...codes: readonly ErrorCode[]): Row {
  return { codes, mayHold: false }
}

function maybe(...codes: readonly ErrorCode[]): Row {
  return { codes, mayHold: true }
}

const allCodes = documentedPairs.map((pair) => pair.errorCode)

/** A service that looks up the pair as a whole may answer 1012 if neither half is known to it. */
function besideWrongKey(also: Row, otherwise: Row): RowOf {
  return ({ apiKey }) => (apiKey === 'invalid' || apiKey === 'blank' ? also : otherwise)
}

/** The values of each fact, and the documented refusals for each flaw. */
export const oracle = {
  apiKey: { valid: null, absent: flaw('1001'), blank: flaw('1001', '1006'), invalid: flaw('1006') },
  secretKey: {
    valid: null,
    absent: flaw('1002'),
    blank: besideWrongKey(flaw('1002', '1007', '1012'), flaw('1002', '1007')),
    nobodys: besideWrongKey(flaw('1007', '1012'), flaw('1007')),
    'another-clients': ({ apiKey }) => (apiKey === 'valid' ? flaw('1007', '1012') : null),
  },
  /** `odd`: an integer that only some parsers read; `other`: an integer that may or may not be served. */
  version: {
    served: null,
    absent: flaw('1003'),
    blank: maybe('1003', '1010', '1030'),
    malformed: flaw('1010', '1030'),
    odd: maybe('1010', '1030'),
    unsupported: flaw('1010'),
    'out-of-range': flaw('1010', '1030'),
    other: maybe('1010', '1030', '1011', '1013'),
  },
  /** `uncertain`: a near miss of a known path, which may be an undocumented endpoint. */
  endpoint: { exists: null, unknown: flaw('1010'), uncertain: maybe(...allCodes) },
  state: { active: null, inactive: flaw('1011') },
  customer: {
    found: null,
    /** A service might not recognise credentials without a customer. A second flaw may be reported instead. */
    none: ({ apiKey, secretKey }) =>
      apiKey === 'valid' && secretKey === 'valid' ? flaw('1012') : flaw('1006', '1007', '1012'),
  },
  permission: { permitted: null, denied: flaw('1013') },
  quota: { left: null, 'used-up': flaw('1020') },
  /** `uncertain`: undocumented parameters, which may or may not be valid. */
  input: { valid: null, uncertain: maybe('1030'), invalid: flaw('1030') },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Row | RowOf | null>>>>

/**
 * The facts about a request when it arrives. Facts are independent unions, so every combination has a meaning. `secretKey` is
 * relative to the API key: `valid` is the key's own secret, or any client's secret if the key is not valid.
 */
export type Facts = { readonly [Name in keyof typeof oracle]: keyof (typeof oracle)[Name] }

export const factNames: readonly (keyof Facts)[] = memberNames(oracle)

/** The facts about a plain valid request. */
export const flawless = {
  apiKey: 'valid',
  secretKey: 'valid',
  version: 'served',
  endpoint: 'exists',
  state: 'active',
  customer: 'found',
  permission: 'permitted',
  quota: 'left',
  input: 'valid',
} as const satisfies Facts

/**
 * Every answer that the specification allows for these facts; never empty. The specification sets no order among flaws, so any
 * flaw may decide the answer. A request with a certain flaw never succeeds. Source: Authentication, Errors, Limits, Versioning.
 */
export function allowed(facts: Facts): readonly Answer[] {
  const rows = factNames.flatMap((fact) => rowOf(fact, facts) ?? [])
  const codes = new Set(rows.flatMap((row) => row.codes))
  const refusals = documentedPairs
    .filter(({ errorCode }) => codes.has(errorCode))
    .map(({ status, errorCode }): Refusal => ({ status, errorCode }))
  return rows.every(({ mayHold }) => mayHold) ? [success, ...refusals] : refusals
}

/** The documented codes for each certain flaw in a request, with its fact. */
export function certainFlaws(facts: Facts): readonly {
  readonly fact: keyof Facts
  readonly codes: readonly ErrorCode[]
}[] {
  return factNames.flatMap((fact) => {
    const row = rowOf(fact, facts)
    return row === null || row.mayHold ? [] : [{ fact, codes: row.codes }]
  })
}

/** Whether a request has an uncertain flaw. */
export function hasUncertainFlaw(facts: Facts): boolean {
  return factNames.some((fact) => rowOf(fact, facts)?.mayHold === true)
}

function rowOf(fact: keyof Facts, facts: Facts): Row | null {
  const values: Readonly<Record<string, Row | RowOf | null>> = oracle[fact]
  const row = values[facts[fact]] ?? null
  return typeof row === 'function' ? row(facts) : row
}

/** The facts about a request as it arrives; null if it repeats a required field, because the specification does not say which value counts. */
export function factsIfKnown(request: Request, model: TargetModel): Facts | null {
  const arrived = arrivedIn(request)
  return arrived === null ? null : factsFrom(arrived, request, model)
}

/** Like {@link factsIfKnown}, but throws a RangeError for a repeated field. */
export function factsOf(request: Request, model: TargetModel): Facts {
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
    const name = requiredFieldNamed(field.name)
    if (name === null) continue
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

  return {
    apiKey: key === null ? 'absent' : key === '' ? 'blank' : client === null ? 'invalid' : 'valid',
    secretKey: secretFact(secret, client, model),
    version: versionOf(version, endpoint.known, model),
    endpoint: endpoint.fact,
    state: client?.name === 'inactive' || endpoint.known?.inactive === true ? 'inactive' : flawless.state,
    customer: client?.name === 'noCustomer' ? 'none' : flawless.customer,
    permission: client?.name === 'unauthorized' ? 'denied' : flawless.permission,
    quota: client?.name === 'exhausted' ? 'used-up' : flawless.quota,
    input: inputFact(request, endpoint.known),
  }
}

/** The client to which the key belongs. If several clients share the key, the secret decides. */
function clientOf(key: string | null, secret: string | null, { clients }: TargetModel): KnownClient | null {
  const named = clients.filter(({ credentials }) => credentials.apiKey.reveal() === key)
  return named.find(({ credentials }) => credentials.secretKey.reveal() === secret) ?? named[0] ?? null
}

function secretFact(
  secret: string | null,
  client: KnownClient | null,
  { clients }: TargetModel,
): Facts['secretKey'] {
  if (secret === null) return 'absent'
  if (secret === '') return 'blank'
  if (client?.credentials.secretKey.reveal() === secret) return 'valid'
  if (!clients.some(({ credentials }) => credentials.secretKey.reveal() === secret)) return 'nobodys'
  return client === null ? 'valid' : 'another-clients'
}

function versionOf(
  value: string | null,
  endpoint: KnownEndpoint | null,
  model: TargetModel,
): Facts['version'] {
  if (value === null) return 'absent'

  const served = (endpoint ?? model.endpoints[0])?.version ?? '1'
  return versionFact(value, { served, unsupported: model.unsupportedVersion })
}

/** The endpoint for a request. If a path has several versions, the requested one. */
function endpointOf(
  request: Request,
  version: string | null,
  model: TargetModel,
): { readonly fact: Facts['endpoint']; readonly known: KnownEndpoint | null } {
  const path = pathOf(request.target)
  const known = placesOf(model).get(`${request.method} ${path}`) ?? []
  const [first] = known
  if (first !== undefined) {
    return { fact: 'exists', known: known.find((endpoint) => endpoint.version === version) ?? first }
  }

  const isUnknown = path.startsWith('/api/') && unknownSegment.test(path.split('/')[2] ?? '')
  return { fact: isUnknown ? 'unknown' : 'uncertain', known: null }
}

const places = new WeakMap<TargetModel, ReadonlyMap<string, readonly KnownEndpoint[]>>()

/** The endpoints indexed by method and path, because an endpoints file may contain hundreds. */
function placesOf(model: TargetModel): ReadonlyMap<string, readonly KnownEndpoint[]> {
  const made = places.get(model) ?? groupBy(model.endpoints, ({ method, path }) => `${method} ${path}`)
  places.set(model, made)
  return made
}

function inputFact({ target, body }: Request, endpoint: KnownEndpoint | null): Facts['input'] {
  const query = queryOf(target)
  if ((body ?? null) !== (endpoint?.body ?? null)) return 'uncertain'
  if (query === (endpoint?.query ?? null)) return 'valid'
  return query !== null && query === endpoint?.invalidQuery ? 'invalid' : 'uncertain'
}

function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

function queryOf(target: string): string | null {
  const start = target.indexOf('?')
  return start === -1 ? null : target.slice(start + 1)
}

interface KnownVersions {
  readonly served: string
  readonly unsupported: string
}

const greatest = 2 ** 31 - 1
/** The minimum for a random version, because no service has that many versions. */
const improbable = 10 ** 8

/** Classifies an `x-version` value as it arrives, with one character up to U+00FF per byte. Source: Versioning. */
export function versionFact(value: string, known: KnownVersions): Facts['version'] {
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
function isWrittenOddly(text: string): boolean {
  return (
    /^[+-]?[0-9]+\.0*$/.test(text) ||
    /^[+-]?0(?:x[0-9a-f]+|o[0-7]+|b[01]+)$/i.test(text) ||
    /^[+-]?[0-9]+(?:\.[0-9]*)?e[+-]?[0-9]+$/i.test(text) ||
    /^[+-]?[0-9]+(?:_[0-9]+)+$/.test(text) ||
    /^[+-]?\p{Nd}+$/u.test(text)
  )
}
