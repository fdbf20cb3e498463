import type { Answer, Code } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import {
  becomes,
  failure,
  onAnswer,
  onRefusal,
  page,
  type Change,
} from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'
import { breaking } from './breaking.ts'

/** Outcomes that depend on whether `accept: application/json` is sent. */
const acceptFaults: readonly Fault[] = [
  breaking('conventions/accept-optional')(
    'success-needs-accept',
    'Without accept the list is answered 406 with a page.',
    () => withoutAccept(({ refusal }) => refusal === null, page(406, 'Not Acceptable')),
  ),
  breaking('conventions/accept-optional', 'conventions/json-response')(
    'errors-are-pages-without-accept',
    'Without accept every error is a page.',
    () =>
      withoutAccept(
        ({ refusal }) => refusal !== null,
        ({ status }) => page(status, 'Error'),
      ),
  ),
  breaking('conventions/accept-optional', 'endpoints/list-succeeds')(
    'accept-json-refused',
    'With accept: application/json the list is answered 406.',
    () =>
      onAnswer(({ refusal }, call) => refusal === null && asksForJson(call), failure(406, 'not acceptable')),
  ),
  breaking('conventions/accept-optional', 'authentication/secret-key-invalid')(
    'accept-json-changes-invalid-secret-key',
    'With accept: application/json an invalid secret is answered 401 and 1006.',
    () => onAnswer(({ refusal }, call) => refusal === '1007' && asksForJson(call), becomes('1006')),
  ),
  breaking('conventions/accept-optional', 'authentication/endpoint-unauthorized')(
    'unauthorized-client-forbidden-without-accept',
    'Without accept a client that is not permitted is answered 403.',
    () => withoutAccept(({ refusal }) => refusal === '1013', { status: 403 }),
  ),
  breaking('conventions/accept-optional', 'versioning/version-missing')(
    'missing-version-endpoint-not-found-without-accept',
    'Without accept a missing version is answered 400 and 1010.',
    () => withoutAccept(({ refusal }) => refusal === '1003', becomes('1010')),
  ),
]

function asksForJson(call: Call): boolean {
  return field(call, 'accept')?.includes('application/json') === true
}

// Some clients send */* by default.
function withoutAccept(when: (answer: Answer) => boolean, change: Change): Bend {
  return onAnswer((answer, call) => when(answer) && !asksForJson(call), change)
}

const acceptOptional = breaking('conventions/accept-optional')

/** Serves requests without accept that should get this code. */
function servedWithoutAccept(code: Code): Bend {
  return { answer: (answer, call) => (answer.refusal === code && !asksForJson(call) ? list() : answer) }
}

/** Faults that depend on accept, apart from the format of the answer. */
const whateverFormat: readonly Fault[] = [
  breaking('quota/stays-exhausted')(
    'exhausted-client-served-without-accept',
    'Without accept an exhausted client is served.',
    () => servedWithoutAccept('1020'),
  ),
  acceptOptional(
    'inactive-client-served-without-accept',
    'Without accept a client whose endpoint is inactive is served.',
    () => servedWithoutAccept('1011'),
  ),
  acceptOptional(
    'invalid-parameters-ignored-without-accept',
    'Without accept invalid parameters are ignored.',
    () => servedWithoutAccept('1030'),
  ),
  breaking('conventions/accept-optional', 'conventions/json-response')(
    'list-empty-without-accept',
    'Without accept the list has an empty body.',
    () => onAnswer(({ refusal }, call) => refusal === null && !asksForJson(call), { text: '' }),
  ),
  acceptOptional(
    'unknown-endpoint-connection-closed-without-accept',
    'Without accept an unknown path is not answered.',
    () => onAnswer(({ refusal }, call) => refusal === '1010' && !asksForJson(call), { delivery: 'reset' }),
  ),
]

const orderRules = ['conventions/header-case-insensitive'] as const satisfies readonly SpecRuleId[]

