import type { Answer, Code } from './answer.ts'
import type { Call } from './call.ts'
import { everyClient, type Client } from './clients.ts'
import { isValidQuery, list, listPath } from './list.ts'

/** How a service reads requests, where the specification leaves it open. */
export interface Reading {
  readonly clients: readonly Client[]
  /** The order of the checks; called for every request. Omitted checks are skipped. */
  readonly order: () => readonly CheckName[]
  /** How to treat a blank key and a blank secret. */
  readonly blankCredential: 'missing' | 'invalid'
  /** Whether a blank version counts as missing, or is checked like any version. */
  readonly blankVersion: 'missing' | 'a version'
  /**
   * How to look up credentials: the secret is compared with that of the key's owner; or key and secret are looked up as a pair, so that
   * mismatched or unknown pairs have no customer; or each is looked up separately.
   */
  readonly looksUp: 'the owner' | 'the pair' | 'each'
  /** Whether a sent credential matches an issued credential. */
  readonly same: (issued: string, sent: string) => boolean
  /** The code that refuses a version, or null for a version with the list. */
  readonly refusesVersion: (version: string) => Code | null
  /** Whether a request names the list endpoint, in any version. */
  readonly isForList: (call: Call) => boolean
  readonly isValidQuery: (query: string) => boolean
  readonly isValidBody: (call: Call) => boolean
  /** The list for a valid query. */
  readonly list: (query: string) => Answer
}

/** The specification sets no order. This order reports missing headers first, and authenticates before it authorizes. */
export const usualOrder = [
  'host',
  'api-key-present',
  'secret-key-present',
  'version-present',
  'endpoint-in-version',
  'api-key-valid',
  'secret-key-valid',
  'customer',
  'endpoint-active',
  'permitted',
  'quota',
  'input',
] as const

/** The name of a check. */
export type CheckName = (typeof usualOrder)[number]

/** The choices of the plain reference service. */
export const usualReading: Reading = {
  clients: everyClient,
  order: () => usualOrder,
  blankCredential: 'missing',
  blankVersion: 'missing',
  looksUp: 'the owner',
  same: (issued, sent) => issued === sent,
  refusesVersion: (version) => (version === '1' ? null : '1010'),
  isForList: ({ path, method }) => path === listPath && (method === 'GET' || method === 'HEAD'),
  isValidQuery,
  isValidBody: () => true,
  list,
}
