import { sameShape } from '../../fuzz/seeded.ts'
import { answers, type Check } from '../../judge/judge.ts'
import type { Refusal } from '../../specification/answers.ts'
import { refusedClients, type FlawBase } from '../../specification/flaws.ts'
import { oncePerRun, type JudgedEndpoint, type SuiteContext } from './suite-context.ts'
import type { TestRequest } from './test-request.ts'

/** A request with exactly one certain flaw, and its documented answer. */
export interface FlawedRequest {
  /** The flawed part; `how` is its flaw, and the name combines both. */
  readonly of: 'api-key' | 'secret-key' | 'version' | 'endpoint' | 'input' | 'client'
  readonly how: string
  readonly name: FlawBase
  readonly request: TestRequest
  readonly check: Check
}

/** An invented API key in the shape of the valid key. */
export const wrongKey = oncePerRun(({ target, seed }) => sameShape(target.apiKey.reveal(), seed, 'wrong-key'))

/** An invented secret key in the shape of the valid key. */
export const wrongSecret = oncePerRun(({ target, seed }) =>
  sameShape(target.secretKey.reveal(), seed, 'wrong-secret'),
)

/** A request for each single flaw that the settings allow, except for the exhausted client. */
export function flawedRequests(context: SuiteContext, endpoint: JudgedEndpoint): readonly FlawedRequest[] {
  const { request, path, invalidQuery } = endpoint
  const { unsupportedVersion } = context.fixtures
  return [
    flawed('api-key', 'absent', request.without('x-api-key'), 400, '1001'),
    flawed('secret-key', 'absent', request.without('x-secret-key'), 400, '1002'),
    flawed('version', 'absent', request.without('x-version'), 400, '1003'),
    flawed('api-key', 'wrong', request.with('x-api-key', wrongKey(context)), 401, '1006'),
    flawed('secret-key', 'wrong', request.with('x-secret-key', wrongSecret(context)), 401, '1007'),
    flawed('version', 'unsupported', request.with('x-version', unsupportedVersion), 400, '1010'),
    flawed('endpoint', 'unknown', context.unknownEndpoint('flawed'), 400, '1010'),
    ...(invalidQuery === null
      ? []
      : [flawed('input', 'invalid', request.to(`${path}?${invalidQuery}`), 400, '1030')]),
    ...refusedClients.flatMap(({ client, name, refusal }) =>
      endpoint.of(client).map((made) => ({
        of: 'client' as const,
        how: client,
        name,
        request: made,
        check: answers(refusal),
      })),
    ),
  ]
}

function flawed<Of extends FlawedRequest['of'], How extends string>(
  of: Of,
  how: How,
  request: TestRequest,
  ...[status, errorCode]: readonly [Refusal['status'], Refusal['errorCode']]
) {
  return { of, how, name: `${of}-${how}` as const, request, check: answers({ status, errorCode }) }
}
