/** A part of a JSON text as written, with the number of lists and objects around it. A bracket is outside its own list or object. */
export interface JsonPart {
  readonly kind: '{' | '}' | '[' | ']' | 'name' | 'string' | 'literal'
  readonly depth: number
  readonly written: string
}

/** Thrown for a text that is not JSON, with the index of the first invalid character. */
export class NotJson extends SyntaxError {
  readonly at: number

  constructor(at: number) {
    super(`not JSON from character ${at} on`)
    this.at = at
  }
}

/**
 * The parts of a JSON text (RFC 8259), which accepts the same texts as JSON.parse. Builds no values and does not recurse, so
 * texts of any depth, length or number of parts need little memory. Throws {@link NotJson} after the last valid part.
 */
export function* jsonParts(text: string): Generator<JsonPart, void> {
  /** The brackets that close the open lists and objects. */
  const open: ('}' | ']')[] = []
  const partTo = (kind: JsonPart['kind'], end: number): JsonPart => {
    return { kind, depth: open.length, written: text.slice(at, end) }
  }
  let at = endOf(space, text, 0)
  for (;;) {
    if (open.at(-1) === '}') {
      const end = stringEnd(text, at)
      yield partTo('name', end)
      at = endOf(space, text, end)
      if (text[at] !== ':') throw new NotJson(at)
      at = endOf(space, text, at + 1)
    }
    const sign = text[at]
    if (sign === '{' || sign === '[') {
      yield partTo(sign, at + 1)
      open.push(sign === '{' ? '}' : ']')
      at = endOf(space, text, at + 1)
      if (text[at] !== open.at(-1)) continue
    } else {
      const end = sign === '"' ? stringEnd(text, at) : endOf(scalar, text, at)
      if (end === at) throw new NotJson(at)
      yield partTo(sign === '"' ? 'string' : 'literal', end)
      at = endOf(space, text, end)
    }
    for (let last = open.at(-1); last !== undefined && text[at] === last; last = open.at(-1)) {
      open.pop()
      yield partTo(last, at + 1)
      at = endOf(space, text, at + 1)
    }
    if (open.length === 0 && at === text.length) return
    if (open.length === 0 || text[at] !== ',') throw new NotJson(at)
    at = endOf(space, text, at + 1)
  }
}

const space = /[ \t\n\r]*/y
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** The characters of a string up to and including an escape. Long strings need no stack. */
const characters = /[ !#-[\]-\uFFFF]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))?/y

/** The end of what a pattern matches at an index, which is the index itself if it matches nothing. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** The end of the string at an index. Throws {@link NotJson}. */
function stringEnd(text: string, start: number): number {
  if (text[start] !== '"') throw new NotJson(start)
  let at = start + 1
  while (text[at] !== '"') {
    const end = endOf(characters, text, at)
    if (end === at) throw new NotJson(at)
    at = end
  }
  return at + 1
}

/** Decodes a JSON string with its quotes and escapes. */
export function meaningOf(written: string): string {
  return written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1)
}

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
  const found = new Map<string, unknown>()
  let top: unknown
  let name = ''
  try {
    for (const part of jsonParts(text)) {
      const { kind, depth, written } = part
      if (depth > 1 || kind === '}' || kind === ']') continue
      if (depth === 0) top = outlineOf(part)
      else if (kind === 'name') name = written.length > longestKept ? '' : meaningOf(written)
      else if (name === 'error_code' || name === 'error_message') found.set(name, outlineOf(part))
    }
  } catch (error) {
    if (error instanceof NotJson) return { kind: 'not-json', at: error.at }
    throw error
  }
  return { kind: 'json', value: found.size === 0 ? top : Object.fromEntries(found) }
}

function outlineOf({ kind, written }: JsonPart): unknown {
  if (kind === '{') return {}
  return kind === '[' ? [] : JSON.parse(written)
}

/** Maximum number of names reported, and maximum length of each, in characters. */
const mostNames = 5
const longestName = 100

/** Names repeated within an object of valid JSON, at most five, in order. Parsers differ in which member they use (RFC 8259, section 4). */
export function duplicateNames(text: string): readonly string[] {
  const found = new Set<string>()
  /** The names in each open object, by depth. */
  const names = new Map<number, Set<string>>()
  for (const { kind, depth, written } of jsonParts(text)) {
    if (kind === '{') names.set(depth + 1, new Set())
    if (kind !== 'name') continue
    const own = names.get(depth)
    const name = meaningOf(written)
    if (own?.has(name) === true) found.add(name.slice(0, longestName))
    own?.add(name)
    if (found.size === mostNames) break
  }
  return [...found]
}
