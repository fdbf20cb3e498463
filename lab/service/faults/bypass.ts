import { refuse, type Answer } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import {
  becomes,
  failure,
  isAbsent,
  isForList,
  onAnswer,
  serveWhen,
  type Change,
} from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'
import { breaking, shipped } from './breaking.ts'
import { isBlank, isWrongKey, isWrongSecret, ownsKey, ownsSecret } from './credentials-sent.ts'

const noBypass = breaking('authentication/no-bypass')
const undocumentedBypass = breaking('authentication/no-bypass', 'errors/documented-pairs')

/** Combinations that are accepted. */
const served: readonly Fault[] = [
  noBypass('no-headers-served', 'A request with none of the three headers is served.', () =>
    serveWhen(
      (call) =>
        isForList(call) &&
        isAbsent(call, 'x-api-key') &&
        isAbsent(call, 'x-secret-key') &&
        isAbsent(call, 'x-version'),
    ),
  ),
  shipped('no-credentials-served'),
  noBypass(
    'secret-not-asked-without-version',
    'A valid key is enough where secret and version are both missing.',
    () =>
      serveWhen(
        (call) =>
          isForList(call) && ownsKey(call) && isAbsent(call, 'x-secret-key') && isAbsent(call, 'x-version'),
      ),
  ),
  noBypass('blank-secret-key-accepted', 'A blank secret goes with every valid key.', () => ({
    skips: (check, call) =>
      isBlank(call, 'x-secret-key') && (check === 'secret-key-present' || check === 'secret-key-valid'),
  })),
  noBypass('blank-api-key-accepted', 'A blank key goes with every valid secret.', () =>
    serveWhen((call) => isForList(call) && isBlank(call, 'x-api-key') && ownsSecret(call)),
  ),
  noBypass(
    'blank-credentials-accepted',
    'A blank key goes with a blank secret, as with a user whose columns are empty.',
    () => serveWhen((call) => isForList(call) && isBlank(call, 'x-api-key') && isBlank(call, 'x-secret-key')),
  ),
  noBypass('blank-version-skips-authentication', 'With a blank version nobody looks at key and secret.', () =>
    serveWhen((call) => isForList(call) && isBlank(call, 'x-version')),
  ),
  noBypass(
    'unknown-endpoint-public',
    'An unknown endpoint answers a request without a key with 200 and an empty object.',
    () => onUnknown((call) => isAbsent(call, 'x-api-key'), { refusal: null, status: 200, payload: {} }),
  ),
]

/** Combinations whose answer does not match any of their flaws. */
const misnamed: readonly Fault[] = [
  undocumentedBypass(
    'wrong-key-with-blank-secret-fails',
    'A wrong key with a blank secret is answered 500.',
    () => onAnswer((_answer, call) => isWrongKey(call) && isBlank(call, 'x-secret-key'), failure(500)),
  ),
  undocumentedBypass(
    'missing-key-with-wrong-secret-fails',
    "A missing key with nobody's secret is answered 500.",
    () => onAnswer((_answer, call) => isAbsent(call, 'x-api-key') && isWrongSecret(call), failure(500)),
  ),
  noBypass(
    'two-wrong-credentials-unauthorized-endpoint',
    'A wrong key with a wrong secret is answered 401 and 1013.',
    () => onAnswer((_answer, call) => isWrongKey(call) && isWrongSecret(call), becomes('1013')),
  ),
  noBypass(
    'wrong-secret-on-unknown-endpoint-inactive',
    'An unknown endpoint asked with a wrong secret is answered 401 and 1011.',
    () => onUnknown((call) => ownsKey(call) && isWrongSecret(call), becomes('1011')),
  ),
  undocumentedBypass(
    'unknown-endpoint-without-credentials-not-found',
    'An unknown endpoint asked with neither key nor secret is answered 404.',
    () =>
      onUnknown(
        (call) => isAbsent(call, 'x-api-key') && isAbsent(call, 'x-secret-key'),
        failure(404, 'not found'),
      ),
  ),
  noBypass(
    'two-missing-headers-quota-exceeded',
    'A request that lacks both secret and version is answered 429 and 1020.',
    () => ({
      instead: (call) =>
        isAbsent(call, 'x-secret-key') && isAbsent(call, 'x-version') ? refuse('1020') : null,
    }),
  ),
]

function onUnknown(when: (call: Call) => boolean, change: Parameters<typeof onAnswer>[1]): Bend {
  return onAnswer((_answer, call) => !isForList(call) && when(call), change)
}

const rules = ['authentication/no-bypass'] as const satisfies readonly SpecRuleId[]

function answers(
  name: string,
  about: string,
  { when, change }: { readonly when: (call: Call, answer: Answer) => boolean; readonly change: Change },
): Fault {
  return { name, about, rules, bend: () => onAnswer((answer, call) => when(call, answer), change) }
}

/** Faults with empty headers. */
const blankValueFaults: readonly Fault[] = [
  answers('blank-secret-key-fails', 'A blank secret is answered 500.', {
    when: (call) => isBlank(call, 'x-secret-key'),
    change: failure(500),
  }),
  answers('blank-version-fails', 'A blank version is answered 500.', {
    when: (call) => isBlank(call, 'x-version'),
    change: failure(500, 'invalid input syntax for type integer: ""'),
  }),
  answers('blank-version-unauthorized', 'A blank version is answered 401 and 1013.', {
    when: (call) => isBlank(call, 'x-version'),
    change: becomes('1013'),
  }),
  answers('blank-api-key-customer-not-found', 'A blank key with a valid secret is answered 401 and 1012.', {
    when: (call) => isBlank(call, 'x-api-key') && ownsSecret(call),
    change: becomes('1012'),
  }),
  {
    name: 'blank-secret-key-accepted-without-version',
    about: 'A blank secret goes with a valid key where the version is missing, and only there.',
    rules,
    bend: () =>
      serveWhen(
        (call) =>
          isForList(call) && ownsKey(call) && isBlank(call, 'x-secret-key') && isAbsent(call, 'x-version'),
      ),
  },
  {
    name: 'blank-version-skips-the-secret',
    about: 'With a blank version the key is looked at and the secret is not.',
    rules,
    bend: () => serveWhen((call) => isForList(call) && isBlank(call, 'x-version') && ownsKey(call)),
  },
]

/** Combinations of flaws, and blank values, that are accepted, or whose answer matches none of their flaws. */
export const bypassFaults: readonly Fault[] = [...served, ...misnamed, ...blankValueFaults]
