import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, failure, onAnswer, page, type Change } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'

/** Outcomes that depend on whether `accept: application/json` is sent. */
export const acceptFaults: readonly Fault[] = [
  {
    name: 'success-needs-accept',
    about: 'Without accept the list is answered 406 with a page.',
    rules: ['conventions/accept-optional'],
    bend: () => withoutAccept(({ refusal }) => refusal === null, page(406, 'Not Acceptable')),
  },
  {
    name: 'errors-are-pages-without-accept',
    about: 'Without accept every error is a page.',
    rules: ['conventions/accept-optional', 'conventions/json-response'],
    bend: () =>
      withoutAccept(
        ({ refusal }) => refusal !== null,
        ({ status }) => page(status, 'Error'),
      ),
  },
  {
    name: 'accept-json-refused',
    about: 'With accept: application/json the list is answered 406.',
    rules: ['conventions/accept-optional', 'endpoints/list-succeeds'],
    bend: () =>
      onAnswer(({ refusal }, call) => refusal === null && asksForJson(call), failure(406, 'not acceptable')),
  },
  {
    name: 'accept-json-changes-invalid-secret-key',
    about: 'With accept: application/json an invalid secret is answered 401 and 1006.',
    rules: ['conventions/accept-optional', 'authentication/secret-key-invalid'],
    bend: () => onAnswer(({ refusal }, call) => refusal === '1007' && asksForJson(call), becomes('1006')),
  },
  {
    name: 'unauthorized-client-forbidden-without-accept',
    about: 'Without accept a client that is not permitted is answered 403.',
    rules: ['conventions/accept-optional', 'authentication/endpoint-unauthorized'],
    bend: () => withoutAccept(({ refusal }) => refusal === '1013', { status: 403 }),
  },
  {
    name: 'missing-version-endpoint-not-found-without-accept',
    about: 'Without accept a missing version is answered 400 and 1010.',
    rules: ['conventions/accept-optional', 'versioning/version-missing'],
    bend: () => withoutAccept(({ refusal }) => refusal === '1003', becomes('1010')),
  },
]

function asksForJson(call: Call): boolean {
  return field(call, 'accept')?.includes('application/json') === true
}

// Some clients send */* by default.
function withoutAccept(when: (answer: Answer) => boolean, change: Change): Bend {
  return onAnswer((answer, call) => when(answer) && !asksForJson(call), change)
}
