import type { Headers } from '../../../lib/serve/reference/answer.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { shipped } from './shipped.ts'
import { writing } from './variant-of.ts'

/** Header fields of answers. The specification shows none. */
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
