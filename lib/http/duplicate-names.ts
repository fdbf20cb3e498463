/** How many names are told, and how much of each, in characters. */
const mostNames = 5
const longestName = 100

/**
 * Names that stand more than once in one object of a JSON text, in the order in which they are met again; at most five. The text must
 * be JSON. Parsers differ in which of the members they take (RFC 8259, section 4).
 */
export function duplicateNames(text: string): readonly string[] {
  const found = new Set<string>()
  /** The names of each object that is open; null for an array. */
  const open: (Set<string> | null)[] = []
  let isName = false
  for (let at = 0; at < text.length && found.size < mostNames; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      const names = isName ? open.at(-1) : null
      if (names) {
        const name = nameIn(text.slice(at, end + 1))
        if (names.has(name)) found.add(name.slice(0, longestName))
        names.add(name)
      }
      isName = false
      at = end
    } else if (code === braceOpens) {
      open.push(new Set())
      isName = true
    } else if (code === bracketOpens) {
      open.push(null)
    } else if (code === braceCloses || code === bracketCloses) {
      open.pop()
    } else if (code === comma) {
      isName = open.at(-1) !== null
    }
  }
  return [...found]
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [braceOpens, braceCloses, bracketOpens, bracketCloses] = [0x7b, 0x7d, 0x5b, 0x5d]

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}

function nameIn(written: string): string {
  const name: unknown = written.includes('\\') ? JSON.parse(written) : written.slice(1, -1)
  return String(name)
}
