import { type Exchange, responseFields, type Response, sentIn, trimOws, valueOf } from '../http/exchange.ts'
import type { Field, Request } from '../http/exchange.ts'
import type { ShownExchange } from '../judge/record.ts'
import type { Redactor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'
import { specCatalogue, type Catalogue } from '../specification/rules.ts'
import { beginning } from '../text/printable.ts'
import { urlOf } from '../text/url.ts'

/** Maximum number of characters of a body that are shown. */
const shownBody = 2_000
/** Number of characters that are redacted before truncation, so that no credential is ever cut in half. */
const readBody = 64 * 1024
/** Maximum number of header fields of an answer that are shown. */
const shownFields = 60
const shownField = 500
/** Maximum length of a field, and of all shown fields together, because headers may have 64 KiB. */
const readField = 8_000
const readFields = 20_000

type Shown = Pick<Exchange, 'request' | 'durationMs'> & { readonly response: Response | null }

/** A request and its answer, if there was one, as shown in reports. */
export function show(
  { request, response, durationMs }: Shown,
  { baseUrl, redactor }: Readonly<{ baseUrl: string; redactor: Redactor }>,
): ShownExchange {
  const { method, target, fields, body } = request
  const sent = body === undefined ? null : beginningOf(body, redactor)
  return {
    request: {
      method,
      // A space ensures that the target in a rule supplied by the user is not mistaken for part of the host.
      url: redactor.redact(`${baseUrl}${target.startsWith('/') ? '' : ' '}${target}`),
      headers: fields.map(({ name, value }) => [
        name,
        value instanceof Secret ? value.toString() : redactor.redact(value),
      ]),
      ...(sent?.bodyCut === 0 ? { body: sent.body } : sent),
    },
    response: response && shownAnswer(response, redactor.ofAnswer(sentIn(request))),
    durationMs: Math.round(durationMs * 10) / 10,
  }
}

function shownAnswer(response: Response, redactor: Redactor) {
  const { status, reason, fields, trailers } = response
  const redacted = (text: string) => redactor.redact(text).slice(0, shownField)
  const shown = (all: Response['fields']) =>
    firstOf(all).map(([name, value]) => [redacted(name), redacted(value)] as const)
  // Loaded here, because it takes 3 ms and a command may show nothing.
  const { STATUS_CODES } = process.getBuiltinModule('node:http')
  const isUsual = reason.trim() === '' || reason.toLowerCase() === STATUS_CODES[status]?.toLowerCase()
  return {
    status,
    ...(isUsual ? {} : { reason: redacted(reason.slice(0, readField)) }),
    headers: shown(fields),
    ...(trailers.length === 0 ? {} : { trailers: shown(trailers) }),
    ...beginningOf(response.text, redactor, response.cutFrom),
  }
}

/** The first few fields, up to the length that redaction covers. */
function firstOf(fields: Response['fields']): Response['fields'] {
  let left = readFields
  return fields.slice(0, shownFields).flatMap(([name, value]) => {
    const field = [name.slice(0, readField), value.slice(0, readField)] as const
    left -= field[0].length + field[1].length
    return left < 0 ? [] : [field]
  })
}

/** The beginning of a body, redacted before it is truncated. `length` is that of the whole body. */
function beginningOf(text: string, redactor: Redactor, length = text.length) {
  const redacted = redactor.redact(text.slice(0, readBody))
  const hidden = Math.max(0, redacted.length - shownBody) + Math.max(0, length - readBody)
  // A slice would keep the whole text in memory, but a copy does not.
  return { body: Buffer.from(redacted.slice(0, shownBody)).toString(), bodyCut: hidden }
}

/** Text in single quotes, for any POSIX-like shell. */
export function quoted(text: string) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Text as a single bash word, with octal escapes for bytes that are not printable ASCII: `'caf'$'\303\251'`. The text must not contain NUL. */
export function bashWord(text: string) {
  const runs = text.split(/([^\x20-\x7e]+)/).filter((run) => run !== '')
  const octal = (byte: string) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`
  const words = runs.map((run) =>
    /^[\x20-\x7e]/.test(run) ? quoted(run) : `$'${Array.from(run, octal).join('')}'`,
  )
  return words.length > 0 ? words.join('') : "''"
}

/** Escapes printable ASCII for use inside double quotes. An interactive shell expands `!` even there. */
export function inDoubleQuotes(text: string) {
  return text.replaceAll(/["$`\\]/g, String.raw`\$&`).replaceAll('!', `"'!'"`)
}

/**
 * The request as a curl command for bash, with credentials as variables; null if curl cannot send it or if a value is derived from
 * a credential. Certificates are given by the names of their settings rather than of their files.
 */
