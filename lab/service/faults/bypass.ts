import { refuse } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import {
  becomes,
  failure,
  isAbsent,
  isForList,
  onAnswer,
  serveWhen,
} from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { isBlank, isWrongKey, isWrongSecret, ownsKey, ownsSecret } from './credentials-sent.ts'
import { shipped } from './shipped.ts'

/** Combinations that are accepted. */
const served: readonly Fault[] = [
  {
    name: 'no-headers-served',
    about: 'A request with none of the three headers is served.',
    rules: ['authentication/no-bypass'],
    bend: () =>
      serveWhen(
        (call) =>
          isForList(call) &&
          isAbsent(call, 'x-api-key') &&
          isAbsent(call, 'x-secret-key') &&
          isAbsent(call, 'x-version'),
      ),
  },
  shipped('no-credentials-served'),
  {
    name: 'secret-not-asked-without-version',
    about: 'A valid key is enough where secret and version are both missing.',
    rules: ['authentication/no-bypass'],
    bend: () =>
      serveWhen(
        (call) =>
          isForList(call) && ownsKey(call) && isAbsent(call, 'x-secret-key') && isAbsent(call, 'x-version'),
      ),
  },
  {
    name: 'blank-secret-key-accepted',
    about: 'A blank secret goes with every valid key.',
    rules: ['authentication/no-bypass'],
    bend: () => ({
      skips: (check, call) =>
        isBlank(call, 'x-secret-key') && (check === 'secret-key-present' || check === 'secret-key-valid'),
    }),
  },
  {
    name: 'blank-api-key-accepted',
    about: 'A blank key goes with every valid secret.',
    rules: ['authentication/no-bypass'],
    bend: () => serveWhen((call) => isForList(call) && isBlank(call, 'x-api-key') && ownsSecret(call)),
  },
  {
    name: 'blank-credentials-accepted',
    about: 'A blank key goes with a blank secret, as with a user whose columns are empty.',
    rules: ['authentication/no-bypass'],
    bend: () =>
      serveWhen((call) => isForList(call) && isBlank(call, 'x-api-key') && isBlank(call, 'x-secret-key')),
  },
  {
    name: 'blank-version-skips-authentication',
    about: 'With a blank version nobody looks at key and secret.',
    rules: ['authentication/no-bypass'],
    bend: () => serveWhen((call) => isForList(call) && isBlank(call, 'x-version')),
  },
  {
    name: 'unknown-endpoint-public',
    about: 'An unknown endpoint answers a request without a key with 200 and an empty object.',
    rules: ['authentication/no-bypass'],
    bend: () => onUnknown((call) => isAbsent(call, 'x-api-key'), { refusal: null, status: 200, payload: {} }),
  },
]

/** Combinations whose answer does not match any of their flaws. */
const misnamed: readonly Fault[] = [
  {
    name: 'wrong-key-with-blank-secret-fails',
    about: 'A wrong key with a blank secret is answered 500.',
    rules: ['authentication/no-bypass', 'errors/documented-pairs'],
    bend: () => onAnswer((_answer, call) => isWrongKey(call) && isBlank(call, 'x-secret-key'), failure(500)),
  },
  {
    name: 'missing-key-with-wrong-secret-fails',
    about: "A missing key with nobody's secret is answered 500.",
    rules: ['authentication/no-bypass', 'errors/documented-pairs'],
    bend: () => onAnswer((_answer, call) => isAbsent(call, 'x-api-key') && isWrongSecret(call), failure(500)),
  },
  {
    name: 'two-wrong-credentials-unauthorized-endpoint',
    about: 'A wrong key with a wrong secret is answered 401 and 1013.',
    rules: ['authentication/no-bypass'],
    bend: () => onAnswer((_answer, call) => isWrongKey(call) && isWrongSecret(call), becomes('1013')),
  },
  {
    name: 'wrong-secret-on-unknown-endpoint-inactive',
    about: 'An unknown endpoint asked with a wrong secret is answered 401 and 1011.',
    rules: ['authentication/no-bypass'],
    bend: () => onUnknown((call) => ownsKey(call) && isWrongSecret(call), becomes('1011')),
  },
  {
    name: 'unknown-endpoint-without-credentials-not-found',
    about: 'An unknown endpoint asked with neither key nor secret is answered 404.',
    rules: ['authentication/no-bypass', 'errors/documented-pairs'],
    bend: () =>
      onUnknown(
        (call) => isAbsent(call, 'x-api-key') && isAbsent(call, 'x-secret-key'),
        failure(404, 'not found'),
      ),
  },
  {
    name: 'two-missing-headers-quota-exceeded',
    about: 'A request that lacks both secret and version is answered 429 and 1020.',
    rules: ['authentication/no-bypass'],
    bend: () => ({
      instead: (call) =>
        isAbsent(call, 'x-secret-key') && isAbsent(call, 'x-version') ? refuse('1020') : null,
    }),
  },
]

/** Combinations of flaws that are accepted, or whose answer does not match any of their flaws. */
export const bypassFaults: readonly Fault[] = [...served, ...misnamed]

function onUnknown(when: (call: Call) => boolean, change: Parameters<typeof onAnswer>[1]): Bend {
  return onAnswer((_answer, call) => !isForList(call) && when(call), change)
}
