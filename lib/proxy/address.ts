import type { Target } from '../http/target.ts'

/** The target of a client's request below the base URL, as an origin server is asked: without scheme and host where they stood. */
export function originForm(target: string): string {
  const [, rest] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*(.*)$/is.exec(target) ?? []
  return rest === undefined || rest.startsWith('/') ? (rest ?? target) : `/${rest}`
}

/** The path of a target without its query, which could hold anything. */
export function pathOf(target: string): string {
  return originForm(target).replace(/[?#].*$/s, '')
}

/**
 * Where a client that knows only the proxy finds what a `location` of the target names: an address below the base URL becomes the
 * same below the proxy's; every other one stays as it is.
 */
export function throughProxy(
  location: string,
  { origin, prefix }: Pick<Target, 'origin' | 'prefix'>,
  proxy: string,
): string {
  const [, authority = '', rest = ''] = /^((?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*)?(.*)$/is.exec(location) ?? []
  const isAbsolute = authority !== ''
  if (isAbsolute ? originOf(authority, origin) !== origin : !rest.startsWith('/')) return location

  const below = belowPrefix(rest, prefix)
  if (below === null) return location
  return isAbsolute ? proxy + below : below || '/'
}

function originOf(authority: string, base: string): string | null {
  return URL.canParse(authority, base) ? new URL(authority, base).origin : null
}

function belowPrefix(path: string, prefix: string): string | null {
  const rest = path.startsWith(prefix) ? path.slice(prefix.length) : null
  return rest === null || (rest !== '' && !/^[/?#]/.test(rest)) ? null : rest
}
