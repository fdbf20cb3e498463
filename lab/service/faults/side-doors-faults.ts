import { failure, isAbsent, isForList, onAnswer, serveWhen } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { everyClient, type ClientName } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list, listPath } from '../../../lib/serve/reference/list.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'
import { beyondGate, breaking } from './breaking.ts'
import { isWrongKey, isWrongSecret, ownsKey, ownsSecret } from './credentials-sent.ts'

/** A path that is open if `when` holds, with any credentials. */
function door(name: string, about: string, when: (call: Call) => boolean): Fault {
  return { name, about, rules: ['authentication/no-side-door'], bend: () => serveWhen(when) }
}

/** Ways around authentication other than combinations of the three headers. */
const sideDoorFaults: readonly Fault[] = [
  door(
    'trailing-slash-skips-authentication',
    'The list is public under a path with a trailing slash.',
    ({ path }) => path === `${listPath}/`,
  ),
  door(
    'upper-case-path-skips-authentication',
    'The list is public under its path in another letter case.',
    ({ path }) => path !== listPath && path.toLowerCase() === listPath,
  ),
  door(
    'doubled-slash-skips-authentication',
    'The list is public under its path with a slash doubled.',
    ({ path }) => path !== listPath && path.replaceAll(/\/+/g, '/') === listPath,
  ),
  {
    ...door(
      'head-skips-authentication',
      'HEAD is answered as a success without looking at the credentials.',
      (call) => isForList(call) && call.method === 'HEAD',
    ),
    rules: ['authentication/no-bypass'],
  },
  door(
    'loopback-forwarded-for-skips-authentication',
    'Whoever says that the request comes from 127.0.0.1 is served.',
    (call) => isForList(call) && field(call, 'x-forwarded-for') === '127.0.0.1',
  ),
  door(
    'cookie-skips-authentication',
    'Whoever sends a cookie is served.',
    (call) => isForList(call) && field(call, 'cookie') !== undefined,
  ),
  {
    ...door(
      'authorization-skips-authentication',
      'Whoever sends an authorization header is served.',
      (call) => isForList(call) && field(call, 'authorization') !== undefined,
    ),
    // A gate reaches it with generated requests.
    rules: ['authentication/no-side-door', 'fuzz/combined-flaws'],
  },
  door(
    'query-skips-authentication',
    'A request with a query is served, as by a rule that compares the path together with its query.',
    (call) => isForList(call) && call.query !== '',
  ),
  door(
    'trailing-slash-skips-the-secret',
    'Under a path with a trailing slash the key is looked at and the secret is not.',
    (call) => call.path === `${listPath}/` && ownsKey(call),
  ),
]

/** A path that is open to clients that know the key, with any secret. */
function halfOpen(name: string, about: string, when: (call: Call) => boolean): Fault {
  return {
    name,
    about,
    rules: ['authentication/no-side-door'],
    bend: () => serveWhen((call) => when(call) && ownsKey(call) && !ownsSecret(call)),
  }
}

/** A path that is open to anyone, and that only generated requests find. */
function hidden(name: string, about: string, rule: SpecRuleId, when: (call: Call) => boolean): Fault {
  return beyondGate({ name, about, rules: [rule], bend: () => serveWhen(when) })
}

/** Side paths that require only half of the credentials, and paths that are harder to find. */
const halfOpenDoorFaults: readonly Fault[] = [
  {
    ...halfOpen(
      'head-skips-the-secret',
      'HEAD looks at the key and not at the secret.',
      ({ method }) => method === 'HEAD',
    ),
    rules: ['authentication/no-bypass'],
  },
  halfOpen(
    'cookie-skips-the-secret',
    'With a cookie the secret is not looked at, as where a session stands in for it.',
    (call) => isForList(call) && field(call, 'cookie') !== undefined,
  ),
  halfOpen(
    'query-skips-the-secret',
    'With a query the secret is not looked at.',
    (call) => isForList(call) && call.query !== '',
  ),
  halfOpen(
    'upper-case-path-skips-the-secret',
    'Under the path in another letter case the secret is not looked at.',
    ({ path }) => path !== listPath && path.toLowerCase() === listPath,
  ),
  halfOpen(
    'doubled-slash-skips-the-secret',
    'Under the path with a slash doubled the secret is not looked at.',
    ({ path }) => path !== listPath && path.replaceAll(/\/+/g, '/') === listPath,
  ),
  hidden(
    'query-skips-the-key',
    "With a query a wrong key is served where the secret is somebody's.",
    'authentication/no-side-door',
    (call) => isForList(call) && call.query !== '' && isWrongKey(call) && ownsSecret(call),
  ),
  hidden(
    'suffix-json-skips-authentication',
    'The list is public under its path with .json behind.',
    'fuzz/path',
    ({ path }) => path === `${listPath}.json`,
  ),
  hidden(
    'path-below-list-skips-authentication',
    'Everything below the path of the list is public.',
    'fuzz/path',
    ({ path }) => path.startsWith(`${listPath}/`) && path.length > listPath.length + 1,
  ),
  hidden(
    'real-ip-loopback-skips-authentication',
    'Whoever says by x-real-ip to be 127.0.0.1 is served.',
    'fuzz/combined-flaws',
    (call) => isForList(call) && field(call, 'x-real-ip') === '127.0.0.1',
  ),
  hidden(
    'range-skips-authentication',
    'A request for a range is served without looking at credentials.',
    'fuzz/combined-flaws',
    (call) => isForList(call) && field(call, 'range') !== undefined,
  ),
]

