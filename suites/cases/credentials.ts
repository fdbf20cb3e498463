import { nearMisses } from '../../lib/fuzz/mutated-value.ts'
import { answeredBy, isSuccess } from '../../lib/judge/answered.ts'
import { factsOf } from '../../lib/judge/facts.ts'
import type { Check } from '../../lib/judge/judge.ts'
import { credentialOf, type CredentialField } from '../../lib/redact/secret.ts'
import { example, onEachEndpoint, scenario, wrongKey, wrongSecret } from '../../lib/run/plan/cases.ts'
import type { Case } from '../../lib/run/plan/cases.ts'
import { only } from '../../lib/run/plan/suite-context.ts'
import type { JudgedEndpoint, SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'
import type { RequiredField } from '../../lib/specification/endpoints.ts'

/** A request with the name of its case. */
export type NamedRequest = Readonly<{ name: string; request: TestRequest }>

/** A request without one of the required headers, for every client that may use the endpoint. */
export function withoutField(field: RequiredField, check: Check): (context: SuiteContext) => readonly Case[] {
  return onEachEndpoint(({ request, of }) => [
    example('absent', request.without(field), check),
    ...of('second').map((second) => example('absent-second-client', second.without(field), check)),
  ])
}

/** Invalid API keys with the right secret, except for any that are valid as they arrive. */
export const invalidKeys = onEachEndpoint((endpoint, context): readonly NamedRequest[] => {
  const { request } = endpoint
  const { secretKey } = context.target
  return [
    { name: 'invented', request: request.with('x-api-key', wrongKey(context)) },
    ...withNearMisses(context, request, 'x-api-key'),
    { name: 'secret-in-its-place', request: request.with('x-api-key', secretKey) },
    ...ofSecond(context, endpoint, 'x-api-key'),
  ].filter((one) => factsIn(context, one).apiKey === 'invalid')
})

/** Invalid secrets for a valid key, either never issued or belonging to a different client, except for any that are right as they arrive. */
export const invalidSecrets = onEachEndpoint((endpoint, context) => {
  const { request, of } = endpoint
  const { target, fixtures } = context
  const requests: readonly NamedRequest[] = [
    { name: 'invented', request: request.with('x-secret-key', wrongSecret(context)) },
    ...withNearMisses(context, request, 'x-secret-key'),
    { name: 'key-in-its-place', request: request.with('x-secret-key', target.apiKey) },
    ...(fixtures.second === null
      ? []
      : [{ name: 'of-the-second-client', request: request.with('x-secret-key', fixtures.second.secretKey) }]),
    ...of('second').map((second) => ({
      name: 'of-the-target-client-for-the-second',
      request: second.with('x-secret-key', target.secretKey),
    })),
    ...ofSecond(context, endpoint, 'x-secret-key'),
  ]
  return requests.flatMap((one) => {
    const { secretKey } = factsIn(context, one)
    const isAnotherClients = secretKey === 'another-clients'
    return isAnotherClients || secretKey === 'nobodys' ? [{ ...one, isAnotherClients }] : []
  })
})

/** A UUID or hexadecimal credential in the opposite letter case. Recorded, but never judged. */
export function letterCaseObservations(context: SuiteContext, field: CredentialField): readonly Case[] {
  const near = nearMisses(credentialOf(context.target, field), false).find(
    ({ name, mayEqual }) => name === 'letter-case' && mayEqual,
  )
  if (near === undefined) return []

  const request = context.list.request.with(field, near.value).trait({ observed: true })
  return [
    scenario('letter-case-observed', 1, async (stage) => {
      const answered = answeredBy((await stage.send(request)).response)
      const seen = isSuccess(answered)
        ? 'accepted'
        : `${answered.status} / ${answered.errorCode ?? 'no code'}`
      stage.observations.observe(`letter-case-of-${field}`, seen)
      return []
    }),
  ]
}

function ofSecond(
  { fixtures: { second }, byProfile }: SuiteContext,
  { of }: JudgedEndpoint,
  field: CredentialField,
): readonly NamedRequest[] {
  if (second === null) return []
  const misses = nearMisses(credentialOf(second, field), false).filter(({ mayEqual }) => !mayEqual)
  const sent = byProfile({
    all: only(misses, 'last-changed', 'last-dropped', 'extended', 'letter-case'),
    gate: only(misses, 'extended', 'letter-case'),
    because: 'the target client gets every value',
  })
  return of('second').flatMap((request) =>
    sent.map(({ name, value }) => ({ name: `second-client-${name}`, request: request.with(field, value) })),
  )
}

function withNearMisses(
  { target, byProfile }: SuiteContext,
  request: TestRequest,
  field: CredentialField,
): readonly NamedRequest[] {
  const everyPosition = byProfile({
    all: true,
    gate: false,
    because: 'the first, a middle and the last character stand for the others',
  })
  const misses = nearMisses(credentialOf(target, field), everyPosition)
  return byProfile({
    all: misses,
    gate: misses.filter(({ name }) => name !== 'half' && name !== 'first-dropped'),
    because: 'generated values are cut elsewhere',
  })
    .filter(({ mayEqual }) => !mayEqual)
    .map(({ name, value }) => ({ name, request: request.with(field, value) }))
}

function factsIn({ model }: SuiteContext, { request }: NamedRequest) {
  return factsOf(request.request, model)
}
