import type { Headers } from '../../../lib/serve/reference/answer.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { shipped } from './shipped.ts'
import { writing } from './variant-of.ts'

/** Header fields of answers, which the specification does not show. */
export const answerFieldVariants: readonly Variant[] = [
  fields('fields-of-a-careful-service', 'Answers have the fields that security scanners ask for.', {
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  }),
  fields('fields-of-caches', 'Answers carry what caches write and read.', {
    'cache-control': 'public, max-age=3600, stale-while-revalidate=60',
    etag: 'W/"33a64df5"',
    'last-modified': 'Fri, 20 Nov 2026 02:00:00 GMT',
    expires: '0',
    age: '1800',
    vary: '*',
    via: '1.1 varnish, 1.0 squid',
    'x-cache': 'HIT, MISS',
  }),
  fields('fields-with-cookies', 'Every answer sets cookies.', {
    'set-cookie': [
      'session=8f3a; Path=/; HttpOnly; Secure',
      'lb=node-2; Max-Age=60',
      'empty=; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    ],
  }),
  fields('fields-empty-and-repeated', 'Fields are empty, and repeated.', {
    'x-empty': '',
    'x-again': ['', 'a', 'a, b', ''],
    'cache-control': ['private', 'no-transform'],
    'content-language': 'en, de',
  }),
  fields('fields-beyond-ascii', 'Values of fields hold bytes beyond ASCII.', {
    'x-place': 'Z\u00fcrich \u00e9\u00ff',
    server: 'caf\u00e9/1.0',
  }),
  shipped('fields-by-the-hundred'),
  fields('fields-of-12-kib', 'Answers have fields of 12 KiB.', {
    'x-long': 'x'.repeat(6_144),
    'x-longer': 'y'.repeat(6_144),
  }),
  fields('fields-that-move', 'Successes and errors name places as if they moved there.', {
    location: '/api/customizations/list',
    'content-location': '/api/customizations/list?page=1',
    link: '<https://api.example/next>; rel="next"',
    refresh: '5; url=/',
    'alt-svc': 'h3=":443"; ma=2592000',
  }),
  fields('fields-of-rates', 'Every answer says how much of rate and quota is left.', {
    'x-ratelimit-limit': '100',
    'x-ratelimit-remaining': '0',
    'ratelimit-policy': '100;w=1, 5000;w=86400',
    'retry-after': '120',
  }),
  on401('fields-of-authentication', 'Refused credentials are challenged, as RFC 9110 demands of 401.', {
    'www-authenticate': ['ApiKey realm="api", charset="UTF-8"', 'Basic realm="staging"'],
  }),
  on429('retry-after-the-quota-in-seconds', 'A used-up quota says when to come again, in seconds.', {
    'retry-after': '86400',
  }),
  on429('retry-after-the-quota-as-a-date', 'A used-up quota says when to come again, as a date.', {
    'retry-after': 'Sat, 21 Nov 2099 00:00:00 GMT',
    'x-ratelimit-remaining': '0',
  }),
  {
    name: 'fields-named-as-those-of-requests',
    about: 'Answers have fields that are named as those of requests, with the key and the version in them.',
    manner: () => ({
      writing: {
        headers: ({ client }, call) => ({
          'x-version': String(call.headers['x-version'] ?? '').replaceAll(/[^\w.-]/g, ''),
          'x-api-key': client?.apiKey ?? '',
          'x-secret-key': '',
          accept: 'application/json',
        }),
      },
    }),
  },
  // Instructions to caches that do not give one client's list to another.
  successes('success-kept-by-its-client', 'Clients may keep a success for a minute.', {
    'cache-control': 'private, max-age=60',
  }),
  successes('success-kept-by-no-gateway', 'Gateways may not keep a success; browsers may.', {
    'cache-control': 'max-age=60, s-maxage=0',
  }),
  successes('success-public-without-age', 'A success is public, without an age.', {
    'cache-control': 'public',
  }),
  successes('success-kept-and-asked-for', 'Caches must ask before they give a kept success again.', {
    'cache-control': 'max-age=60, no-cache',
  }),
  successes('success-kept-by-credentials', 'Caches keep a success for each key of its own.', {
    'cache-control': ['public', 'max-age=60'],
    vary: ['accept-encoding', 'X-Api-Key, X-Secret-Key, X-Version'],
  }),
  successes('success-with-malformed-age', 'The age of a success is malformed.', {
    'cache-control': 'public; max-age=60',
  }),
  {
    name: 'errors-kept-by-any-cache',
    about: 'Caches may keep an error for some seconds.',
    manner: () => ({
      writing: {
        headers: ({ refusal }) => (refusal === null ? {} : { 'cache-control': 'public, max-age=5' }),
      },
    }),
  },
  // Heads beyond 16 KiB, the default limit of many clients.
  {
    name: 'fields-of-40-kib',
    about: 'Every answer has header fields of 40 KiB, as of policies, cookies and traces.',
    manner: () => ({
      writing: {
        headers: () => ({
          'content-security-policy': `default-src 'none'; img-src ${'https://cdn.example '.repeat(1_500)}`,
          'set-cookie': Array.from({ length: 10 }, (_, at) => `c${String(at)}=${'v'.repeat(1_000)}; Path=/`),
        }),
      },
    }),
  },
]

function fields(name: string, about: string, headers: Headers): Variant {
  return writing(name, about, { headers: () => headers })
}

function on401(name: string, about: string, headers: Headers): Variant {
  return writing(name, about, { headers: ({ status }) => (status === 401 ? headers : {}) })
}

function on429(name: string, about: string, headers: Headers): Variant {
  return writing(name, about, { headers: ({ status }) => (status === 429 ? headers : {}) })
}

function successes(name: string, about: string, headers: Headers): Variant {
  return {
    name,
    about,
    manner: () => ({ writing: { headers: ({ refusal }) => (refusal === null ? headers : {}) } }),
  }
}
