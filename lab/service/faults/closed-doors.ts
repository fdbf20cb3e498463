import { failure, isAbsent, onAnswer, serveWhen } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { everyClient, type ClientName } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list, listPath } from '../../../lib/serve/reference/list.ts'
import { beyondGate } from './beyond-gate.ts'
import { isWrongSecret } from './credentials-sent.ts'

/** A path that is open to requests without any credential. */
function door(name: string, about: string, when: (call: Call) => boolean): Fault {
  return {
    name,
    about,
    rules: ['authentication/no-side-door'],
    bend: () =>
      serveWhen((call) => isAbsent(call, 'x-api-key') && isAbsent(call, 'x-secret-key') && when(call)),
  }
}

/** Ways around the credential check that gateways and frameworks have left open. */
export const closedDoorFaults: readonly Fault[] = [
  door(
    'path-parameter-opens',
    'The list is public with a path parameter.',
    ({ path }) => path === `${listPath};a=1`,
  ),
  door(
    'leading-slashes-open',
    'The list is public where its path begins with two slashes.',
    ({ path }) => path === `/${listPath}`,
  ),
  door(
    'encoded-slashes-open',
    'The list is public with its slashes percent-encoded.',
    ({ path }) =>
      /%2f/i.test(path) && !path.startsWith('/api/') && path.replaceAll(/%2f/gi, '/') === listPath,
  ),
  door('suffix-opens', 'The list is public as list.json and list.xml.', ({ path }) =>
    [`${listPath}.json`, `${listPath}.xml`].includes(path),
  ),
  door(
    'trailing-dot-opens',
    'The list is public with a dot behind its path.',
    ({ path }) => path === `${listPath}.`,
  ),
  door(
    'debug-opens',
    'The list is public with debug=true.',
    ({ path, query }) => path === listPath && /(?:^|&)debug=true/.test(query),
  ),
  door(
    'gateway-user-opens',
    'Who says what a gateway says of a user is served.',
    (call) => call.path === listPath && field(call, 'x-forwarded-user') !== undefined,
  ),
  beyondGate(
    door(
      'parent-segment-opens',
      'The list is public behind a segment that is left again.',
      ({ path }) => path === `/api/zz/../${listPath.slice(5)}`,
    ),
  ),
  beyondGate(
    door(
      'double-encoding-opens',
      'The list is public with a letter that is percent-encoded twice.',
      ({ path }) => path.includes('%25') && decodeURIComponent(decodeURIComponent(path)) === listPath,
    ),
  ),
]

function isOf(call: Call, name: ClientName): boolean {
  return everyClient.some((client) => client.name === name && client.apiKey === field(call, 'x-api-key'))
}

/** Faults that show only if a refused client's request has another flaw, too. */
export const refusedClientFaults: readonly Fault[] = [
  {
    name: 'inactive-client-served-with-a-wrong-secret',
    about: 'The inactive client is served where its secret is wrong.',
    rules: ['authentication/stays-refused'],
    bend: () => serveWhen((call) => isOf(call, 'inactive') && isWrongSecret(call)),
  },
  {
    name: 'exhausted-client-served-with-a-query',
    about: 'The exhausted client is served where the request has a query.',
    rules: ['authentication/stays-refused', 'quota/stays-exhausted'],
    bend: () => serveWhen((call) => isOf(call, 'exhausted') && call.query === 'x=1'),
  },
  {
    name: 'unauthorized-client-fails-under-other-versions',
    about: 'The client that is not permitted is answered 500 under a version that does not exist.',
    rules: ['authentication/stays-refused', 'fuzz/combined-flaws'],
    bend: () =>
      onAnswer(
        (_answer, call) => isOf(call, 'unauthorized') && field(call, 'x-version') !== '1',
        failure(500),
      ),
  },
  {
    name: 'no-customer-with-a-query-is-not-permitted',
    about: 'Credentials without a customer are answered 1013 where the request has a query.',
    rules: ['authentication/stays-refused', 'fuzz/combined-flaws'],
    bend: () =>
      onAnswer(({ refusal }, { query }) => refusal === '1012' && query !== '', {
        status: 401,
        payload: { error_code: '1013', error_message: 'unauthorized_endpoint' },
      }),
  },
  {
    name: 'bad-request-gives-quota-back',
    about: 'After a request with a query the next one of a client whose quota is used up is served.',
    rules: ['quota/stays-exhausted', 'authentication/stays-refused'],
    bend: () => {
      let given = false
      return onAnswer(
        () => true,
        (answer, call) => {
          const isServed = answer.refusal === '1020' && given
          if (answer.refusal === '1020') given = call.query !== ''
          return isServed ? list() : answer
        },
      )
    },
  },
]
