import { answers, answersOneOf, neverSucceeds, type Check } from '../lib/judge/judge.ts'
import { area, type CasesOf, example, onEachEndpoint, rule } from '../lib/run/plan/cases.ts'
import type { ClientName } from '../lib/specification/client-rows.ts'
import { afterASuccess } from './cases/after-success.ts'
import { byHead, combinations, withInvalidInput } from './cases/combinations.ts'
import { invalidKeys, invalidSecrets, letterCaseObservations, withoutField } from './cases/credentials.ts'
import { crowdOf, manyAtOnce } from './cases/crowd.ts'
import { leftBehind } from './cases/left-behind.ts'
import { stayRefused } from './cases/refused-clients.ts'
import { closedDoors, otherClients, otherMethods, sideDoors } from './cases/side-doors.ts'

const keyMissing = answers({ status: 400, errorCode: '1001' })
const secretMissing = answers({ status: 400, errorCode: '1002' })
const keyInvalid = answers({ status: 401, errorCode: '1006' })
const secretInvalid = answers({ status: 401, errorCode: '1007' })
const secretOfAnother = answersOneOf([
  { status: 401, errorCode: '1007' },
  { status: 401, errorCode: '1012' },
])
const inactive = answers({ status: 401, errorCode: '1011' })
const customerNotFound = answers({ status: 401, errorCode: '1012' })
const unauthorized = answers({ status: 401, errorCode: '1013' })

const withoutCredentials = 'key-absent-secret-absent-version-valid'

export const authentication = area('Authentication', [
  rule('authentication/api-key-missing', withoutField('x-api-key', keyMissing), { further: ['absent'] }),

  rule('authentication/secret-key-missing', withoutField('x-secret-key', secretMissing), {
    further: ['absent'],
  }),

  rule(
    'authentication/api-key-invalid',
    (context) => [
      ...invalidKeys(context).map(({ name, request }) => example(name, request, keyInvalid)),
      ...letterCaseObservations(context, 'x-api-key'),
    ],
    { mostTelling: 'extended', further: ['invented'] },
  ),

  rule(
    'authentication/secret-key-invalid',
    (context) => [
      ...invalidSecrets(context).map(({ name, request, isAnotherClients }) =>
        example(name, request, isAnotherClients ? secretOfAnother : secretInvalid),
      ),
      ...letterCaseObservations(context, 'x-secret-key'),
    ],
    { further: ['invented'] },
  ),

  rule(
    'authentication/customer-not-found',
    refusedAs('noCustomer', 'FIXTURE_NO_CUSTOMER', 'no-customer', customerNotFound),
  ),

  rule(
    'authentication/endpoint-inactive',
    ifGiven(
      'neither FIXTURE_INACTIVE_API_KEY and FIXTURE_INACTIVE_SECRET_KEY nor FIXTURE_INACTIVE_ENDPOINT is given',
      ({ endpoints, model, list }) => [
        ...endpoints.flatMap(({ of, named }) =>
          of('inactive').map((request) =>
            example(
              named('inactive-client'),
              request,
              inactive,
              'the endpoint is not inactive for the client of FIXTURE_INACTIVE_API_KEY',
            ),
          ),
        ),
        ...model.endpoints
          .filter((known) => known.inactive)
          .map(({ method, path, label }) =>
            example(
              'inactive-endpoint',
              list.request.to(path, label).method(method),
              inactive,
              'FIXTURE_INACTIVE_ENDPOINT is not inactive',
            ),
          ),
      ],
    ),
  ),

  rule(
    'authentication/endpoint-unauthorized',
    refusedAs('unauthorized', 'FIXTURE_UNAUTHORIZED', 'not-permitted', unauthorized),
  ),

  rule(
    'authentication/no-bypass',
    (context) => [...combinations(context), ...withInvalidInput(context), ...byHead(context)],
    { mostTelling: withoutCredentials, further: [withoutCredentials] },
  ),

  rule('authentication/not-cached', (context) => [...afterASuccess(context), ...leftBehind(context)], {
    mostTelling: 'secret-key-wrong',
  }),

  rule('authentication/isolated-under-concurrency', (context) => [
    ...onEachEndpoint((endpoint) => [crowdOf(endpoint, context)])(context),
    ...manyAtOnce(context),
  ]),

  // Rules that may lock a client out or get the sender banned go last.
  rule('authentication/stays-refused', (context) => stayRefused(context)),

  rule('authentication/no-side-door', (context) => [
    ...sideDoors(context).map(({ name, request }) =>
      example(name, request, neverSucceeds(context.documented(request))),
    ),
    ...otherMethods(context),
    ...closedDoors(context),
    ...otherClients(context),
  ]),
])

/** The plain request from a client that every endpoint must refuse. */
function refusedAs(client: ClientName, settings: string, name: string, check: Check): CasesOf {
  const hint = `the client of ${settings}_API_KEY is not set up as described`
  return ifGiven(
    `${settings}_API_KEY and ${settings}_SECRET_KEY are not given`,
    onEachEndpoint(({ of }) => of(client).map((request) => example(name, request, check, hint))),
  )
}

/** Marks a rule without cases as untested with these settings. */
function ifGiven(untested: string, casesOf: CasesOf): CasesOf {
  return (context) => {
    const cases = casesOf(context)
    return 'untested' in cases || cases.length > 0 ? cases : { untested }
  }
}
