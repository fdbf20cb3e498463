import { trimOws, valueOf, type Request } from '../http/exchange.ts'
import {
  documentedPairs,
  success,
  type Answer,
  type ErrorCode,
  type Refusal,
} from '../specification/answers.ts'
import { requiredFieldNamed, unknownSegment, type RequiredField } from '../specification/endpoints.ts'
import { factNames, flawless, flawOfClient, flaws, type Facts, type Flaw } from '../specification/flaws.ts'
import { groupBy } from '../text/counts.ts'
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
export function hasUncertainFlaw(facts: Facts): boolean {
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

const greatest = 2 ** 31 - 1
/** The minimum for a random version, because no service has that many versions. */
const improbable = 10 ** 8

/** Classifies an `x-version` value as it arrives, with one character up to U+00FF per byte. Source: Versioning. */
export function versionFact(
  value: string,
  known: Record<'served' | 'unsupported', string>,
): Facts['version'] {
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
