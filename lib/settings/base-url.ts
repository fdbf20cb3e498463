import { distance } from '../text/nearest.ts'
import { urlOf } from '../text/url.ts'
import { didYouMean, issue, parsed, shortened } from './issue.ts'
import { grammar, settingTable, type SettingName, type Texts } from './setting-table.ts'

/** The address of a target. */
export interface Address {
  /** Origin and path prefix, without a trailing slash. */
  readonly baseUrl: string
  readonly loopback: boolean
}

/** Maximum length of an address, in characters; every report shows the address. */
const longestAddress = 2_000
/** Maximum length of a host name, in characters (RFC 1035, 2.3.4); Node fails to look up longer names. */
const longestHost = 253

export const shortHost = `a host name of at most ${longestHost} characters`

/** Whether a host name can be looked up. */
export function isHostName(hostname: string) {
  return hostname.replace(/\.$/, '').length <= longestHost
}

const addressForm = /^https?:\/\/[^/?#@\s\\]+(?<path>(?:\/[^?#\s\\]*)?)$/i
const plainPath = new RegExp(grammar.prefix.pattern)
const expected = `an address such as https://staging.example.com/prefix, without user name, query or fragment, with ${shortHost}, a port up to 65535 and ${grammar.prefix.description}, at most ${longestAddress} characters; or embedded`

/** Parses an address; the value is null if the address is invalid. */
export function parseBaseUrl(text: string) {
  const path = text.length > longestAddress ? undefined : addressForm.exec(text)?.groups?.['path']
  const url = path !== undefined && plainPath.test(path) ? urlOf(text) : null
  if (url === null || path === undefined || /\p{Cc}/u.test(text) || !isHostName(url.hostname)) {
    const hint = text.includes('@')
      ? 'set credentials in TARGET_API_KEY and TARGET_SECRET_KEY'
      : text.includes('?')
        ? 'if the list endpoint needs a query, set TARGET_QUERY'
        : schemeHint(text)
    return parsed(
      null,
      issue('TARGET_BASE_URL', { given: shortened(shownUrl(text)) || 'an empty value', expected, hint }),
    )
  }
  return parsed({
    baseUrl: url.origin + path.replace(/\/+$/, ''),
    loopback: isLoopback(url.hostname),
  })
}

/**
 * Removes the endpoint's path, or the start of it (`/api`, `/api/customizations`), from the end of a base URL; returns null if neither is
 * present. Paths are appended to a base URL, so a URL copied with its path fails.
 */
export function withoutEndpointPath(baseUrl: string) {
  return endsInEndpointPath.exec(baseUrl)?.[1] ?? null
}

const endsInEndpointPath = /^(https?:\/\/[^/]+.*?)\/+api(?:\/customizations(?:\/list)?)?\/*$/is

/** Hides the user info, query and fragment of an address, which may contain secrets. */
export function shownUrl(text: string) {
  return text
    .replace(/^([a-z][a-z\d+.-]*:\/*)?.*@/is, '$1<user info>@')
    .replace(/\?.*$/s, '?<query>')
    .replace(/#.*$/s, '#<fragment>')
}

/** Whether a host name, as returned by `URL`, refers to this machine. */
export function isLoopback(hostname: string) {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

function schemeHint(text: string) {
  if (text === '') return 'check that the variable for --base-url is set'
  if (text.length > longestAddress || /^https?:\/\//i.test(text)) return null
  if (distance(text.toLowerCase(), 'embedded') <= 2) return didYouMean('embedded')
  const host = /^(?:h?t{1,2}p?s?:\/*)?([\w.-]+|\[[\da-f:]+\])(?::\d+)?(?:\/[^@?#]*)?$/i.exec(text)?.[1]
  if (host === undefined) return null
  const scheme = isLoopback(host) ? 'http' : 'https'
  return didYouMean(`${scheme}://${text.replace(/^h?t{1,2}p?s?:\/*(?=\D)/i, '')}`)
}

/** The target of a run: an address, the embedded service, or neither, which is always accompanied by an issue. */
export interface ResolvedTarget {
  readonly address: Address | null
  readonly embedded: boolean
  /** Whether it needs a client. The embedded service, even if it is misspelt, does not. */
  readonly needsClient: boolean
}

/** Finds the target. `searched` names the sources of the settings, for users whose settings are elsewhere. */
export function resolveTarget({ texts, searched }: { readonly texts: Texts; readonly searched: string }) {
  const { TARGET_BASE_URL: text } = texts
  const target: ResolvedTarget = { address: null, embedded: text === 'embedded', needsClient: false }
  if (target.embedded) return parsed(target)
  if (text !== undefined) {
    const { value: address, issues } = parseBaseUrl(text)
    const needsClient = address !== null || distance(text.toLowerCase(), 'embedded') > 2
    return parsed({ ...target, address, needsClient }, ...issues)
  }
  const others = givenAmong(texts, /^(?:TARGET_|FIXTURE_|RUN_PROFILE$)/)
  const hint =
    others.length === 0
      ? `${searched}; set TARGET_BASE_URL, TARGET_API_KEY and TARGET_SECRET_KEY, or use the suite's own reference service with --base-url embedded`
      : `needed because ${others.slice(0, 3).join(', ')} ${others.length > 1 ? 'are' : 'is'} given; ${searched}`
  const missing = issue('TARGET_BASE_URL', { expected: 'the address of the service, or embedded', hint })
  return parsed({ ...target, needsClient: others.length > 0 }, missing)
}

/** The given settings that the embedded service ignores, because it has its own clients. */
export function unusedByEmbedded(texts: Texts): readonly SettingName[] {
  return givenAmong(texts, /^(?:TARGET_(?!BASE_URL|LABEL|BUILD|ENDPOINTS)|FIXTURE_|HTTPS_PROXY$)/)
}

function givenAmong(texts: Texts, wanted: RegExp): readonly SettingName[] {
  return settingTable.map(({ name }) => name).filter((name) => texts[name] !== undefined && wanted.test(name))
}

/** The address that a command listens on. */
export interface ListenAddress {
  readonly host: string
  /** 0 means any free port. */
  readonly port: number
}

/** Warns if other machines can reach `host`; `what` names what they could reach. */
export function reachableWarnings(host: string, what: string): readonly string[] {
  return isLoopback(host) || host === '::1'
    ? []
    : [`WARNING: with --host ${host}, other machines on the network can reach ${what}`]
}
