import { responseFields, type Response } from '../http/exchange.ts'
import { urlOf } from '../text/url.ts'

interface LooksLikeOptions {
  /** The absolute URL of the request. */
  readonly url: string
  readonly redact: (text: string) => string
}

/** Describes an undocumented answer, in words that follow "it", as a redirect, a login or a page; otherwise null. Redacted and bounded, but may not be printable. */
export function looksLike(response: Response, { url, redact }: LooksLikeOptions): string | null {
  return (
    redirected(response, url, redact) ??
    asksForLogin(response) ??
    page(response, redact) ??
    otherText(response)
  )
}

const longestPlace = 200
const longestTitle = 80
/** Maximum length to search, because a page identifies itself near its beginning. */
const longestHead = 64 * 1024

/** The query and fragment are omitted, because they often contain login data. */
function redirected(response: Response, url: string, redact: LooksLikeOptions['redact']): string | null {
  const { status } = response
  const [location] = responseFields(response, 'location')
  if (status < 300 || status > 399 || location === undefined) return null
  const place = urlOf(location, url)
  if (place === null) return 'is redirected to an invalid address'

  const { protocol, origin, host, pathname } = place
  const asked = new URL(url)
  if (!/^https?:$/.test(protocol)) return `is redirected to another scheme (${bounded(protocol, 20)})`
  const isSameButEncrypted = protocol === 'https:' && asked.protocol === 'http:' && host === asked.host
  const hint = isSameButEncrypted ? ' (should TARGET_BASE_URL begin with https://?)' : ''
  return `is redirected to ${bounded(redact(origin + pathname), longestPlace)}${hint}`
}

/** Names the authentication scheme in a challenge (RFC 9110, 11.6.1). */
function asksForLogin(response: Response): string | null {
  if (response.status !== 401) return null
  const [challenge] = responseFields(response, 'www-authenticate')
  const scheme = /^[a-z][a-z\d-]{0,19}(?= |$)/i.exec(challenge ?? '')?.[0]

  return challenge === undefined ? null : `asks for HTTP ${scheme ?? 'authentication'} (www-authenticate)`
}

function page(response: Response, redact: LooksLikeOptions['redact']): string | null {
  const head = response.text.slice(0, longestHead)
  const isLabelled = responseFields(response, 'content-type').some((type) => /^text\/html\b/i.test(type))
  if (response.body.kind !== 'not-json' || !(isLabelled || /^\s*<(?:!doctype html|html)\b/i.test(head)))
    return null

  const title = redact(titleOf(head))
  const kind = isLogin(head, title) ? 'looks like a login page' : 'is an HTML page'
  return title === '' ? `${kind} without a title` : `${kind}: ${bounded(title, longestTitle)}`
}

function titleOf(head: string): string {
  const title = /<title\b[^>]{0,200}>([^<]{0,1000})/i.exec(head)?.[1] ?? ''
  return title
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim()
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

function isLogin(head: string, title: string): boolean {
  const asksForPassword = /<input\b[^>]{0,300}\btype\s{0,9}=\s{0,9}["']?password\b/i.test(head)
  return asksForPassword || /\b(?:log ?[io]n|sign[ -]?[io]n|single sign-on|sso|authenticat)/i.test(title)
}

function otherText({ text, body, status }: Response): string | null {
  if (status >= 200 && status <= 299 && body.kind === 'empty') return 'is an answer without a body'
  if (body.kind !== 'not-json') return null

  return /^\s*<\?xml\b/i.test(text) ? 'is an XML document' : null
}

function bounded(text: string, most: number): string {
  const characters = Array.from(text)
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text
}
