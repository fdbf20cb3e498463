import { sameShape } from '../generate/seeded.ts'
import { answers, type Check } from '../judge/judge.ts'
import type { Refusal } from '../spec/answers.ts'
import type { TestRequest } from '../engine/test-request.ts'
import type { JudgedEndpoint, SuiteContext } from '../engine/suite-context.ts'

/** A request with exactly one certain flaw, and the one answer that is documented for it. */
export interface FlawedRequest {
  readonly name: string
  readonly stimulus: TestRequest
  readonly check: Check
}

/** An API key of the shape of the valid one that nobody was issued. */
export function wrongKey({ target, seed }: SuiteContext): string {
  return sameShape(target.apiKey.reveal(), seed, 'wrong-key')
}

/** A secret key of the shape of the valid one that nobody was issued. */
export function wrongSecret({ target, seed }: SuiteContext): string {
  return sameShape(target.secretKey.reveal(), seed, 'wrong-secret')
}

/** A request for each flaw that the settings allow to be sent, one flaw each. The exhausted client is not among them. */
export function flawedRequests(context: SuiteContext, endpoint: JudgedEndpoint): readonly FlawedRequest[] {
  const { request } = endpoint
  const { unsupportedVersion } = context.fixtures

  return [
    flawed('api-key-absent', request.without('x-api-key'), { status: 400, errorCode: '1001' }),
    flawed('secret-key-absent', request.without('x-secret-key'), { status: 400, errorCode: '1002' }),
    flawed('version-absent', request.without('x-version'), { status: 400, errorCode: '1003' }),
    flawed('api-key-wrong', request.with('x-api-key', wrongKey(context)), { status: 401, errorCode: '1006' }),
    flawed('secret-key-wrong', request.with('x-secret-key', wrongSecret(context)), {
      status: 401,
      errorCode: '1007',
    }),
    flawed('version-unsupported', request.with('x-version', unsupportedVersion), {
      status: 400,
      errorCode: '1010',
    }),
    flawed('endpoint-unknown', context.unknownEndpoint('flawed'), { status: 400, errorCode: '1010' }),
    ...inputFlaw(context, endpoint),
    ...clientFlaws(context, endpoint),
  ]
}

/** The clients that are refused for what they are, and how. */
export const refusedClients = [
  { client: 'noCustomer', name: 'client-no-customer', refusal: { status: 401, errorCode: '1012' } },
  { client: 'inactive', name: 'client-inactive', refusal: { status: 401, errorCode: '1011' } },
  { client: 'unauthorized', name: 'client-unauthorized', refusal: { status: 401, errorCode: '1013' } },
] as const

/** The flaws that lie in who asks. */
export function clientFlaws({ fixtures }: SuiteContext, endpoint: JudgedEndpoint): readonly FlawedRequest[] {
  return refusedClients.flatMap(({ client, name, refusal }) => {
    const credentials = fixtures[client]
    return credentials === null ? [] : [flawed(name, endpoint.as(client, credentials), refusal)]
  })
}

function inputFlaw(context: SuiteContext, endpoint: JudgedEndpoint): readonly FlawedRequest[] {
  const { invalidQuery } = endpoint
  if (invalidQuery === null) return []
  return [
    flawed('input-invalid', endpoint.request.to(`${endpoint.path}?${invalidQuery}`), {
      status: 400,
      errorCode: '1030',
    }),
  ]
}

function flawed(name: string, stimulus: TestRequest, refusal: Refusal): FlawedRequest {
  return { name, stimulus, check: answers(refusal) }
}
