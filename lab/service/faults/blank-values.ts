import type { Answer } from '../../../lib/serve/reference/answer.ts'
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
import { isBlank, ownsKey, ownsSecret } from './credentials-sent.ts'

const rules = ['authentication/no-bypass'] as const satisfies readonly SpecRuleId[]

function answers(
  name: string,
  about: string,
  { when, change }: { readonly when: (call: Call, answer: Answer) => boolean; readonly change: Change },
): Fault {
  return { name, about, rules, bend: () => onAnswer((answer, call) => when(call, answer), change) }
}

/** Faults with empty headers. */
export const blankValueFaults: readonly Fault[] = [
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
