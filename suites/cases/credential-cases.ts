import { nearMisses } from '../../lib/generate/near-misses.ts'
import type { Credentials, Secret } from '../../lib/redact/secret.ts'
import { answeredBy, isSuccess } from '../../lib/judge/answered.ts'
import { factsOf, type Facts } from '../../lib/judge/facts.ts'
import { scenario, type Case } from '../../lib/engine/cases.ts'
import type { TestRequest } from '../../lib/engine/test-request.ts'
import { wrongKey, wrongSecret } from '../../lib/suite/flawed-requests.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/engine/suite-context.ts'

/** A request with one credential wrong, all else right. */
export interface WrongCredential {
  readonly name: string
  readonly stimulus: TestRequest
  /** The secret is valid, but another client's. */
  readonly isAnotherClients: boolean
}

/** Near misses that are enough for a further client: the whole set is the target client's. */
const forFurtherClients = ['last-changed', 'last-dropped', 'extended', 'letter-case'] as const

/** A near miss that the generated ones of a gate tell as well. */
const beyondGate = new Set(['half'])

/** Invalid API keys with the right secret. What turns out to be a valid key as it arrives is left out. */
export function invalidKeys(context: SuiteContext): readonly WrongCredential[] {
  return context.endpoints.flatMap((endpoint) => {
    const { apiKey, secretKey } = context.target
    const { exhaustive } = context
    const { second } = context.fixtures
    const cases = [
      { name: 'invented', stimulus: endpoint.request.with('x-api-key', wrongKey(context)) },
      ...withNearMisses(endpoint.request, { field: 'x-api-key', of: apiKey, exhaustive }),
      { name: 'secret-in-its-place', stimulus: endpoint.request.with('x-api-key', secretKey) },
      ...(second === null ? [] : ofSecond(endpoint, second, { field: 'x-api-key', of: second.apiKey })),
    ]
    return named(context, endpoint, cases).filter(
      ({ stimulus }) => factOf(context, stimulus).apiKey === 'invalid',
    )
  })
}

/** Invalid secrets for a valid key. What turns out to be the right secret as it arrives is left out. */
export function invalidSecrets(context: SuiteContext): readonly WrongCredential[] {
  return context.endpoints.flatMap((endpoint) => {
    const { request, as } = endpoint
    const { target, fixtures, exhaustive } = context
    const { second } = fixtures
    const cases = [
      { name: 'invented', stimulus: request.with('x-secret-key', wrongSecret(context)) },
      ...withNearMisses(request, { field: 'x-secret-key', of: target.secretKey, exhaustive }),
      { name: 'key-in-its-place', stimulus: request.with('x-secret-key', target.apiKey) },
      ...(second === null
        ? []
        : [
            { name: 'of-the-second-client', stimulus: request.with('x-secret-key', second.secretKey) },
            {
              name: 'of-the-target-client-for-the-second',
              stimulus: as('second', second).with('x-secret-key', target.secretKey),
            },
            ...ofSecond(endpoint, second, { field: 'x-secret-key', of: second.secretKey }),
          ]),
    ]
    return named(context, endpoint, cases).filter(({ stimulus }) =>
      ['nobodys', 'another-clients'].includes(factOf(context, stimulus).secretKey),
    )
  })
}

/** A credential in another letter case, where it is a UUID or hexadecimal: written down, never judged. */
export function letterCaseObservations(
  context: SuiteContext,
  field: 'x-api-key' | 'x-secret-key',
): readonly Case[] {
  const credential = field === 'x-api-key' ? context.target.apiKey : context.target.secretKey
  const near = nearMisses(credential, false).find(({ name, mayEqual }) => name === 'letter-case' && mayEqual)
  if (near === undefined) return []

  const stimulus = context.list.request.with(field, near.value).trait({ observed: true })
  return [
    scenario('letter-case-observed', 1, async (stage) => {
      const answered = answeredBy((await stage.send(stimulus)).response)
      const seen = isSuccess(answered)
        ? 'accepted'
        : `${answered.status} / ${answered.errorCode ?? 'no code'}`
      stage.observations.observe(`letter-case-of-${field}`, seen)
      return []
    }),
  ]
}

interface Aim {
  readonly field: 'x-api-key' | 'x-secret-key'
  readonly of: Secret
  readonly exhaustive: boolean
}

function withNearMisses(
  request: TestRequest,
  { field, of, exhaustive }: Aim,
): readonly { readonly name: string; readonly stimulus: TestRequest }[] {
  return nearMisses(of, exhaustive)
    .filter(({ name, mayEqual }) => !mayEqual && (exhaustive || !beyondGate.has(name)))
    .map(({ name, value }) => ({ name, stimulus: request.with(field, value) }))
}

function ofSecond(
  { as }: JudgedEndpoint,
  second: Credentials,
  { field, of }: Pick<Aim, 'field' | 'of'>,
): readonly { readonly name: string; readonly stimulus: TestRequest }[] {
  return nearMisses(of, false)
    .filter(({ name, mayEqual }) => forFurtherClients.some((one) => one === name) && !mayEqual)
    .map(({ name, value }) => ({
      name: `second-client-${name}`,
      stimulus: as('second', second).with(field, value),
    }))
}

function named(
  context: SuiteContext,
  endpoint: JudgedEndpoint,
  cases: readonly { readonly name: string; readonly stimulus: TestRequest }[],
): readonly WrongCredential[] {
  return cases.map(({ name, stimulus }) => ({
    name: endpoint.named(name),
    stimulus,
    isAnotherClients: factOf(context, stimulus).secretKey === 'another-clients',
  }))
}

function factOf({ knowledge }: SuiteContext, { request }: TestRequest): Facts {
  return factsOf(request, knowledge)
}
