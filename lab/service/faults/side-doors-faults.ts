import { isForList, serveWhen } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { listPath } from '../../../lib/serve/reference/list.ts'
import { ownsKey } from './credentials-sent.ts'

/** A path that is open if `when` holds, with any credentials. */
function door(name: string, about: string, when: (call: Call) => boolean): Fault {
  return { name, about, rules: ['authentication/no-side-door'], bend: () => serveWhen(when) }
}

/** Ways around authentication other than combinations of the three headers. */
export const sideDoorFaults: readonly Fault[] = [
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
