import type { Code } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, onAnswer, page } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'

/** Serves requests without accept that should get this code. */
function servedWithoutAccept(code: Code): Bend {
  return {
    answer: (answer, call) => (answer.refusal === code && !asksForJson(call) ? list() : answer),
  }
}

/** Faults that depend on accept, apart from the format of the answer. */
const withoutAccept: readonly Fault[] = [
  {
    name: 'exhausted-client-served-without-accept',
    about: 'Without accept an exhausted client is served.',
    rules: ['quota/stays-exhausted'],
    bend: () => servedWithoutAccept('1020'),
  },
  {
    name: 'inactive-client-served-without-accept',
    about: 'Without accept a client whose endpoint is inactive is served.',
    rules: ['conventions/accept-optional'],
    bend: () => servedWithoutAccept('1011'),
  },
  {
    name: 'invalid-parameters-ignored-without-accept',
    about: 'Without accept invalid parameters are ignored.',
    rules: ['conventions/accept-optional'],
    bend: () => servedWithoutAccept('1030'),
  },
  {
    name: 'list-empty-without-accept',
    about: 'Without accept the list has an empty body.',
    rules: ['conventions/accept-optional', 'conventions/json-response'],
    bend: () => onAnswer(({ refusal }, call) => refusal === null && !asksForJson(call), { text: '' }),
  },
  {
    name: 'unknown-endpoint-connection-closed-without-accept',
    about: 'Without accept an unknown path is not answered.',
    rules: ['conventions/accept-optional'],
    bend: () =>
      onAnswer(({ refusal }, call) => refusal === '1010' && !asksForJson(call), { delivery: 'reset' }),
  },
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

/** Outcomes that depend only on the form of a request. */
export const formOfRequestFaults: readonly Fault[] = [...withoutAccept, ...forms]

function asksForJson(call: Call): boolean {
  return field(call, 'accept')?.includes('application/json') === true
}

/** The names of the required headers in lower case, in order. */
function orderOf({ rawHeaders }: Call): string {
  return rawHeaders
    .filter((_, index) => index % 2 === 0)
    .map((name) => name.toLowerCase())
    .filter((name) => ['x-api-key', 'x-secret-key', 'x-version'].includes(name))
    .join(' ')
}
