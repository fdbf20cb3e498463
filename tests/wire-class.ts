import type { Request } from '../lib/http/request.ts'
import { requiredFields, type RequiredField } from '../lib/spec/endpoints.ts'
import type { Seen, Value } from './wire-seen.ts'

/** A class of the catalogue, and how one sees in the bytes of a request that it is there. */
export interface WireClass {
  /** As the catalogue calls it. */
  readonly name: string
  readonly examples: readonly Example[]
}

/** Something that a class must have sent at least once. */
export interface Example {
  readonly says: string
  readonly isIn: (seen: Seen) => boolean
}

/** What was given as settings, and is looked for in the bytes. */
export const known = {
  'x-api-key': { valid: 'Ak7-vXq2Rb84TzNe', anothers: 'Zm3-kLw9Yc56HsUd' },
  'x-secret-key': { valid: 'sQ5.pGt1Jf08WuMi', anothers: 'hD2.xBn6Va47OeKy' },
  'x-version': { valid: '1', anothers: null },
} as const

/** The name of a credential's field. */
export type CredentialField = 'x-api-key' | 'x-secret-key'

/** Both fields that hold a credential. */
export const credentialFields = ['x-api-key', 'x-secret-key'] as const

/** Below the origin of the server that captures. */
export const prefix = '/gateway/v%31'

/** The settings of the requests that are captured. */
export const settings = {
  TARGET_BASE_URL: `https://staging.example${prefix}`,
  TARGET_API_KEY: known['x-api-key'].valid,
  TARGET_SECRET_KEY: known['x-secret-key'].valid,
  TARGET_QUERY: 'page=1&to=3',
  FIXTURE_SECOND_API_KEY: known['x-api-key'].anothers,
  FIXTURE_SECOND_SECRET_KEY: known['x-secret-key'].anothers,
} as const

/** What `host` says in {@link plainBytes}. */
export const host = '127.0.0.1:1'

/** The bytes of the plain valid request for this target, on a pooled connection, written out. */
export function plainBytes({ target }: Pick<Request, 'target'>): string {
  return [
    `GET ${prefix}${target} HTTP/1.1`,
    `host: ${host}`,
    'connection: keep-alive',
    `x-api-key: ${settings.TARGET_API_KEY}`,
    `x-secret-key: ${settings.TARGET_SECRET_KEY}`,
    'x-version: 1',
    'accept: application/json',
    'user-agent: card-switch-conformance/0.0.0',
    '',
    '',
  ].join('\r\n')
}

/** The path of the endpoint that requests are made for. */
export const knownPath = '/api/customizations/list'

/** Whether a value shows something; the valid one of its field is known. */
export type Shows = (value: Value, valid: string, field: RequiredField) => boolean

/** The same examples for each of these fields. */
export function inFields(
  fields: readonly RequiredField[],
  all: Readonly<Record<string, Shows>>,
): readonly Example[] {
  return fields.flatMap((field) =>
    Object.entries(all).map(([says, shows]) => ({
      says: `${field}: ${says}`,
      isIn: ({ values }: Seen) => {
        const value = values[field]
        return value !== undefined && shows(value, known[field].valid, field)
      },
    })),
  )
}

/** Examples that look at whole requests. */
export function examples(all: Readonly<Record<string, (seen: Seen) => boolean>>): readonly Example[] {
  return Object.entries(all).map(([says, isIn]) => ({ says, isIn }))
}

/** Whether a required field is there once and holds the valid value. */
export function isValid({ values }: Seen, field: RequiredField): boolean {
  return values[field]?.arrived === known[field].valid
}

/** Whether nothing is wrong with the three required fields. */
export function isAuthentic(seen: Seen): boolean {
  return requiredFields.every((field) => isValid(seen, field))
}
