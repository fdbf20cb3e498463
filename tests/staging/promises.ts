import { type Field, fieldsOf, type Request, trimOws, valueOf } from '../../lib/http/exchange.ts'
import { unknownSegment } from '../../lib/judge/facts.ts'
import type { Credentials } from '../../lib/redact/secret.ts'
import { requiredFields } from '../../lib/specification/endpoints.ts'

/** A request that is about to go out. */
export interface Outgoing {
  readonly request: Request
  /** Whether it goes out on its own connection. */
  readonly alone: boolean
  /** Whether the transport has an excuse to refuse it (T). */
  readonly transportMayRefuse: boolean
  /** Whether the oracle allows no success. */
  readonly mustBeRefused: boolean
}

/** Every promise that a request breaks, in words. */
export function brokenBy(outgoing: Outgoing, clients: readonly Credentials[]): readonly string[] {
  const broken = Object.keys(promises).filter((says) => promises[says]?.(outgoing, clients))
  const payload = textsOf(outgoing.request).map((text) => payloadIn(text))
  return [...broken, ...payload.filter((says) => says !== null).map((says) => `holds no payload: ${says}`)]
}

/** Promises to operators of shared staging systems, each with a check that is true for a breach. */
const promises: Readonly<Record<string, (outgoing: Outgoing, clients: readonly Credentials[]) => boolean>> = {
  'only asks': ({ request }) => !['GET', 'HEAD', 'OPTIONS'].includes(request.method),
  'has no body, and no field that speaks of one, or of another method, path, host or protocol': (outgoing) =>
    'body' in outgoing.request || outgoing.request.fields.some((field) => misleads(field, outgoing)),
  'writes a required name with underscores only in its place': ({ request: { fields } }) =>
    fields.some(({ name }) => fields.some((other) => other.name !== name && spelled(other) === name)),
  'hides no field and no request': ({ request }) =>
    hidesInTarget(request.target) || request.fields.some(hidesInField),
  'goes to an unknown path and alone where it is raw, oversized or hop by hop': (outgoing, clients) => {
    const { request, alone } = outgoing
    const belongsThere = request.route === 'raw' || isOversized(request) || isHopByHop(request)
    const mayStay = isOrdinaryInHttp10(request) || hasByteBehindKey(request, clients)
    return belongsThere && !(alone && (isNowhere(request.target) || mayStay))
  },
  'names no field in connection but a required one, or that it closes': ({ request }) =>
    request.fields.some((field) => isOfHop(field) && !isRequired(trimOws(valueOf(field)))),
  'keeps valid credentials out of the URL, of cookies and of authorization': ({ request }, clients) => {
    const others = request.fields.filter(({ name }) => /cookie|authorization/i.test(name)).map(valueOf)
    const texts = [request.target, ...others].flatMap((text) => [text, percentDecoded(text)])
    const credentials = clients.flatMap(({ apiKey, secretKey }) => [apiKey.reveal(), secretKey.reveal()])
    return credentials.some((one) => texts.some((text) => text.includes(one) || text.includes(btoa(one))))
  },
  'keeps a valid secret in x-secret-key, or in the place of the key': ({ request }, clients) =>
    clients.some(({ secretKey }) => request.fields.some((field) => isMisplaced(field, secretKey.reveal()))),
  'names the suite': ({ request }) => {
    const agents = fieldsOf(request, 'user-agent')
    return agents.length !== 1 || !agents.every((agent) => agent.includes('card-switch-conformance/'))
  },
  'is small where the transport has no excuse': ({ request, transportMayRefuse }) =>
    !transportMayRefuse && isOversized(request),
}

/** Matches only the letters and digits of a name, because servers differ in how they treat other characters. */
const forbidden =
  /^(?:contentlength|transferencoding|contentencoding|expect|upgrade|te|trailer|host|keepalive|proxy.*|http2settings|x?httpmethod.*|x?methodoverride|xhost|xoriginal.*|xrewrite.*|xforwarded(?:host|proto|scheme|port|prefix|path|server)|maxforwards|via|destination)$/

