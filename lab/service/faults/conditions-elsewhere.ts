import type { Bend } from '../../../lib/serve/reference/bend.ts'
import {
  becomes,
  failure,
  isAbsent,
  isForList,
  page,
  serveWhen,
} from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { beyondGate } from './breaking.ts'
import { asXml, codesOf, notation, sends, slip, warnedInGate } from './slips.ts'

const byQuery: readonly Fault[] = [
  slip('cache-buster-not-permitted', 'With a parameter _ wrong credentials are answered 401 and 1013.', {
    under: ({ query }) => /(?:^|&)_=/.test(query),
    hits: codesOf.wrongCredentials,
    change: becomes('1013'),
  }),
  warnedInGate(
    slip('callback-makes-a-script', 'With a callback every error is a script that calls it.', {
      under: ({ query }) => /(?:^|&)callback=/.test(query),
      change: notation('application/javascript', (payload) => `x(${JSON.stringify(payload)})`),
    }),
  ),
  slip('empty-query-fails', 'With a question mark and no query every error is answered 500.', {
    under: ({ hasMark, query }) => hasMark && query === '',
    change: failure(500, 'undefined is not an object'),
  }),
  warnedInGate(
    slip('format-makes-xml', 'With format=xml every error is XML.', {
      under: ({ query }) => /(?:^|&)format=xml/.test(query),
      change: asXml,
    }),
  ),
  beyondGate(
    slip('debugging-serves-refused-clients', 'With debug=true clients that are refused are served.', {
      under: ({ query }) => /(?:^|&)debug=true/.test(query),
      hits: codesOf.refusedClients,
      change: () => list(),
    }),
  ),
]

const byField: readonly Fault[] = [
  slip(
    'refused-clients-with-a-token-unknown',
    'With a bearer token refused clients are answered 401 and 1006.',
    {
      under: (call) => field(call, 'authorization')?.startsWith('Bearer ') === true,
      hits: codesOf.refusedClients,
      change: becomes('1006'),
    },
  ),
  slip('forwarded-strangers-forbidden', 'Wrong credentials that a proxy forwards are answered 403.', {
    under: sends('x-forwarded-for'),
    hits: codesOf.wrongCredentials,
    change: failure(403, 'forbidden'),
  }),
  slip('sessions-choose-the-version', 'With a cookie of a session any version is served.', {
    under: (call) => field(call, 'cookie')?.includes('session=') === true,
    hits: ['1010'],
    change: () => list(),
  }),
  slip(
    'two-request-ids-fail',
    'Errors are answered 500 where x-request-id is repeated, as by who logs them.',
    {
      under: (call) => field(call, 'x-request-id')?.includes(', ') === true,
      change: failure(500, 'value too long for type character varying(16)'),
    },
  ),
  slip('original-path-is-public', 'Who names another path in x-original-url is not asked for credentials.', {
    under: sends('x-original-url'),
    hits: codesOf.credentials,
    change: () => list(),
  }),
  slip('overridden-method-hides-errors', 'Errors are an empty 200 where x-http-method-override is HEAD.', {
    under: sends('x-http-method-override', 'HEAD'),
    change: { status: 200, text: '' },
  }),
  slip('rewritten-path-not-found', 'With x-rewrite-url every error is a page with 404.', {
    under: sends('x-rewrite-url'),
    change: page(404, 'Not Found'),
  }),
]

type Credential = 'x-api-key' | 'x-secret-key'

/** Reads a credential from another place if its header is absent, so an invented one is called invalid. */
function reads(
  name: string,
  about: string,
  wanted: Credential,
  find: (call: Call) => string | undefined,
): Fault {
  const bend = (): Bend => ({
    see: (call) => (isAbsent(call, wanted) ? withField(call, wanted, find(call)) : call),
  })
  return { name, about, rules: ['fuzz/combined-flaws'], bend }
}

const words = { 'x-api-key': 'key', 'x-secret-key': 'secret' } as const

function inQuery(name: string, wanted: Credential, parameter: string): Fault {
  return reads(
    name,
    `Without ${wanted}, the ${words[wanted]} is read from the parameter ${parameter}.`,
    wanted,
    ({ query }) => new URLSearchParams(query).get(parameter) ?? undefined,
  )
}

function inCookie(wanted: Credential): Fault {
  const what = words[wanted]
  return reads(
    `${what}-read-from-a-cookie`,
    `Without ${wanted}, the ${what} is read from a cookie of this name.`,
    wanted,
    (call) => new RegExp(`(?:^|; )${wanted}=([^;]*)`).exec(field(call, 'cookie') ?? '')?.[1],
  )
}

/** One half of the pair in `authorization: Basic`. */
function inPair(wanted: Credential, half: 0 | 1): Fault {
  const what = words[wanted]
  return reads(
    `${what}-read-from-basic-credentials`,
    `Without ${wanted}, the ${what} is read from authorization: Basic.`,
    wanted,
    (call) => {
      const [, encoded] = /^Basic (.+)$/.exec(field(call, 'authorization') ?? '') ?? []
      return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString().split(':')[half]
    },
  )
}

/** Reading it only warns, because some servers treat both names as the same. */
function underscored(wanted: Credential): Fault {
  const spelled = wanted.replaceAll('-', '_')
  return {
    name: `any-${words[wanted]}-with-underscores-served`,
    about: `Without ${wanted}, whoever sends ${spelled} is served.`,
    rules: ['fuzz/combined-flaws'],
    bend: () =>
      serveWhen((call) => isForList(call) && isAbsent(call, wanted) && field(call, spelled) !== undefined),
  }
}

const elsewhere: readonly Fault[] = [
  inQuery('key-parameter-with-underscore-counts', 'x-api-key', 'api_key'),
  inCookie('x-api-key'),
  inQuery('key-parameter-named-as-its-header-counts', 'x-api-key', 'x-api-key'),
  reads(
    'secret-taken-from-authorization',
    'Without x-secret-key, the secret is the token in authorization.',
    'x-secret-key',
    (call) => /^Bearer (.+)$/.exec(field(call, 'authorization') ?? '')?.[1],
  ),
  inQuery('secret-parameter-with-underscore-counts', 'x-secret-key', 'secret_key'),
  inCookie('x-secret-key'),
  ...[
    underscored('x-api-key'),
    inPair('x-api-key', 0),
    inQuery('key-parameter-in-one-word-counts', 'x-api-key', 'apikey'),
    inQuery('key-parameter-of-three-letters-counts', 'x-api-key', 'key'),
    inQuery('secret-parameter-named-as-its-header-counts', 'x-secret-key', 'x-secret-key'),
    underscored('x-secret-key'),
    inPair('x-secret-key', 1),
    inQuery('secret-parameter-of-six-letters-counts', 'x-secret-key', 'secret'),
    inQuery('secret-parameter-in-one-word-counts', 'x-secret-key', 'apisecret'),
  ].map(beyondGate),
]

/** Faults that show only if a flaw meets a query, a gateway field, or an invented credential in another place. */
export const elsewhereFaults: readonly Fault[] = [...byQuery, ...byField, ...elsewhere]
