import { fieldsOf, type Request } from '../http/request.ts'
import { flawless, type Facts } from './facts.ts'
import type { KnownClient, KnownEndpoint, TargetModel } from './target-model.ts'
import { requiredFields, unknownSegment } from '../spec/endpoints.ts'
import { versionFact } from './version-fact.ts'

/** As {@link factsOf}, or null for a request that repeats a required field. */
export function factsIfKnown(request: Request, knowledge: TargetModel): Facts | null {
  const isRepeated = requiredFields.some((name) => fieldsOf(request, name).length > 1)
  return isRepeated ? null : factsOf(request, knowledge)
}

/**
 * What is known about a request from what arrives of it, whatever was meant when it was made. A required field that is
 * repeated is beyond the table (which value counts is not shown): a RangeError.
 */
export function factsOf(request: Request, knowledge: TargetModel): Facts {
  const key = single(request, 'x-api-key')
  const secret = single(request, 'x-secret-key')
  const client = clientOf(key, secret, knowledge)
  const endpoint = endpointOf(request, knowledge)

  return {
    apiKey: key === null ? 'absent' : key === '' ? 'blank' : client === null ? 'invalid' : 'valid',
    secretKey: secretFact(secret, client, knowledge),
    version: versionOf(request, endpoint.known, knowledge),
    endpoint: endpoint.fact,
    ...conditionOf(client, endpoint.known),
    input: inputFact(request, endpoint.known),
  }
}

function single(request: Request, name: string): string | null {
  const values = fieldsOf(request, name)
  if (values.length > 1) throw new RangeError(`which of ${values.length} ${name} fields counts is not known`)
  return values[0] ?? null
}

/** The client that the key names; of several with one key, the one whose secret fits. */
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
  request: Request,
  endpoint: KnownEndpoint | null,
  knowledge: TargetModel,
): Facts['version'] {
  const value = single(request, 'x-version')
  if (value === null) return 'absent'

  const served = (endpoint ?? knowledge.endpoints[0])?.version ?? '1'
  return versionFact(value, { served, unsupported: knowledge.unsupportedVersion })
}

/** The endpoint that a request names; of several versions at one path, the one whose version it asks for. */
function endpointOf(
  request: Request,
  { endpoints }: TargetModel,
): { readonly fact: Facts['endpoint']; readonly known: KnownEndpoint | null } {
  const path = pathOf(request.target)
  const version = single(request, 'x-version')
  const known = endpoints.filter((endpoint) => endpoint.path === path && endpoint.method === request.method)
  const [first] = known
  if (first !== undefined) {
    return { fact: 'exists', known: known.find((endpoint) => endpoint.version === version) ?? first }
  }

  const isUnknown = path.startsWith('/api/') && unknownSegment.test(path.split('/')[2] ?? '')
  return { fact: isUnknown ? 'unknown' : 'uncertain', known: null }
}

/** How the client that the key names fares, and the endpoint. */
function conditionOf(
  client: KnownClient | null,
  endpoint: KnownEndpoint | null,
): Pick<Facts, 'state' | 'customer' | 'permission' | 'quota'> {
  return {
    state: client?.name === 'inactive' || endpoint?.inactive === true ? 'inactive' : flawless.state,
    customer: client?.name === 'noCustomer' ? 'none' : flawless.customer,
    permission: client?.name === 'unauthorized' ? 'denied' : flawless.permission,
    quota: client?.name === 'exhausted' ? 'used-up' : flawless.quota,
  }
}

function inputFact({ target }: Request, endpoint: KnownEndpoint | null): Facts['input'] {
  const query = queryOf(target)
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