export function curlLine(
  request: Request,
  given: { readonly baseUrl: string } & Partial<Record<'ca' | 'clientCertificate', object | null>>,
) {
  // curl drops fragments, escapes bytes outside ASCII, and rejects white space.
  if (request.route === 'raw' || !/^\/[\x21\x22\x24-\x7e]*$/.test(request.target)) return null
  const fields = request.fields.map(fieldArgument)
  if (fields.includes(null)) return null

  const { body } = request
  const { baseUrl, ca = null, clientCertificate = null } = given
  const names = new Set(request.fields.map(({ name }) => name.toLowerCase()))
  // If there is a body, curl adds its own content type and, for long bodies, `expect`.
  const added = ['accept', 'user-agent', ...(body === undefined ? [] : ['content-type', 'expect'])]
  const unsent = added.filter((name) => !names.has(name)).map((name) => `-H '${name}:'`)
  // Our connection pool sends the same field to keep its connections open.
  const kept = names.has('connection') ? [] : [`-H 'connection: keep-alive'`]
  const method =
    request.method === 'GET' ? [] : request.method === 'HEAD' ? ['--head'] : ['-X', request.method]

  return [
    'curl --http1.1 --path-as-is --globoff -sSi',
    ...method,
    ...(ca === null ? [] : ['--cacert "$RUN_CA_FILE"']),
    ...(clientCertificate === null ? [] : ['--cert "$RUN_CERT_FILE" --key "$RUN_KEY_FILE"']),
    ...fields,
    ...unsent,
    ...kept,
    ...(body === undefined ? [] : ['--data-raw', bashWord(Buffer.from(body).toString('latin1'))]),
    quoted(`${baseUrl}${request.target}`),
  ].join(' ')
}

/** `-H 'name: value'`; for an empty value, curl expects a semicolon. */
function fieldArgument(field: Field) {
  const { name, value } = field
  if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(valueOf(field))) return null
  if (trimOws(valueOf(field)) === '') return `-H ${quoted(`${name};`)}`
  if (typeof value === 'string') return `-H ${bashWord(`${name}: ${value}`)}`

  return value.variable === null ? null : `-H "${inDoubleQuotes(name)}: $${value.variable}"`
}

/** The shell command that sends a case again, with additional `flags`. It never installs a package by name. */
export function replayLine(name: string, flags: readonly string[] = []) {
  const words = flags.map((flag) => (/^[\w%+,./:@-]+$/.test(flag) ? flag : quoted(flag)))
  return ['npx --no -- card-switch-conformance replay', quoted(name), ...words].join(' ')
}

/** A replay command for an intermittent case. With 95 % confidence, 20 repetitions reveal a fault that occurs in one of seven answers. */
export function repeatedly(line: string) {
  return `${line} --times 20`
}

/** A finding from the comparison with the baseline is named after the comparison and the case that revealed it: `comparison:case`. */
const comparison = /^tolerance\/no-breaking-change:\d+:compared:(.+)$/s

/**
 * Parses the public name of a case, `rule:seed:case[:shrink path]`; null for any other text. The case found by a comparison with
 * the baseline has `againstBaseline`.
 */
export function parseCaseName(text: string, catalogue: Catalogue = specCatalogue) {
  const [, shownBy = text] = comparison.exec(text) ?? []
  const [, id, seed = '', name = ''] = /^([^:]+):(\d{1,16}):(.+)$/s.exec(shownBy) ?? []
  const rule = [...catalogue.keys()].find((known) => known === id)
  if (rule === undefined || !Number.isSafeInteger(Number(seed))) return null
  const found = shownBy === text ? {} : { againstBaseline: true as const }
  return { rule, seed: Number(seed), case: name, ...found }
}

type Asked = Readonly<{ url: string; redact: (text: string) => string }>

const longestPlace = 200
const longestTitle = 80
/** Maximum length to search, because a page identifies itself near its beginning. */
const longestHead = 64 * 1024

/**
 * Describes an undocumented answer to a request to this absolute URL, in words that follow "it", as a redirect, a login or a page;
 * otherwise null. Redacted and bounded, but may not be printable.
 */
export function looksLike(response: Response, { url, redact }: Asked) {
  const { status, body } = response
  const [location] = responseFields(response, 'location')
  if (status >= 300 && status <= 399 && location !== undefined)
    return `is redirected to ${redirectedTo(location, { url, redact })}`
  // RFC 9110, 11.6.1.
  const [challenge] = responseFields(response, 'www-authenticate')
  const scheme = /^[a-z][a-z\d-]{0,19}(?= |$)/i.exec(challenge ?? '')?.[0] ?? 'authentication'
  if (status === 401 && challenge !== undefined) return `asks for HTTP ${scheme} (www-authenticate)`

  const head = response.text.slice(0, longestHead)
  const isLabelled = responseFields(response, 'content-type').some((type) => /^text\/html\b/i.test(type))
  const isPage = isLabelled || /^\s*<(?:!doctype html|html)\b/i.test(head)
  if (body.kind !== 'not-json' || !isPage) return null

  const found = /<title\b[^>]{0,200}>([^<]{0,1000})/i.exec(head)?.[1] ?? ''
  const title = redact(found.replaceAll(/\s+/g, ' ').trim())
  const isLogin =
    /<input\b[^>]{0,300}\btype\s{0,9}=\s{0,9}["']?password\b/i.test(head) ||
    /\b(?:log ?[io]n|sign[ -]?[io]n|single sign-on|sso|authenticat)/i.test(title)
  const kind = isLogin ? 'looks like a login page' : 'is an HTML page'
  return title === '' ? `${kind} without a title` : `${kind}: ${beginning(title, longestTitle)}`
}

/** The query and fragment are omitted, because they often contain login data. */
function redirectedTo(location: string, { url, redact }: Asked) {
  const place = urlOf(location, url)
  if (place === null || !/^https?:$/.test(place.protocol)) return 'an invalid address'
  const { protocol, origin, host, pathname } = place
  const asked = new URL(url)
  const isSameButEncrypted = protocol === 'https:' && asked.protocol === 'http:' && host === asked.host
  const hint = isSameButEncrypted ? ' (should TARGET_BASE_URL begin with https://?)' : ''
  return `${beginning(redact(origin + pathname), longestPlace)}${hint}`
}
