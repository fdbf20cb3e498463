import { randomUUID } from 'node:crypto'
import { refuse, type Deliverer } from '../../../lib/serve/reference/answer.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import type { Manner } from '../../../lib/serve/reference/manner.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { coded } from '../deliveries/coded.ts'
import { inNoRange, notModifiedSince, notModifiedWhenAsked } from '../deliveries/conditional.ts'
import { closingAfter } from '../deliveries/spelled.ts'
import { gateway } from './variant-of.ts'

function manner(name: string, about: string, chosen: Manner): Variant {
  return { name, about, manner: () => chosen }
}

const messages: Readonly<Record<string, string>> = {
  de: 'Anfrage abgewiesen',
  fr: 'requête refusée',
  ar: 'تم رفض الطلب',
}

/** The first language that a request accepts, without its region. */
function languageOf(call: Call): string {
  return (field(call, 'accept-language') ?? 'en').slice(0, 2)
}

function isBrowser(headers: Call['headers']): boolean {
  return headers['sec-fetch-mode'] !== undefined || headers.accept?.includes('text/html') === true
}

/** The client and what it accepts change only what the specification leaves open. */
const byClient: readonly Variant[] = [
  manner('messages-translated-or-empty', 'Messages are translated, and empty in most languages.', {
    writing: {
      error: (error, call) => {
        const language = languageOf(call)
        const message = language === 'en' ? error.error_message : messages[language]
        return { ...error, error_message: message ?? '' }
      },
      headers: (_answer, call) => ({ 'content-language': languageOf(call), vary: 'accept-language' }),
    },
  }),
  manner('cookies-for-browsers', 'Who asks as a browser does gets cookies that nobody reads.', {
    writing: {
      headers: (_answer, { headers }) =>
        isBrowser(headers) ? { 'set-cookie': ['session=8f3a; HttpOnly', 'theme=dark'] } : {},
    },
  }),
  manner('json-indented-for-browsers', 'Who asks as a browser does gets JSON that is indented.', {
    deliver: (outgoing, response) => {
      const { body } = outgoing
      const isIndented = body !== '' && isBrowser(response.req.headers)
      whole(
        isIndented ? { ...outgoing, body: JSON.stringify(JSON.parse(body), null, 2) } : outgoing,
        response,
      )
    },
  }),
  manner('refusals-alone-compressed', 'Errors alone are compressed, with the best coding that is accepted.', {
    deliver: onErrors((outgoing, response) => {
      const accepted = response.req.headers['accept-encoding'] ?? ''
      const coding = (['br', 'gzip'] as const).find((one) => accepted.includes(one))
      const answer = { ...outgoing, fields: [...outgoing.fields, 'vary', 'accept-encoding'] }
      return (coding === undefined ? whole : coded([coding]))(answer, response)
    }),
  }),
  manner('closing-after-refusals', 'The connection is closed after every error, which says so.', {
    deliver: onErrors(closingAfter),
  }),
]

function onErrors(deliverer: Deliverer): Deliverer {
  return (outgoing, response) => (outgoing.status >= 400 ? deliverer : whole)(outgoing, response)
}

/** HTTP conditions: after authentication, or before anything else if they are malformed. */
const byCondition: readonly Variant[] = [
  {
    name: 'handed-out-and-never-read',
    about: 'Successes set a session cookie, a token and an entity tag; 304 comes once authenticated.',
    manner: () => ({
      deliver: notModifiedWhenAsked,
      writing: {
        headers: ({ refusal }) =>
          refusal === null
            ? { 'set-cookie': `session=${randomUUID()}; Path=/`, 'x-auth-token': randomUUID() }
            : {},
      },
    }),
  },
  manner('not-modified-since', 'Who has a list that is as new is answered 304, once authenticated.', {
    deliver: notModifiedSince,
  }),
  manner('ranges-not-satisfiable', 'Who asks for a range of the list is answered 416, once authenticated.', {
    deliver: inNoRange,
  }),
  gateway('malformed-dates-invalid-input', 'A date that is none is invalid input, before all else.', {
    answers: (call) => {
      const date = field(call, 'if-modified-since')
      return date !== undefined && Number.isNaN(Date.parse(date)) ? refuse('1030') : null
    },
  }),
]

/** Queries, and fields that gateways read. */
const byGateway: readonly Variant[] = [
  gateway(
    'unknown-parameters-refused-first',
    'Unknown parameters are invalid input, whatever else is wrong.',
    {
      answers: ({ query }) =>
        [...new URLSearchParams(query).keys()].every((name) => name === 'limit') ? null : refuse('1030'),
    },
  ),
  gateway('format-that-does-not-exist', 'Under a format that is not served there is no endpoint at all.', {
    answers: ({ query }) => (/(?:^|&)format=(?!json)/.test(query) ? refuse('1010') : null),
  }),
  manner('debugging-adds-properties', 'With debug=true every object has further properties.', {
    writing: {
      success: (list, call) => ({ ...list, ...debugged(call) }),
      error: (error, call) => ({ ...error, ...debugged(call) }),
    },
  }),
  gateway('unknown-tokens-refused-bare', 'A gateway that knows tokens refuses others with a bare 401.', {
    answers: ({ headers }) =>
      headers.authorization === undefined ? null : bare(401, { 'www-authenticate': 'Bearer' }),
  }),
  gateway('overridden-methods-blocked', 'A firewall refuses with a page what names another method.', {
    answers: (call) =>
      field(call, 'x-http-method-override') === undefined ? null : page(403, 'Request blocked'),
  }),
  gateway('original-paths-honoured', 'The path is the one of x-original-url or x-rewrite-url, as with IIS.', {
    passes: (call) => ({
      ...call,
      path: field(call, 'x-original-url') ?? field(call, 'x-rewrite-url') ?? call.path,
    }),
  }),
]

function debugged({ query, arrival }: Call): Readonly<Record<string, unknown>> {
  return /(?:^|&)debug=true/.test(query) ? { debug: { arrival, sql: null } } : {}
}

/** Behaviour of honest services under the conditions that are combined with flaws. */
export const conditionVariants: readonly Variant[] = [...byClient, ...byCondition, ...byGateway]
