import { answers, answersOneOf, neverSucceeds, succeeds } from '../lib/judge/judge.ts'
import { allowed } from '../lib/judge/allowed.ts'
import { factsOf } from '../lib/judge/facts.ts'
import { example, scenario } from '../lib/engine/cases.ts'
import { closedDoors } from './cases/closed-doors.ts'
import { combinations, withInvalidInput } from './cases/combinations.ts'
import { invalidKeys, invalidSecrets, letterCaseObservations } from './cases/credential-cases.ts'
import { exhaustedAfterASuccess } from './cases/exhausted-after-success.ts'
import { flawedRequests } from '../lib/suite/flawed-requests.ts'
import { withoutField } from './cases/missing-field.ts'
import { lengthenedSecret } from './cases/lengthened-secret.ts'
import { otherMethods } from './cases/other-methods.ts'
import { refusedClients } from './cases/refused-clients.ts'
import { sideDoors } from './cases/side-doors.ts'
import { area, rule } from '../lib/suite/rule.ts'

export const authentication = area('Authentication', [
  rule('authentication/api-key-missing', (context) =>
    withoutField(context, 'x-api-key', answers({ status: 400, errorCode: '1001' })),
  ),

  rule('authentication/secret-key-missing', (context) =>
    withoutField(context, 'x-secret-key', answers({ status: 400, errorCode: '1002' })),
  ),

  rule('authentication/api-key-invalid', (context) => [
    ...invalidKeys(context).map(({ name, stimulus }) =>
      example(name, stimulus, answers({ status: 401, errorCode: '1006' })),
    ),
    ...letterCaseObservations(context, 'x-api-key'),
  ]),

  rule('authentication/secret-key-invalid', (context) => [
    ...invalidSecrets(context).map(({ name, stimulus, isAnotherClients }) =>
      example(
        name,
        stimulus,
        isAnotherClients
          ? answersOneOf([
              { status: 401, errorCode: '1007' },
              { status: 401, errorCode: '1012' },
            ])
          : answers({ status: 401, errorCode: '1007' }),
      ),
    ),
    ...letterCaseObservations(context, 'x-secret-key'),
  ]),

  rule('authentication/customer-not-found', ({ endpoints, fixtures: { noCustomer } }) =>
    noCustomer === null
      ? { untested: 'FIXTURE_NO_CUSTOMER_API_KEY and FIXTURE_NO_CUSTOMER_SECRET_KEY are not given' }
      : endpoints.map(({ as, named }) =>
          example(
            named('no-customer'),
            as('noCustomer', noCustomer),
            answers({ status: 401, errorCode: '1012' }),
            'the client of FIXTURE_NO_CUSTOMER_API_KEY is not such a client',
          ),
        ),
  ),

  rule('authentication/endpoint-inactive', ({ endpoints, fixtures, knowledge, list }) => {
    const inactiveEndpoints = knowledge.endpoints.filter(({ inactive }) => inactive)
    const { inactive } = fixtures
    if (inactive === null && inactiveEndpoints.length === 0) {
      return {
        untested:
          'neither FIXTURE_INACTIVE_API_KEY and FIXTURE_INACTIVE_SECRET_KEY nor FIXTURE_INACTIVE_ENDPOINT is given',
      }
    }
    const byClient =
      inactive === null
        ? []
        : endpoints.map(({ as, named }) =>
            example(
              named('inactive-client'),
              as('inactive', inactive),
              answers({ status: 401, errorCode: '1011' }),
              'the endpoint is not inactive for the client of FIXTURE_INACTIVE_API_KEY',
            ),
          )
    const byEndpoint = inactiveEndpoints.map(({ method, path, label }) =>
      example(
        'inactive-endpoint',
        list.request.to(path, label).method(method),
        answers({ status: 401, errorCode: '1011' }),
        'FIXTURE_INACTIVE_ENDPOINT is not inactive',
      ),
    )
    return [...byClient, ...byEndpoint]
  }),

  rule('authentication/endpoint-unauthorized', ({ endpoints, fixtures: { unauthorized } }) =>
    unauthorized === null
      ? { untested: 'FIXTURE_UNAUTHORIZED_API_KEY and FIXTURE_UNAUTHORIZED_SECRET_KEY are not given' }
      : endpoints.map(({ as, named }) =>
          example(
            named('not-permitted'),
            as('unauthorized', unauthorized),
            answers({ status: 401, errorCode: '1013' }),
            'the client of FIXTURE_UNAUTHORIZED_API_KEY is not such a client',
          ),
        ),
  ),

  rule('authentication/no-bypass', (context) =>
    [...combinations(context), ...withInvalidInput(context)].map(({ name, stimulus }) =>
      example(name, stimulus, answersOneOf(allowed(factsOf(stimulus.request, context.knowledge)))),
    ),
  ),

  rule('authentication/not-cached', (context) =>
    context.endpoints.flatMap((endpoint) => [
      ...flawedRequests(context, endpoint)
        .filter(({ name }) => name !== 'endpoint-unknown')
        .map(({ name, stimulus, check }) => {
          // A gate asks on another connection, too, where a cache for all would let somebody in.
          const isOnBoth = context.exhaustive || !/-absent$|^version-|^input-|^client-/.test(name)
          return scenario(endpoint.named(name), isOnBoth ? 3 : 2, async (stage) => {
            const same = stage.connection()
            const before = await stage.served(endpoint.request, same)
            const connections = isOnBoth ? [same, stage.connection()] : [same]

            const after = connections.map((connection) => stage.judge(stimulus, check, connection))
            return [before, ...(await Promise.all(after))]
          })
        }),
      lengthenedSecret(context, endpoint),
      ...exhaustedAfterASuccess(context, endpoint),
    ]),
  ),

  rule('authentication/isolated-under-concurrency', (context) =>
    context.endpoints.map((endpoint) => {
      const different = [
        { name: 'valid', stimulus: endpoint.request, check: succeeds() },
        ...flawedRequests(context, endpoint).filter(({ name }) => name !== 'input-invalid'),
      ]
      // A gate sends the first ones again, so that others are in flight with the last ones, too.
      const crowd = context.exhaustive
        ? Array.from({ length: 5 }, () => different).flat()
        : [...different, ...different.slice(0, 3)]

      return scenario(endpoint.named('crowd'), crowd.length, (stage) =>
        Promise.all(crowd.map(({ stimulus, check }) => stage.judge(stimulus, check))),
      )
    }),
  ),

  // What may lock a client or have the sender banned goes out when everything else has been judged.
  rule('authentication/stays-refused', (context) => refusedClients(context)),

  rule('authentication/no-side-door', (context) => [
    ...sideDoors(context).map(({ name, stimulus }) =>
      example(name, stimulus, neverSucceeds(allowed(factsOf(stimulus.request, context.knowledge)))),
    ),
    ...otherMethods(context),
    ...closedDoors(context),
  ]),
])
