const kept: ReadonlySet<string> = new Set(['error_code', 'error_message'])
/** Maximum length of a name that is kept, in characters as written. */
const longestKept = 100
const words = ['true', 'false', 'null'] as const

/** Result of skimming: a value, or the index from which the text is not JSON. */
type SkimmedJson =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'not-json'; readonly at: number }

/**
 * Reads what judging needs of a JSON text (RFC 8259): `error_code` and `error_message` of an object, the kind of other values.
 * Building hundreds of thousands of keys or levels would take seconds and hundreds of MiB.
 */
export function skimJson(text: string): SkimmedJson {
  return new Skimmer(text).read()
}

/** Reads a text once, with a stack instead of recursion. */
class Skimmer {
  readonly #text: string
  #at = 0
  /** Stack of closing brackets, by code; bytes, since there may be millions. */
  #ends = new Uint8Array(64)
  #depth = 0
  /** Current member of the outermost object, and where its value begins. */
  #member = { name: '', from: 0 }
  readonly #found = new Map<string, unknown>()

  constructor(text: string) {
    this.#text = text
  }

  read(): SkimmedJson {
    this.#space()
    const from = this.#at
    let next: 'value' | 'end' | 'broken' = 'value'
    while (next === 'value' || this.#depth > 0) {
      next = next === 'value' ? this.#value() : this.#afterValue()
      if (next === 'broken') return { kind: 'not-json', at: this.#at }
    }
    const to = this.#at
    this.#space()
    if (this.#at < this.#text.length) return { kind: 'not-json', at: this.#at }
    return { kind: 'json', value: this.#skimmed(from, to) }
  }

  #skimmed(from: number, to: number): unknown {
    const first = this.#text[from]
    if (first === '[') return []
    return first === '{' ? Object.fromEntries(this.#found) : JSON.parse(this.#text.slice(from, to))
  }

  /** Start of a value: skips a scalar, enters a list or object. */
  #value(): 'value' | 'end' | 'broken' {
    const first = this.#text.charCodeAt(this.#at)
    if (first !== bracketOpens && first !== braceOpens) return this.#scalar(first) ? 'end' : 'broken'

    const end = first === bracketOpens ? bracketCloses : braceCloses
    this.#at += 1
    this.#open(end)
    this.#space()
    if (this.#text.charCodeAt(this.#at) === end) return 'end'
    return first === bracketOpens || this.#name() ? 'value' : 'broken'
  }

  /** End of a value, or of an empty list or object: the next value follows, or the list or object ends. */
  #afterValue(): 'value' | 'end' | 'broken' {
    const end = this.#ends[this.#depth - 1]
    if (this.#depth === 1) this.#keepMember()
    this.#space()
    const sign = this.#text.charCodeAt(this.#at)
    if (sign !== end && sign !== comma) return 'broken'
    this.#at += 1
    if (sign === end) {
      this.#depth -= 1
      return 'end'
    }
    this.#space()
    return end === bracketCloses || this.#name() ? 'value' : 'broken'
  }

  #open(end: number): void {
    if (this.#depth === this.#ends.length) {
      const more = new Uint8Array(2 * this.#depth)
      more.set(this.#ends)
      this.#ends = more
    }
    this.#ends[this.#depth] = end
    this.#depth += 1
  }

  #keepMember(): void {
    const { name, from } = this.#member
    if (!kept.has(name)) return
    const text = this.#text.slice(from, this.#at).trim()
    this.#found.set(name, text.startsWith('{') ? {} : text.startsWith('[') ? [] : JSON.parse(text))
    this.#member = { name: '', from: 0 }
  }

  /** A name and its colon. */
  #name(): boolean {
    const from = this.#at
    if (!this.#string()) return false
    const to = this.#at
    this.#space()
    if (this.#text.charCodeAt(this.#at) !== colon) return false
    this.#at += 1
    this.#space()
    if (this.#depth === 1)
      this.#member = {
        name: to - from > longestKept ? '' : nameOf(this.#text.slice(from, to)),
        from: this.#at,
      }
    return true
  }

  #scalar(first: number): boolean {
    if (first === quote) return this.#string()
    const word = words.find((one) => this.#text.startsWith(one, this.#at))
    if (word !== undefined) {
      this.#at += word.length
      return true
    }
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
    number.lastIndex = this.#at
    if (!number.test(this.#text)) return false
    this.#at = number.lastIndex
    return true
  }

  #string(): boolean {
    if (this.#text.charCodeAt(this.#at) !== quote) return false
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === quote) {
        this.#at += 1
        return true
      }
      if (code < firstPrintable) return false
      if (code !== backslash) continue
      const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
      escape.lastIndex = this.#at
      if (!escape.test(this.#text)) return false
      this.#at = escape.lastIndex - 1
    }
    return false
  }

  #space(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
  }
}

const [quote, backslash, firstPrintable, comma, colon] = [0x22, 0x5c, 0x20, 0x2c, 0x3a]
const [bracketOpens, bracketCloses, braceOpens, braceCloses] = [0x5b, 0x5d, 0x7b, 0x7d]

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

function nameOf(written: string): string {
  const name: unknown = written.includes('\\') ? JSON.parse(written) : written.slice(1, -1)
  return String(name)
}

/** Maximum number of names reported, and length of each, in characters. */
const mostNames = 5
const longestName = 100

/**
 * Names repeated within one object of valid JSON, at most five, in order; parsers differ in which member they take (RFC 8259,
 * section 4).
 */
export function duplicateNames(text: string): readonly string[] {
  const found = new Set<string>()
  /** Names in each open object; null for an array. */
  const open: (Set<string> | null)[] = []
  let isName = false
  for (let at = 0; at < text.length && found.size < mostNames; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      const names = isName ? open.at(-1) : null
      if (names) {
        const name = nameOf(text.slice(at, end + 1))
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

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return at
}
