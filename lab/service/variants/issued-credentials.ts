import {
  clientNames,
  type ReferenceClient,
  type ReferenceClients,
} from '../../../lib/serve/reference/clients.ts'
import type { Manner } from '../../../lib/serve/reference/manner.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Credentials of other forms. The specification only calls them strings. */
export const issuedCredentialVariants: readonly Variant[] = [
  issuing('credentials-uuids', 'Keys and secrets are UUIDs.', uuids),
  issuing(
    'credentials-uuids-in-any-letter-case',
    'Keys and secrets are UUIDs, whose letter case does not matter.',
    uuids,
    { reading: { same: (issued, sent) => issued.toLowerCase() === sent.toLowerCase() } },
  ),
  issuing(
    'credentials-hexadecimal-in-any-letter-case',
    'Keys and secrets are hexadecimal numbers in any letter case.',
    (index) => ({
      apiKey: `9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4${String(index)}`,
      secretKey: `${String(index)}c4e2a0f8b6d4c2e0a8f6b4d2c0e8a6f4b2d0c8e6a4f2b0d8c6e4a2f0b8d6c4e`,
    }),
    { reading: { same: (issued, sent) => issued.toLowerCase() === sent.toLowerCase() } },
  ),
  issuing(
    'credentials-base64',
    'Keys and secrets are base64 with padding, with the characters that URLs escape.',
    (index) => ({
      apiKey: `c2Vjb2Nk+Xy/4${String(index)}==`,
      secretKey: `W4p+jKqT8/ne5Rv2GsYc7mBz9Dh6Lu3${String(index)}Zw==`,
    }),
  ),
  issuing('credentials-numbers', 'Keys and secrets are plain numbers.', (index) => ({
    apiKey: `4711000${String(index)}83`,
    secretKey: `90210${String(index)}5551234987`,
  })),
  issuing(
    'credentials-one-digit-apart',
    'Keys and secrets are counted up, so that those of clients are near misses of each other.',
    (index) => ({
      apiKey: `client-000000${String(index)}`,
      secretKey: `secret-of-client-000000${String(index)}`,
    }),
  ),
  issuing(
    'credentials-that-begin-alike',
    'The key of one client continues that of another, secrets too.',
    (index) => ({
      apiKey: `acme-staging${'-eu'.repeat(index)}`,
      secretKey: `Qm9yZGVhdXg3${'x7'.repeat(index)}`,
    }),
  ),
  issuing('credentials-of-six-characters', 'Keys and secrets have six characters.', (index) => ({
    apiKey: `k7Qx2${String(index)}`,
    secretKey: `s9Wz4${String(index)}`,
  })),
  issuing('credentials-of-600-characters', 'Keys and secrets have 600 characters.', (index) => ({
    apiKey: `${String(index)}${'aB3dE5fG7h'.repeat(60)}`,
    secretKey: `${'zY2xW4vU6t'.repeat(60)}${String(index)}`,
  })),
  issuing(
    'credentials-with-signs',
    'Keys and secrets hold quotes, commas, semicolons, percent signs and spaces.',
    (index) => ({
      apiKey: `k"${String(index)}, v;q=0.5 %41\\'{}|~`,
      secretKey: `Basic s${String(index)}: a=b&c=%2F; "d", e`,
    }),
  ),
  issuing(
    'credentials-like-tokens',
    'The secret is three parts with dots between, as of a signed token.',
    (index) => ({
      apiKey: `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ${String(index)}IiwiYXVkIjoiY2FyZHMifQ`,
      secretKey: `eyJ0eXAiOiJKV1QifQ.eyJpc3MiOiJhY21lIiwibiI6${String(index)}fQ.c2lnbmF0dXJlLW9mLWEtdG9rZW4`,
    }),
  ),
  issuing(
    'secret-shared-by-all-clients',
    'One secret belongs to every key, as where it is the company that has it.',
    (index) => ({
      apiKey: `ak_live_Tm4Rk8Wz2Qp6Yc${String(index)}`,
      secretKey: 'JPx8WkJAMtj4pQioSD3iU9CMWNH562SstB2FS9oZ',
    }),
  ),
]

function issuing(
  name: string,
  about: string,
  credentials: (index: number) => ReferenceClient,
  more: Manner = {},
): Variant {
  return { name, about, manner: () => ({ ...more, clients: clientsWith(credentials) }) }
}

function clientsWith(credentials: (index: number) => ReferenceClient): ReferenceClients {
  const [permitted, second, noCustomer, inactive, unauthorized, exhausted, disposable] = clientNames.map(
    (_, index) => credentials(index),
  )
  const none = credentials(clientNames.length)
  return {
    permitted: permitted ?? none,
    second: second ?? none,
    noCustomer: noCustomer ?? none,
    inactive: inactive ?? none,
    unauthorized: unauthorized ?? none,
    exhausted: exhausted ?? none,
    disposable: disposable ?? none,
  }
}

function uuids(index: number): ReferenceClient {
  return {
    apiKey: `3f2b8c1${String(index)}-9ade-4c7b-8f1d-6a5be0c4d27${String(index)}`,
    secretKey: `b7d4e9a${String(index)}-1c3f-4e8a-9b6d-f02ac8d513e${String(index)}`,
  }
}
