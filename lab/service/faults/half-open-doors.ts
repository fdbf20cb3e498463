import { isForList, serveWhen } from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import { field } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { listPath } from '../../../lib/serve/reference/list.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'
import { beyondGate } from './beyond-gate.ts'
import { isWrongKey, ownsKey, ownsSecret } from './credentials-sent.ts'

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
export const halfOpenDoorFaults: readonly Fault[] = [
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
