import type { IncomingMessage } from 'node:http'
import type { Target } from '../http/target.ts'

/** Header fields in the letter case and the order in which they came, repeated ones repeatedly; a character is a byte. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** What belongs to one connection only, whether or not `connection` names it. Source: RFC 9110, 7.6.1. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** What a message cannot do without, also where `connection` names it. */
const ofMessage: ReadonlySet<string> = new Set(['host', 'content-length'])

/** What no longer fits content that was changed: its length, its coding, and what was computed from its bytes. */
const ofContent: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'trailer',
  'etag',
  'accept-ranges',
  'content-md5',
  'digest',
  'content-digest',
  'repr-digest',
])

/** Methods whose requests say nothing about content when they have none. */
const withoutContent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** The fields of a message that are meant for its recipient, not for the connection on which it came. */
export function endToEnd(raw: readonly string[]): Fields {
  const fields = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))
  const nominated = new Set(valuesOf(fields, 'connection').flatMap((value) => value.split(',').map(trimmed)))

  return fields.filter(([name]) => {
    const lower = name.toLowerCase()
    return !ofConnection.has(lower) && (ofMessage.has(lower) || !nominated.has(lower))
  })
}

/** The fields with which a client's request goes on to the target: its own, but for `host` and what belongs to the connection. */
export function onwardFields(
  { method = 'GET', headers, rawHeaders }: Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>,
  { host }: Pick<Target, 'host'>,
): Fields {
  const fields = endToEnd(rawHeaders).map(
    ([name, value]) => [name, name.toLowerCase() === 'host' ? host : value] as const,
  )
  return [
    ...(headers.host === undefined ? [['Host', host] as const] : []),
    ...fields,
    ...framing(method, headers),
  ]
}

/** How the end of the content is found, where the client's own fields do not say so any more. */
function framing(method: string, headers: IncomingMessage['headers']): Fields {
  if (headers['transfer-encoding'] !== undefined) return [['Transfer-Encoding', 'chunked']]
  if (headers['content-length'] !== undefined || withoutContent.has(method)) return []
  return [['Content-Length', '0']]
}

/** The fields of an answer whose content was replaced by so many bytes. */
export function fieldsOfChanged(fields: Fields, length: number): Fields {
  return [
    ...fields.filter(([name]) => !ofContent.has(name.toLowerCase())),
    ['content-length', String(length)] as const,
  ]
}

/** All values of a field, whatever the letter case of its name. */
export function valuesOf(fields: Fields, name: string): readonly string[] {
  return fields.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value)
}

function trimmed(option: string): string {
  return option.trim().toLowerCase()
}
