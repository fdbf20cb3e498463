import { listPath } from '../spec/endpoints.ts'
import type { Mistake, Part } from './mistake.ts'
import { distance } from './nearest.ts'

/** The address of a target. */
export interface Address {
  /** Origin and path prefix, without a trailing slash. */
  readonly baseUrl: string
  readonly loopback: boolean
  readonly encrypted: boolean
}

const setting = 'TARGET_BASE_URL'

const urlParts = /^https?:\/\/(?<authority>[^/?#]+)(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/is

// The characters of RFC 3986, 3.3, that need no escape.
const plainPath = /^(?:[\w\-.~!$&'()*+,;=:@/]|%[\da-f]{2})*$/i

/** Checks an address; the value is null where it is none. */
export function parseBaseUrl(text: string): Part<Address | null> {
  const parts = urlParts.exec(text)?.groups
  if (/[\s\\]|\p{Cc}/u.test(text)) {
    return refused(text, 'an address without white space, control characters or backslashes')
  }
  if (parts === undefined || !/^https?:\/\//i.test(text)) {
    return refused(
      text,
      'an absolute URL that begins with https:// or http://, or embedded',
      schemeHint(text),
    )
  }

  const { authority = '', path = '', query, fragment } = parts
  const url = urlOrNull(text.slice(0, text.indexOf('//') + 2) + hostOf(authority))
  const mistakes = [
    ...(url === null ? [wrong(text, 'a URL with a host name and, where needed, a port up to 65535')] : []),
    ...(authority.includes('@')
      ? [
          wrong(
            text,
            'a URL without a user name and password',
            'credentials go into TARGET_API_KEY and TARGET_SECRET_KEY',
          ),
        ]
      : []),
    ...(plainPath.test(path)
      ? []
      : [wrong(text, 'a path prefix in which other characters are percent-encoded')]),
    ...(query === undefined
      ? []
      : [
          wrong(text, 'a URL without a query', 'a query that the list endpoint needs goes into TARGET_QUERY'),
        ]),
    ...(fragment === undefined ? [] : [wrong(text, 'a URL without a fragment (#…)')]),
  ]
  if (url === null || mistakes.length > 0) return { value: null, mistakes }

  const address = {
    baseUrl: url.origin + path.replace(/\/+$/, ''),
    loopback: isLoopback(url.hostname),
    encrypted: url.protocol === 'https:',
  }
  return { value: address, mistakes: [] }
}

/**
 * The base URL without the endpoint's path, or a beginning of it (`/api`, `/api/customizations`), that it ends in; null where it
 * ends in neither. Paths are appended to a base URL, so that one copied from an example with its path names nothing.
 */
export function withoutEndpointPath(baseUrl: string): string | null {
  const { origin = '', path = '' } = addressParts.exec(baseUrl)?.groups ?? {}
  const ending = endpointPaths.find((one) => path.toLowerCase().endsWith(one))
  if (ending === undefined) return null

  return origin + path.slice(0, -ending.length).replace(/\/+$/, '')
}

const addressParts = /^(?<origin>https?:\/\/[^/]+)(?<path>.*?)\/*$/is

/** Every beginning of the endpoint's path, longest first. */
const endpointPaths = listPath
  .split('/')
  .slice(1)
  .map((_, index, segments) => `/${segments.slice(0, index + 1).join('/')}`)
  .toReversed()

/** An address for a mistake: user info, query and fragment are not shown, since they may hold secrets. */
export function shownUrl(text: string): string {
  return text
    .replace(/^([a-z][a-z\d+.-]*:\/*)?.*@/is, '$1<user info>@')
    .replace(/\?.*$/s, '?<query>')
    .replace(/#.*$/s, '#<fragment>')
}

/** Whether a host name, as URL gives it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

function hostOf(authority: string): string {
  return authority.slice(authority.lastIndexOf('@') + 1)
}

function urlOrNull(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}

function wrong(text: string, expected: string, hint: string | null = null): Mistake {
  return { setting, given: shownUrl(text), expected, hint }
}

function refused(text: string, expected: string, hint: string | null = null): Part<null> {
  return { value: null, mistakes: [wrong(text, expected, hint)] }
}

function schemeHint(text: string): string | null {
  if (distance(text.toLowerCase(), 'embedded') <= 2) return 'did you mean embedded?'
  const host = /^(?:h?t{1,2}p?s?:\/*)?([\w.-]+|\[[\da-f:]+\])(?::\d+)?(?:\/[^@?#]*)?$/i.exec(text)?.[1]
  if (host === undefined) return null

  const scheme = isLoopback(host) ? 'http' : 'https'
  return `did you mean ${scheme}://${text.replace(/^h?t{1,2}p?s?:\/*(?=\D)/i, '')}?`
}
