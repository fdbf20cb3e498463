import { unicodeEscapes, unprintable } from './printable.ts'

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

function spaceEnd(text: string, start: number) {
  let at = start
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}

function isSpace(code: number) {
  return code <= 0x20 && (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d)
}

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** The characters of a string up to and including an escape. Long strings need no stack. */
const characters = /[ !#-[\]-\uFFFF]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))?/y

function scalarEnd(text: string, start: number) {
  scalar.lastIndex = start
  return scalar.test(text) ? scalar.lastIndex : start
}

/** The index of the quote that ends a string or, if there is none, of its first invalid character. */
function stringEnd(text: string, start: number) {
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
export function meaningOf(written: string) {
  return written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1)
}

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value if it is an object, otherwise an empty object. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the value if it is a list, otherwise an empty list. */
export function listOr(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the value of a JSON text, or undefined, which is not a JSON value, for any other text. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Maximum depth of JSON that is read as a value. JSON has no limit, but recursion would exhaust the stack. */
export const maxLevels = 200

/** Whether the valid JSON at the start of a text is nested deeper than {@link maxLevels}. */
export function isTooDeep(text: string) {
  let isDeep = false
  scanJson(text, (part, depth) => {
    isDeep = depth >= maxLevels && (part === '{' || part === '[')
    return isDeep
  })
  return isDeep
}

/** Maximum length of a name that is kept or reported, in characters. */
const longestName = 100

/**
 * Reads the parts of a JSON text that are needed to judge it: `error_code` and `error_message` in an object, and the kind of any other
 * value. Building hundreds of thousands of keys or levels would take seconds and hundreds of MiB. For other texts, returns the index
 * at which they stop being JSON.
 */
export function skimJson(
  text: string,
): Readonly<{ kind: 'json'; value: unknown }> | Readonly<{ kind: 'not-json'; at: number }> {
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

/** A JSON value as written, with literal numbers and strings, members in order, and repeated names included. */
export type Tree = Readonly<{
  kind: '{' | '[' | 'string' | 'literal'
  /** A string or a literal; a literal may also be other JSON text to write unchanged. */
  text: string
  /** The members of an object or the items of a list. */
  inner: readonly Tree[]
  /** The decoded name of its property. Empty in a list or at the top level, as is `quoted`. */
  name: string
  /** Its name as written, with quotes and possibly with escapes. */
  quoted: string
}>

const noTrees: Tree[] = []

/** Parses JSON text of any depth; numbers and strings stay as written. Throws a SyntaxError for invalid JSON. */
export function readTree(text: string): Tree {
  const around: Tree[][] = []
  let inside: Tree[] = []
  let quoted = ''
  const broken = scanJson(text, (part, _, from, to) => {
    if (part === '}' || part === ']') inside = around.pop() ?? inside
    else if (part === 'name') quoted = text.slice(from, to)
    else {
      const inner = part === '{' || part === '[' ? [] : noTrees
      inside.push({ kind: part, text: text.slice(from, to), inner, name: meaningOf(quoted), quoted })
      quoted = ''
      if (inner === noTrees) return
      around.push(inside)
      inside = inner
    }
  })
  const [top] = inside
  if (broken !== null || top === undefined) throw new SyntaxError(`not JSON from character ${broken ?? 0} on`)
  return top
}

type Rewriting = Readonly<{
  /** Selects and orders the members of an object that is to be written. */
  members?: (members: readonly Tree[]) => readonly Tree[]
  /** Replaces a JSON string. The nearest property contains either the string or its list. */
  string?: (string: Tree, nearest: string | null) => string
}>

/** A list or an object being written, with the property nearest to its children. */
interface Writing {
  readonly children: readonly Tree[]
  readonly end: string
  readonly nearest: string | null
  next: number
}

/** Writes a tree of any depth as JSON text, without white space. */
export function writeTree(tree: Tree, { members, string }: Rewriting = {}) {
  const around: Writing[] = []
  let inside: Writing = { children: [tree], next: 0, end: '', nearest: null }
  let text = ''
  for (;;) {
    const child = inside.children[inside.next]
    if (child === undefined) {
      text += inside.end
      const outer = around.pop()
      if (outer === undefined) return text
      inside = outer
      continue
    }
    const { kind, inner, quoted } = child
    const nearest = quoted === '' ? inside.nearest : child.name
    if (inside.next > 0) text += ','
    inside.next += 1
    if (quoted !== '') text += `${quoted}:`
    text += kind === 'string' ? (string?.(child, nearest) ?? child.text) : child.text
    if (kind === 'string' || kind === 'literal') continue
    around.push(inside)
    const children = kind === '{' ? (members?.(inner) ?? inner) : inner
    inside = { children, next: 0, end: kind === '{' ? '}' : ']', nearest }
  }
}

/** A backslash and the characters that it escapes; JSON.stringify escapes only an unpaired surrogate. */
const escape = /\\(?:ud[89a-f][0-9a-f]{2}|[^])/g

/** JSON safe for any reader. Replaces lone surrogates with U+FFFD; escapes deceptive characters and `##`, a pipeline command in a log. */
export function jsonText(value: unknown, indent?: number) {
  return JSON.stringify(value, null, indent)
    .replace(escape, (found) => (found.length > 2 ? '\uFFFD' : found))
    .replace(unprintable, (character) => (character === '\n' ? character : unicodeEscapes(character)))
    .replaceAll('##', String.raw`#\u0023`)
}