/** Faults that depend on one order of the headers, or one spelling of their names. */
const forms: readonly Fault[] = [
  {
    name: 'reversed-headers-skip-the-secret',
    about: 'Where version, secret and key come in this order, a wrong secret is served.',
    rules: orderRules,
    bend: () => ({
      answer: (answer, call) =>
        answer.refusal === '1007' && orderOf(call) === 'x-version x-secret-key x-api-key' ? list() : answer,
    }),
  },
  {
    name: 'secret-version-key-order-unseen',
    about: 'Where secret, version and key come in this order, the key is not found.',
    rules: orderRules,
    bend: () => ({
      see: (call) =>
        orderOf(call) === 'x-secret-key x-version x-api-key' ? withField(call, 'x-api-key', undefined) : call,
    }),
  },
  {
    name: 'capitalised-names-answered-with-page',
    about: 'Where the names are written X-Api-Key and alike, the list is a page.',
    rules: orderRules,
    bend: () =>
      onAnswer(
        ({ refusal }, { rawHeaders }) => refusal === null && rawHeaders.includes('X-Api-Key'),
        page(200, 'Customizations'),
      ),
  },
  {
    name: 'upper-case-key-name-blames-secret',
    about: 'A wrong key under the name X-API-KEY is answered 401 and 1007.',
    rules: orderRules,
    bend: () =>
      onAnswer(
        ({ refusal }, { rawHeaders }) => refusal === '1006' && rawHeaders.includes('X-API-KEY'),
        becomes('1007'),
      ),
  },
]

/** The names of the required headers in lower case, in order. */
function orderOf({ rawHeaders }: Call): string {
  return rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name) => name.toLowerCase())
    .filter((name) => ['x-api-key', 'x-secret-key', 'x-version'].includes(name))
    .join(' ')
}

const headerCase = breaking('conventions/header-case-insensitive')

/** Outcomes that depend on the spelling of header names, or on their order. */
const headerNameFaults: readonly Fault[] = [
  headerCase(
    'only-lower-case-names-seen',
    'Headers are found only where their names are in lower case.',
    () => sees((name) => name === name.toLowerCase()),
  ),
  headerCase('upper-case-version-name-unseen', 'X-VERSION is not found, x-version and X-Version are.', () =>
    sees((name) => name !== 'X-VERSION'),
  ),
  breaking('conventions/header-case-insensitive', 'errors/documented-pairs')(
    'unusual-letter-case-fails',
    'A name in both letter cases, other than with capitals at the beginnings of words, is answered 500.',
    () => onAnswer((_answer, call) => namesOf(call).some((name) => !isUsual(name)), failure(500)),
  ),
  headerCase(
    'upper-case-secret-name-trusted',
    'A wrong secret is served where its name is X-SECRET-KEY.',
    () =>
      onRefusal('1007', (answer, call) =>
        namesOf(call).includes('X-SECRET-KEY') ? list(call.query) : answer,
      ),
  ),
  headerCase(
    'secret-before-key-invalid',
    'A secret that comes before the key is answered 401 and 1006.',
    () => onAnswer((_answer, call) => comesBefore(call, 'x-secret-key', 'x-api-key'), becomes('1006')),
  ),
  headerCase('version-before-secret-missing', 'A version that comes before the secret is not found.', () => ({
    see: (call) =>
      comesBefore(call, 'x-version', 'x-secret-key') ? withField(call, 'x-version', undefined) : call,
  })),
]

function namesOf({ rawHeaders }: Call): readonly string[] {
  return rawHeaders.filter(
    (text, index) => index % 2 === 0 && /^x-(?:api-key|secret-key|version)$/i.test(text),
  )
}

function isUsual(name: string): boolean {
  return name === name.toLowerCase() || name === name.toUpperCase() || /^X(?:-[A-Z][a-z]+)+$/.test(name)
}

/** Hides the required headers whose names, as written, are not found. */
function sees(isFound: (name: string) => boolean): Bend {
  return {
    see: (call) =>
      namesOf(call)
        .filter((name) => !isFound(name))
        .reduce((seen, name) => withField(seen, name.toLowerCase(), undefined), call),
  }
}

function comesBefore(call: Call, first: string, second: string): boolean {
  const names = namesOf(call).map((name) => name.toLowerCase())
  return names.includes(first) && names.includes(second) && names.indexOf(first) < names.indexOf(second)
}

/** Outcomes that depend only on the form of a request. */
export const formFaults: readonly Fault[] = [
  ...acceptFaults,
  ...whateverFormat,
  ...forms,
  ...headerNameFaults,
]