/** Whether a field says that a request is another one. */
function misleads(field: Field, { mustBeRefused }: Outgoing): boolean {
  return forbidden.test(lettersOf(field.name)) && !(mustBeRefused && leadsNowhere(field))
}

/** Whether a field redirects only to an unknown path or to HEAD. A request that is refused anyway may have such a field. */
function leadsNowhere(field: Field): boolean {
  const value = valueOf(field)
  if (field.name === 'x-http-method-override') return value === 'HEAD'
  const isPath = field.name === 'x-original-url' || field.name === 'x-rewrite-url'
  return isPath && isNowhere(value) && value.split(/[/?]/).length === 3
}

function spelled({ name }: Field): string {
  return isRequired(name.toLowerCase()) ? name.toLowerCase().replaceAll('-', '_') : name
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const isRequired = (name: string): boolean => requiredFields.some((one) => one === name)

function isOfHop(field: Field): boolean {
  return lettersOf(field.name) === 'connection' && valueOf(field) !== 'close'
}

const isHopByHop = ({ fields }: Request): boolean => fields.some(isOfHop)

/** Whether only its version distinguishes it from requests of modern HTTP clients. */
function isOrdinaryInHttp10(request: Request): boolean {
  const isOrdinary = request.fields.every((field) => /^[\t\x20-\x7e]*$/.test(valueOf(field)))
  return request.form?.version === '1.0' && isOrdinary && !isOversized(request) && !isHopByHop(request)
}

/** Whether it has one byte after a valid key, and a random query so that no cache keeps the answer for others. */
function hasByteBehindKey({ target, fields }: Request, clients: readonly Credentials[]): boolean {
  const spoiled = clients.flatMap(({ apiKey }) => [`${apiKey.reveal()}\xa0`, `${apiKey.reveal()}\0x`])
  const isOne = (field: Field): boolean => field.name === 'x-api-key' && spoiled.includes(valueOf(field))
  const isPlain = (field: Field): boolean => /^[\x20-\x7e]*$/.test(valueOf(field))
  return /[?&]_=zz[a-z]{14}$/.test(target) && fields.every((field) => isOne(field) || isPlain(field))
}

/** Whether a path is unknown. */
function isNowhere(path: string): boolean {
  const [root, api, segment] = path.split(/[/?]/)
  return root === '' && api === 'api' && unknownSegment.test(segment ?? '')
}

/** Additional bytes for a prefix of the base URL, or for the name of a host. */
const prefixAndHost = 64

/** Whether it exceeds what every common server accepts: a request line of 2,000 bytes, 6 KiB of header lines. */
function isOversized({ method, target, fields }: Request): boolean {
  const line = `${method} ${target} HTTP/1.1\r\n`.length + prefixAndHost
  const own = `host: \r\nconnection: keep-alive\r\n\r\n`.length + prefixAndHost
  const size = fields.reduce((sum, field) => sum + `${field.name}: \r\n`.length + valueOf(field).length, own)
  return line > 2_000 || size > 6_144
}

function hidesInTarget(target: string): boolean {
  return /[^!-~\x80-\xff]/.test(target) || /HTTP\/\d|[\r\n]\s*[\w-]+\s*:/i.test(percentDecoded(target))
}

function hidesInField(field: Field): boolean {
  const value = valueOf(field)
  const [, ...further] = value.split(/\r\n|[\r\n]/)
  const [, ...afterCr] = value.split(/\r(?!\n)/)
  return (
    /[\r\n:]|^[ \t]|^$/.test(field.name) ||
    /\n(?![ \t])/.test(value) ||
    /HTTP\/\d/i.test(value) ||
    further.some((line) => !/[!-~]/.test(line) || forbidden.test(lettersOf(line.split(':')[0] ?? ''))) ||
    afterCr.some((rest) => rest.includes(':')) ||
    (further.length === 0 && /[\r\n]\s*[\w-]+\s*:/.test(percentDecoded(value)))
  )
}

/** Similar names may also contain it: `xsecretkey`, `x-secret-ke`. */
function isMisplaced(field: Field, secret: string): boolean {
  const value = valueOf(field)
  if (!value.includes(secret) || lettersOf(field.name).includes('secretke')) return false
  return !(field.name.toLowerCase() === 'x-api-key' && trimOws(value) === secret)
}

/** All texts of a request, piece by piece. */
function textsOf({ target, fields }: Request): readonly string[] {
  const [path = '', ...query] = target.split('?')
  const values = fields.flatMap((field) => [field.name, valueOf(field).replaceAll(/\r?\n[ \t]/g, '')])
  return [path, ...query.join('?').split('&'), ...values]
}

/** Texts that would change, delete, run, read or call something if they took effect. */
const payloads: Readonly<Record<string, RegExp>> = {
  'a statement that changes data': /\b(?:drop|delete|update|insert|truncate|alter|grant|shutdown)\b/i,
  'a function of a database that waits or works': /\b(?:sleep|pg_sleep|waitfor|benchmark|dbms_\w+)\b/i,
  'a call that runs code':
    /\b(?:eval|exec|execute|system|passthru|popen|spawn|import|require)\s*\(|\beval\b/i,
  'a lookup': /\bjndi\b/i,
  'markup that acts':
    /<\s*(?:script|iframe|object|embed|svg|img|link|meta|form)\b|\son\w+\s*=|\b(?:alert|prompt|confirm|fetch)\s*\(/i,
  'an entity or a document type': /<!\s*(?:entity|doctype)/i,
  'a file that holds something': /\/etc\/|\/proc\/|\b(?:win|boot)\.ini\b|\.ssh\b/i,
  'something put into a prototype': /(?:__proto__|prototype)\s*[[.]/,
  'a host to look up': /[a-z]:\/\/(?![\w.-]+\.invalid(?:[/:]|$))/i,
  'a host to look up, without a scheme':
    /(?:^|[^:/])\/\/[\w-]{1,63}\.[a-z]|\w\.(?:com|net|org|io|dev|app|cloud|internal|local)\b/i,
  'an address to call': /\b(?!127\.0\.0\.1\b|192\.0\.2\.\d)\d{1,3}(?:\.\d{1,3}){3}\b|\[::/,
  'a method override': /(?:^|[?&])_?method=/i,
  'a shell command':
    /[;|&`(]\s*(?:(?:rm|nc|sh|ls|id)(?:\s|$)|(?:cat|curl|wget|bash|ping|nslookup|whoami|touch|kill|reboot|powershell|cmd)\b)/i,
  'a path out of the folder to anything but a null device': /\.\.[/\\]+(?!\.\.|dev\/null\b|nul\b|$)/i,
  'a procedure of a database': /\bxp_/i,
  'the end of a statement, or the rest of one commented out': /'\s*(?:;|--|#|\/\*)/,
  'a command between backticks': /`[^`]+`/,
  'a command to be replaced by what it says': /\$\(/,
  'a variable or a lookup to be replaced': /\$\{[^}]*[:a-z]/i,
}

/** The name of a payload in a text, as it is or decoded once or twice, or null. */
export function payloadIn(text: string): string | null {
  const forms = [text]
  for (let left = 2; left > 0 && forms.at(-1)?.includes('%') === true; left -= 1) {
    forms.push(percentDecoded(forms.at(-1) ?? ''))
  }
  return Object.keys(payloads).find((says) => forms.some((form) => payloads[says]?.test(form))) ?? null
}

/** Decodes every percent-encoded byte. Everything else stays unchanged. */
function percentDecoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number(`0x${code}`)))
}
