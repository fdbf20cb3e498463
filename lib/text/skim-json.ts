import { meaningOf, scanJson } from './scan-json.ts'

/** Maximum length of a name that is kept or reported, in characters. */
const longestName = 100

/**
 * Reads the parts of a JSON text that are needed to judge it: `error_code` and `error_message` in an object, and the kind of any other
 * value. Building hundreds of thousands of keys or levels would take seconds and hundreds of MiB. For other texts, returns the index
 * at which they stop being JSON.
 */
export function skimJson(
  text: string,
): { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'not-json'; readonly at: number } {
  const found = new Map<string, unknown>()
  let top: unknown
  let name = ''
  const at = scanJson(text, (part, depth, from, to) => {
    if (depth > 1 || part === '}' || part === ']') return
    if (part === 'name') name = to - from > longestName ? '' : meaningOf(text.slice(from, to))
    else if (depth === 0 || name === 'error_code' || name === 'error_message') {
      const value: unknown = part === '{' ? {} : part === '[' ? [] : JSON.parse(text.slice(from, to))
      if (depth === 0) top = value
      else found.set(name, value)
    }
  })
  if (at !== null) return { kind: 'not-json', at }
  return { kind: 'json', value: found.size === 0 ? top : Object.fromEntries(found) }
}

/** Maximum number of names reported. */
const mostNames = 5

/** Names repeated within an object of valid JSON, at most five, in order. Parsers differ in which member they use (RFC 8259, section 4). */
export function duplicateNames(text: string): readonly string[] {
  const found = new Set<string>()
  /** The names in each open object, by depth. */
  const names: Set<string>[] = []
  scanJson(text, (part, depth, from, to) => {
    if (part === '{') names[depth + 1] = new Set()
    if (part !== 'name') return false
    const name = meaningOf(text.slice(from, to))
    if (names[depth]?.has(name) === true) found.add(name.slice(0, longestName))
    names[depth]?.add(name)
    return found.size === mostNames
  })
  return [...found]
}
