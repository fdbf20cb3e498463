import { requiredFields, type RequiredField } from '../../lib/specification/endpoints.ts'
import type { Request } from '../../lib/http/request.ts'

/** A header line as it stands in the bytes: what is before the first colon, and what is after it and one space. */
interface Line {
  readonly name: string
  readonly value: string
}

/** The value of a required field, as it stands in the bytes. */
export interface Value {
  readonly raw: string
  /** Without SP and HTAB at both ends. */
  readonly arrived: string
  /** What arrives, read as UTF-8; null where it is none. */
  readonly text: string | null
}

/** A request, read off its bytes and nothing else. */
export interface Seen {
  readonly bytes: string
  readonly method: string
  /** Below the prefix of the base URL. */
  readonly path: string
  /** Without `?`; null where there is none. */
  readonly query: string | null
  readonly lines: readonly Line[]
  /** The values of the required fields that are there exactly once, whatever the letter case of the name. */
  readonly values: Readonly<Partial<Record<RequiredField, Value>>>
  /** The request that was sent before it, which must have the same outcome; null where it has none. */
  readonly before: Seen | null
}

/** Reads a head; a line that begins with white space continues the one before it. */
export function seenIn(bytes: string, before: Seen | null = null): Seen {
  const [requestLine = '', ...rest] = bytes.slice(0, -4).split(/\r\n(?![ \t])/)
  const [method = '', target = ''] = requestLine.split(' ')
  const below = target.slice(prefix.length)
  const mark = below.indexOf('?')
  const lines = rest.map(lineOf)

  return {
    bytes,
    method,
    path: mark === -1 ? below : below.slice(0, mark),
    query: mark === -1 ? null : below.slice(mark + 1),
    lines,
    values: Object.fromEntries(requiredFields.flatMap((name) => valueIn(lines, name))),
    before,
  }
}

/** The lines of a field, whatever the letter case of its name. */
export function linesOf({ lines }: Seen, field: string): readonly Line[] {
  return lines.filter(({ name }) => name.toLowerCase() === field)
}

/** Bytes (characters up to U+00FF) read as UTF-8; null where they are none. */
export function decoded(bytes: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return null
  }
}

function lineOf(line: string): Line {
  const colon = line.indexOf(':')
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') }
}

function valueIn(lines: readonly Line[], field: RequiredField): readonly (readonly [string, Value])[] {
  const [line, ...further] = lines.filter(({ name }) => name.toLowerCase() === field)
  if (line === undefined || further.length > 0) return []

  const arrived = line.value.replaceAll(/^[ \t]+|[ \t]+$/g, '')
  return [[field, { raw: line.value, arrived, text: decoded(arrived) }]]
}

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

/** Something that must be seen on a valid request, and on one that must be refused. */
export function onBoth(says: string, isThere: Example['isIn']): readonly Example[] {
  return [
    { says: `${says} on a valid request`, isIn: (seen) => isThere(seen) && isAuthentic(seen) },
    { says: `${says} of a stranger`, isIn: (seen) => isThere(seen) && !isAuthentic(seen) },
  ]
}

/** Whether a required field is there once and holds the valid value. */
export function isValid({ values }: Seen, field: RequiredField): boolean {
  return values[field]?.arrived === known[field].valid
}

/** Whether nothing is wrong with the three required fields. */
export function isAuthentic(seen: Seen): boolean {
  return requiredFields.every((field) => isValid(seen, field))
}
