import type { Answer, Code } from './answer.ts'
import type { CheckName } from './bend.ts'
import type { Call } from './call.ts'
import { everyClient, type Client } from './clients.ts'
import { isValidQuery, list, listPath } from './list.ts'

/** How a service reads requests, in everything that the specification leaves to it. */
export interface Reading {
  readonly clients: readonly Client[]
  /** The order in which checks are made; asked for every request. A check that is left out is never made. */
  readonly order: () => readonly CheckName[]
  /** What a blank key and a blank secret count as. */
  readonly blankCredential: 'missing' | 'invalid'
  /** Whether a blank version counts as missing, or is asked about as any other. */
  readonly blankVersion: 'missing' | 'a version'
  /**
   * Whether the secret is held against that of the key's owner; or key and secret are looked up as a pair, so that two that are
   * somebody's and do not belong together, or are both nobody's, have no customer; or each is looked up by itself.
   */
  readonly looksUp: 'the owner' | 'the pair' | 'each'
  /** Whether a credential that was sent is one that was issued. */
  readonly same: (issued: string, sent: string) => boolean
  /** The code with which a version is refused, or null for one under which the list is served. */
  readonly refusesVersion: (version: string) => Code | null
  /** Whether a request names the list endpoint, whatever its version. */
  readonly isForList: (call: Call) => boolean
  readonly isValidQuery: (query: string) => boolean
  readonly isValidBody: (call: Call) => boolean
  /** The list, as a query asks for it that is valid. */
  readonly list: (query: string) => Answer
}

/** The specification sets no order; this one names what is absent first, and asks who is there before what they may do. */
export const usualOrder: readonly CheckName[] = [
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
]

/** The manner of the plain reference service. */
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
