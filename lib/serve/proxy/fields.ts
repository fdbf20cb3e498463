import type { IncomingMessage } from 'node:http'
import type { Target } from '../../http/target-address.ts'

/** Header fields in received order and letter case, repeated ones repeated; a character is a byte. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** Fields of one connection, even if `connection` does not name them, and of trailers, which are not passed on. Source: RFC 9110, 6.5.1 and 7.6.1. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Fields that a message needs even if `connection` names them. */
const ofMessage: ReadonlySet<string> = new Set(['host', 'content-length'])

/** Fields that do not fit changed content: length, coding, and digests. */
const ofContent: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'etag',
  'accept-ranges',
  'content-md5',
  'digest',
  'content-digest',
  'repr-digest',
])

const hostAndPort = /^(?:\[[\da-f:.]+\]|[\w.~%-]+)(?::\d*)?$/i

/** Why a request is malformed, though Node reads it: a service could see another end, or another host. Source: RFC 9112, 3.2 and 6.1; RFC 3986, 3. */
export function whyMalformed({
  headers,
  headersDistinct,
  httpVersion,
  url = '',
}: Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'httpVersion' | 'url'>): string | null {
  if (!httpVersion.startsWith('1.')) return `it is of HTTP/${httpVersion}, which has no fields`
  if (httpVersion === '1.0' && 'transfer-encoding' in headers)
    return 'it is of HTTP/1.0, which knows no transfer-encoding'
  if (/[#\\]/.test(url)) return 'its target holds # or \\'
  const { host: hosts = [] } = headersDistinct
  if (hosts.length > 1) return 'it has several host fields'
  if (hosts.some((host) => !hostAndPort.test(host) || !URL.canParse(`http://${host}`)))
    return 'its host field is no host with or without a port'
  return isDecoded(headers) ? null : 'its transfer-encoding is not chunked alone'
}

/** Whether Node has undone every transfer coding of a message; it knows `chunked` only. */
export function isDecoded({ 'transfer-encoding': coding = 'chunked' }: IncomingMessage['headers']): boolean {
  return coding.toLowerCase() === 'chunked'
}

/** Methods without content unless their fields announce it. */
const withoutContent: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** Fields for a message's recipient, not for its connection. */
export function endToEnd(raw: readonly string[]): Fields {
  const fields = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))
  const nominated = valuesOf(fields, 'connection').flatMap((value) => value.toLowerCase().split(/\s*,\s*/))
  return fields.filter(([name]) => {
    const lower = name.toLowerCase()
    return !ofConnection.has(lower) && (ofMessage.has(lower) || !nominated.includes(lower))
  })
}

/** Fields of a request to the target: the client's, with the target's `host`. */
export function onwardFields(
  { method = 'GET', headers, rawHeaders }: Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>,
  { host }: Pick<Target, 'host'>,
): Fields {
  const own = endToEnd(rawHeaders)
  return [
    ...(headers.host === undefined ? [['Host', host] as const] : []),
    ...own.map(([name, value]) => [name, name.toLowerCase() === 'host' ? host : value] as const),
    ...framing(method, headers),
  ]
}

/** Framing, if the client's own fields no longer give it. */
function framing(method: string, headers: IncomingMessage['headers']): Fields {
  if (headers['transfer-encoding'] !== undefined) return [['Transfer-Encoding', 'chunked']]
  if (headers['content-length'] !== undefined || withoutContent.has(method)) return []
  return [['Content-Length', '0']]
}

/** Fields of an answer with replaced content of this length, in bytes. */
export function fieldsOfChanged(fields: Fields, length: number): Fields {
  const kept = fields.filter(([name]) => !ofContent.has(name.toLowerCase()))
  return [...kept, ['content-length', String(length)]]
}

/** All values of a field, in any letter case of its name. */
export function valuesOf(fields: Fields, name: string): readonly string[] {
  return fields.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value)
}

/** Request target below the base URL in origin form, without scheme and host. */
export function originForm(target: string): string {
  const [, rest = target] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*(.*)$/is.exec(target) ?? []
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`
}

/** Translates a `location` for the proxy's clients: an address below the base URL becomes one below the proxy's; others stay. */
export function throughProxy(
  location: string,
  { origin, prefix }: Pick<Target, 'origin' | 'prefix'>,
  proxy: string,
): string {
  const [, authority = '', path = ''] = /^((?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*)?(.*)$/is.exec(location) ?? []
  const isAbsolute = authority !== ''
  const isOfTarget = isAbsolute
    ? URL.canParse(authority, origin) && new URL(authority, origin).origin === origin
    : path.startsWith('/')
  const below = path.slice(prefix.length)
  if (!isOfTarget || !path.startsWith(prefix) || !/^(?:$|[/?#])/.test(below)) return location
  return isAbsolute ? proxy + below : below || '/'
}