const staysRefused = breaking('authentication/stays-refused', 'fuzz/combined-flaws')

/** A path that is open to requests without any credential. */
function unlocked(name: string, about: string, when: (call: Call) => boolean): Fault {
  return {
    name,
    about,
    rules: ['authentication/no-side-door'],
    bend: () =>
      serveWhen((call) => isAbsent(call, 'x-api-key') && isAbsent(call, 'x-secret-key') && when(call)),
  }
}

/** Ways around the credential check that gateways and frameworks have left open. */
const closedDoorFaults: readonly Fault[] = [
  unlocked(
    'path-parameter-opens',
    'The list is public with a path parameter.',
    ({ path }) => path === `${listPath};a=1`,
  ),
  unlocked(
    'leading-slashes-open',
    'The list is public where its path begins with two slashes.',
    ({ path }) => path === `/${listPath}`,
  ),
  unlocked(
    'encoded-slashes-open',
    'The list is public with its slashes percent-encoded.',
    ({ path }) =>
      /%2f/i.test(path) && !path.startsWith('/api/') && path.replaceAll(/%2f/gi, '/') === listPath,
  ),
  unlocked('suffix-opens', 'The list is public as list.json and list.xml.', ({ path }) =>
    [`${listPath}.json`, `${listPath}.xml`].includes(path),
  ),
  unlocked(
    'trailing-dot-opens',
    'The list is public with a dot behind its path.',
    ({ path }) => path === `${listPath}.`,
  ),
  unlocked(
    'debug-opens',
    'The list is public with debug=true.',
    ({ path, query }) => path === listPath && /(?:^|&)debug=true/.test(query),
  ),
  unlocked(
    'gateway-user-opens',
    'Who says what a gateway says of a user is served.',
    (call) => call.path === listPath && field(call, 'x-forwarded-user') !== undefined,
  ),
  beyondGate(
    unlocked(
      'parent-segment-opens',
      'The list is public behind a segment that is left again.',
      ({ path }) => path === `/api/zz/../${listPath.slice(5)}`,
    ),
  ),
  beyondGate(
    unlocked(
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
  breaking('authentication/stays-refused')(
    'inactive-client-served-with-a-wrong-secret',
    'The inactive client is served where its secret is wrong.',
    () => serveWhen((call) => isOf(call, 'inactive') && isWrongSecret(call)),
  ),
  breaking('authentication/stays-refused', 'quota/stays-exhausted')(
    'exhausted-client-served-with-a-query',
    'The exhausted client is served where the request has a query.',
    () => serveWhen((call) => isOf(call, 'exhausted') && call.query === 'x=1'),
  ),
  staysRefused(
    'unauthorized-client-fails-under-other-versions',
    'The client that is not permitted is answered 500 under a version that does not exist.',
    () =>
      onAnswer(
        (_answer, call) => isOf(call, 'unauthorized') && field(call, 'x-version') !== '1',
        failure(500),
      ),
  ),
  staysRefused(
    'no-customer-with-a-query-is-not-permitted',
    'Credentials without a customer are answered 1013 where the request has a query.',
    () =>
      onAnswer(({ refusal }, { query }) => refusal === '1012' && query !== '', {
        status: 401,
        payload: { error_code: '1013', error_message: 'unauthorized_endpoint' },
      }),
  ),
  breaking('quota/stays-exhausted', 'authentication/stays-refused')(
    'bad-request-gives-quota-back',
    'After a request with a query the next one of a client whose quota is used up is served.',
    () => {
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
  ),
]

/** Ways around authentication other than combinations of the three headers. */
export const doorFaults: readonly Fault[] = [...sideDoorFaults, ...halfOpenDoorFaults, ...closedDoorFaults]
