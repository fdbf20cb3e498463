import { responseFields, type Response } from '../http/exchange.ts'
import { beginning } from '../text/printable.ts'
import { urlOf } from '../text/url.ts'

type Asked = Readonly<{ url: string; redact: (text: string) => string }>

const longestPlace = 200
const longestTitle = 80
/** Maximum length to search, because a page identifies itself near its beginning. */
const longestHead = 64 * 1024

/**
 * Describes an undocumented answer to a request to this absolute URL, in words that follow "it", as a redirect, a login or a page;
 * otherwise null. Redacted and bounded, but may not be printable.
 */
export function looksLike(response: Response, { url, redact }: Asked): string | null {
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
