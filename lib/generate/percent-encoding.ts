/**
 * Text as it stands in a path segment or a query: UTF-8, with everything percent-encoded but letters, digits, `-`, `.`, `_`
 * and `~` (RFC 3986, 2.3). Throws a URIError for a lone surrogate.
 */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
