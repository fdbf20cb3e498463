/** The kind of a part: a bracket, a member's name, a string, another scalar, or the end of the text or of its valid JSON. */
type JsonPart = '{' | '}' | '[' | ']' | 'name' | 'string' | 'literal' | 'end' | 'not-json'

/**
 * Reads JSON texts (RFC 8259) part by part, and accepts the same texts as JSON.parse. It builds no values and uses a stack of bytes instead
 * of recursion, so texts of any depth, length or number of parts need almost no memory.
 */
export class JsonScanner {
  readonly #text: string
  /** Closing brackets of the open lists and objects, by code. */
  #closing = new Uint8Array(64)
  #open = 0
  #depth = 0
  #expected: 'value' | 'first' | 'next' = 'value'
  #from = 0
  #to = 0
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Number of lists and objects around the part. A bracket counts as outside its own list or object. */
  get depth(): number {
    return this.#depth
  }

  /** Index of the first unread character or, after `not-json`, of the first invalid character. */
  get at(): number {
    return this.#at
  }

  /** The part as written. */
  get written(): string {
    return this.#text.slice(this.#from, this.#to)
  }

  /** Reads the next part; `end` and `not-json` are final. */
  next(): JsonPart {
    this.#skipSpace()
    this.#depth = this.#open
    if (this.#expected === 'value') return this.#value()
    if (this.#open === 0) return this.#at < this.#text.length ? 'not-json' : 'end'

    const closing = this.#closing[this.#open - 1] ?? 0
    const code = this.#text.charCodeAt(this.#at)
    if (code === closing) return this.#close(closing)
    if (this.#expected === 'next') {
      if (code !== comma) return 'not-json'
      this.#at += 1
      this.#skipSpace()
    }
    return closing === braceCloses ? this.#name() : this.#value()
  }

  #value(): JsonPart {
    const code = this.#text.charCodeAt(this.#at)
    if (code === braceOpens || code === bracketOpens) return this.#enter(code)
    this.#expected = 'next'
    if (code === quote) return this.#string() ? 'string' : 'not-json'
    scalar.lastIndex = this.#at
    if (!scalar.test(this.#text)) return 'not-json'
    this.#take(scalar.lastIndex)
    return 'literal'
  }

  #name(): JsonPart {
    if (this.#text.charCodeAt(this.#at) !== quote || !this.#string()) return 'not-json'
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) !== colon) return 'not-json'
    this.#at += 1
    this.#expected = 'value'
    return 'name'
  }

  #enter(code: number): JsonPart {
    if (this.#open === this.#closing.length) {
      const more = new Uint8Array(2 * this.#open)
      more.set(this.#closing)
      this.#closing = more
    }
    this.#closing[this.#open] = code === braceOpens ? braceCloses : bracketCloses
    this.#open += 1
    this.#expected = 'first'
    this.#take(this.#at + 1)
    return code === braceOpens ? '{' : '['
  }

  #close(code: number): JsonPart {
    this.#open -= 1
    this.#depth = this.#open
    this.#expected = 'next'
    this.#take(this.#at + 1)
    return code === braceCloses ? '}' : ']'
  }

  /** Reads a string to its end, or stops at its first mistake. */
  #string(): boolean {
    const start = this.#at
    this.#at += 1
    while (this.#text.charCodeAt(this.#at) !== quote) {
      characters.lastIndex = this.#at
      characters.test(this.#text)
      if (characters.lastIndex === this.#at) return false
      this.#at = characters.lastIndex
    }
    this.#from = start
    this.#at += 1
    this.#to = this.#at
    return true
  }

  #take(to: number): void {
    this.#from = this.#at
    this.#at = to
    this.#to = to
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
  }
}

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** The characters of a string up to and including an escape. Long strings need no stack. */
const characters = /[ !#-[\]-\uFFFF]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))?/y

const [quote, comma, colon] = [0x22, 0x2c, 0x3a]
const [bracketOpens, bracketCloses, braceOpens, braceCloses] = [0x5b, 0x5d, 0x7b, 0x7d]

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

/** Decodes a JSON string with its quotes and escapes. */
export function meaningOf(written: string): string {
  return written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1)
}
