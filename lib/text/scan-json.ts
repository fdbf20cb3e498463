/** The kind of a part: a bracket, a member's name, a string or another scalar. */
type JsonPart = '{' | '}' | '[' | ']' | 'name' | 'string' | 'literal'

/**
 * Sees a part between two indexes, with the number of lists and objects around it; a bracket is outside its own list or object. Returns
 * true to end the scan.
 */
type SeePart = (part: JsonPart, depth: number, from: number, to: number) => boolean | undefined

/**
 * Reads a JSON text (RFC 8259) part by part, and accepts the same texts as JSON.parse. Returns the index of the first invalid character;
 * null if there is none or the scan was ended. Builds no values and uses a stack of bytes instead of recursion, so texts of any depth,
 * length or number of parts need almost no memory.
 */
export function scanJson(text: string, see: SeePart): number | null {
  /** The bracket that closes each open list or object, by code, from index 1. */
  let closing = new Uint8Array(64)
  let depth = 0
  let at = spaceEnd(text, 0)
  for (;;) {
    if (closing[depth] === braceCloses) {
      const end = stringEnd(text, at)
      if (text.charCodeAt(end) !== quote) return end
      const after = spaceEnd(text, end + 1)
      if (text.charCodeAt(after) !== colon) return after
      if (see('name', depth, at, end + 1) === true) return null
      at = spaceEnd(text, after + 1)
    }
    const code = text.charCodeAt(at)
    if (code === braceOpens || code === bracketOpens) {
      if (see(code === braceOpens ? '{' : '[', depth, at, at + 1) === true) return null
      depth += 1
      if (depth === closing.length) closing = Buffer.concat([closing], 2 * depth)
      closing[depth] = code === braceOpens ? braceCloses : bracketCloses
      at = spaceEnd(text, at + 1)
      if (text.charCodeAt(at) !== closing[depth]) continue
    } else {
      const isString = code === quote
      const end = isString ? stringEnd(text, at) : scalarEnd(text, at)
      if (isString ? text.charCodeAt(end) !== quote : end === at) return end
      const to = isString ? end + 1 : end
      if (see(isString ? 'string' : 'literal', depth, at, to) === true) return null
      at = spaceEnd(text, to)
    }
    while (depth > 0 && text.charCodeAt(at) === closing[depth]) {
      depth -= 1
      if (see(closing[depth + 1] === braceCloses ? '}' : ']', depth, at, at + 1) === true) return null
      at = spaceEnd(text, at + 1)
    }
    if (depth === 0) return at < text.length ? at : null
    if (text.charCodeAt(at) !== comma) return at
    at = spaceEnd(text, at + 1)
  }
}

const [quote, comma, colon] = [0x22, 0x2c, 0x3a]
const [bracketOpens, bracketCloses, braceOpens, braceCloses] = [0x5b, 0x5d, 0x7b, 0x7d]

function spaceEnd(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}

function isSpace(code: number): boolean {
  return code <= 0x20 && (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d)
}

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** The characters of a string up to and including an escape. Long strings need no stack. */
const characters = /[ !#-[\]-\uFFFF]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))?/y

function scalarEnd(text: string, start: number): number {
  scalar.lastIndex = start
  return scalar.test(text) ? scalar.lastIndex : start
}

/** The index of the quote that ends a string or, if there is none, of its first invalid character. */
function stringEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== quote) return start
  let at = start + 1
  while (text.charCodeAt(at) !== quote) {
    characters.lastIndex = at
    characters.test(text)
    if (characters.lastIndex === at) return at
    at = characters.lastIndex
  }
  return at
}

/** Decodes a JSON string with its quotes and escapes. */
export function meaningOf(written: string): string {
  return written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1)
}
