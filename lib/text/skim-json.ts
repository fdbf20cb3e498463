import { JsonScanner, meaningOf } from './scan-json.ts'

const kept: ReadonlySet<string> = new Set(['error_code', 'error_message'])
/** Maximum length of a name that is kept, in characters as written. */
const longestKept = 100

/** The result of skimming, which is a value or the index at which the text stops being JSON. */
type SkimmedJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'not-json'; readonly at: number }

/**
 * Reads the parts of a JSON text that are needed to judge it: `error_code` and `error_message` in an object, and the kind of any other
 * value. Building hundreds of thousands of keys or levels would take seconds and hundreds of MiB.
 */
export function skimJson(text: string): SkimmedJson {
  const scanner = new JsonScanner(text)
  const found = new Map<string, unknown>()
  let top: unknown
  let name: string | null = null
  for (;;) {
    const part = scanner.next()
    if (part === 'not-json') return { kind: 'not-json', at: scanner.at }
    if (part === 'end') return { kind: 'json', value: found.size === 0 ? top : Object.fromEntries(found) }
    if (scanner.depth > 1 || part === '}' || part === ']') continue
    if (scanner.depth === 0) top = outlineOf(part, scanner)
    else if (part === 'name') name = keptName(scanner.written)
    else if (name !== null) found.set(name, outlineOf(part, scanner))
  }
}

function outlineOf(part: string, { written }: JsonScanner): unknown {
  return part === '{' ? {} : part === '[' ? [] : JSON.parse(written)
}

function keptName(written: string): string | null {
  const name = written.length > longestKept ? '' : meaningOf(written)
  return kept.has(name) ? name : null
}

/** Maximum number of names reported, and maximum length of each, in characters. */
const mostNames = 5
const longestName = 100

/** Names repeated within an object of valid JSON, at most five, in order. Parsers differ in which member they use (RFC 8259, section 4). */
export function duplicateNames(text: string): readonly string[] {
  const found = new Set<string>()
  const scanner = new JsonScanner(text)
  /** The names in each open object, by depth. */
  const names = new Map<number, Set<string>>()
  while (found.size < mostNames) {
    const part = scanner.next()
    if (part === 'end' || part === 'not-json') break
    if (part === '{') names.set(scanner.depth + 1, new Set())
    if (part !== 'name') continue
    const own = names.get(scanner.depth)
    const name = meaningOf(scanner.written)
    if (own?.has(name) === true) found.add(name.slice(0, longestName))
    own?.add(name)
  }
  return [...found]
}
