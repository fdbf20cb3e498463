import { becomes, failure, onAnswer, page, type Change } from '../../../lib/serve/reference/bending.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { percentDecoded } from '../../../lib/text/url.ts'
import { beyondGate, shipped } from './breaking.ts'

interface Parameter {
  readonly name: string
  readonly value: string
}

/** Another answer to a request without flaws if one of its parameters has this property. */
function one(
  name: string,
  about: string,
  { when, change }: { readonly when: (parameter: Parameter) => boolean; readonly change: Change },
): Fault {
  return all(name, about, { when: (parameters) => parameters.some(when), change })
}

/** The same for all parameters together. */
function all(
  name: string,
  about: string,
  bent: { readonly when: (parameters: readonly Parameter[]) => boolean; readonly change: Change },
): Fault {
  return query(name, about, { ...bent, when: (text) => bent.when(parametersOf(text)) })
}

/** The same for the query as sent. */
function query(
  name: string,
  about: string,
  { when, change }: { readonly when: (query: string) => boolean; readonly change: Change },
): Fault {
  const isMeant = (call: Call): boolean => call.query !== '' && when(call.query)
  return {
    name,
    about,
    rules: ['fuzz/query'],
    bend: () =>
      onAnswer(({ refusal }, call) => (refusal === null || refusal === '1030') && isMeant(call), change),
  }
}

/** Wrong answers to parameters that only generated ones reveal. */
export const parameterFaults: readonly Fault[] = [
  one('quote-in-parameter-fails', 'A parameter with a single quote is answered 500.', {
    when: ({ value }) => value.includes("'"),
    change: failure(500, 'unterminated quoted string'),
  }),
  one('large-parameter-fails', 'An integer above 2147483647 as a parameter is answered 500.', {
    when: ({ value }) => /^\d+$/.test(value) && Number(value) > 2_147_483_647,
    change: failure(500, 'value out of range for type integer'),
  }),
  one(
    'unsafe-integer-endpoint-not-found',
    'An integer from 2⁵³ on as a parameter is answered 400 and 1010.',
    {
      when: ({ value }) => /^\d+$/.test(value) && !Number.isSafeInteger(Number(value)),
      change: becomes('1010'),
    },
  ),
  one('negative-limit-fails', 'A limit below 0 is answered 500.', {
    when: ({ name, value }) => name === 'limit' && Number(value) < 0,
    change: failure(500, 'LIMIT must not be negative'),
  }),
  one('negative-page-answered-with-nothing', 'A page below 0 is answered 204.', {
    when: ({ name, value }) => name === 'page' && Number(value) < 0,
    change: { status: 204 },
  }),
  beyondGate(
    one(
      'infinite-parameter-breaks-json',
      'A parameter that is read as infinite comes back in a body that is no JSON.',
      {
        when: ({ value }) => Number(value) === Infinity,
        change: { status: 200, text: '{"customizations":[],"limit":Infinity}' },
      },
    ),
  ),
  one('parameter-named-prototype-fails', 'A parameter with the name __proto__ is answered 500.', {
    when: ({ name }) => name === '__proto__',
    change: failure(500),
  }),
  one('parameter-with-brackets-fails', 'A parameter whose name ends with brackets is answered 500.', {
    when: ({ name }) => name.endsWith('[]'),
    change: failure(500, 'limit.trim is not a function'),
  }),
  one('nameless-parameter-unauthorized', 'A parameter without a name is answered 401 and 1013.', {
    when: ({ name }) => name === '',
    change: becomes('1013'),
  }),
  one('blank-parameter-answered-with-nothing', 'A parameter with nothing in it is answered 204.', {
    when: ({ value }) => value === '',
    change: { status: 204 },
  }),
  one('parameter-of-1000-characters-page', 'A parameter of 1,000 characters is answered 414 with a page.', {
    when: ({ value }) => value.length >= 1_000,
    change: page(414, 'URI Too Long'),
  }),
  all('repeated-parameter-fails', 'A parameter that comes twice is answered 500.', {
    when: (parameters) => new Set(parameters.map(({ name }) => name)).size < parameters.length,
    change: failure(500, 'limit.trim is not a function'),
  }),
  all('fifty-parameters-fail', 'Fifty parameters or more are answered 500.', {
    when: (parameters) => parameters.length >= 50,
    change: failure(500),
  }),
  beyondGate(
    query('undecodable-query-fails', 'A query that cannot be percent-decoded as UTF-8 is answered 500.', {
      when: (text) => percentDecoded(text) === null,
      change: failure(500, 'URI malformed'),
    }),
  ),
  ...[
    one('parameter-not-a-number-fails', 'The parameter NaN is answered 500.', {
      when: ({ value }) => value === 'NaN',
      change: failure(500),
    }),
    shipped('parameter-beyond-three-bytes-fails'),
    one('operator-in-parameter-fails', 'A parameter that is an operator as JSON is answered 500.', {
      when: ({ value }) => value.startsWith('{"$'),
      change: failure(500, 'unknown top level operator'),
    }),
  ].map(beyondGate),
]

function parametersOf(text: string): readonly Parameter[] {
  return Array.from(new URLSearchParams(text), ([name, value]) => ({ name, value }))
}
