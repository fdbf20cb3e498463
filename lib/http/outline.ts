const kept: ReadonlySet<string> = new Set(['error_code', 'error_message'])
const closing = { '{': '}', '[': ']' } as const
const words = ['true', 'false', 'null'] as const

type Bracket = keyof typeof closing

/**
 * What judging asks of a JSON text, without building its value: of an object its `error_code` and `error_message`, of other values
 * their kind. Built, hundreds of thousands of keys or levels take seconds and hundreds of MiB. Undefined where the text is not JSON
 * (RFC 8259).
 */
export function outlineOf(text: string): unknown {
  return new Outliner(text).read()
}

/** Passes over a text once, with a list of what is open instead of recursion. */
class Outliner {
  readonly #text: string
  #at = 0
  readonly #open: Bracket[] = []
  /** The member of the outermost object that is being read, and where its value begins. */
  #member = { name: '', from: 0 }
  readonly #found = new Map<string, unknown>()

  constructor(text: string) {
    this.#text = text
  }

  read(): unknown {
    this.#space()
    const from = this.#at
    let next: 'value' | 'end' | 'broken' = 'value'
    while (next === 'value' || this.#open.length > 0) {
      next = next === 'value' ? this.#value() : this.#afterValue()
      if (next === 'broken') return undefined
    }
    const to = this.#at
    this.#space()
    return this.#at === this.#text.length ? this.#outlined(from, to) : undefined
  }

  #outlined(from: number, to: number): unknown {
    const first = this.#text[from]
    if (first === '[') return []
    return first === '{' ? Object.fromEntries(this.#found) : JSON.parse(this.#text.slice(from, to))
  }

  /** A value begins: passes over it, or into it. */
  #value(): 'value' | 'end' | 'broken' {
    const first = this.#text[this.#at]
    if (first !== '[' && first !== '{') return this.#scalar(first) ? 'end' : 'broken'

    this.#at += 1
    this.#open.push(first)
    this.#space()
    // What is empty is ended where every list is.
    if (this.#text[this.#at] === closing[first]) return 'end'
    return first === '[' || this.#name() ? 'value' : 'broken'
  }

  /** A value has ended, or what is open is empty: the next one follows, or what is open ends, a value itself. */
  #afterValue(): 'value' | 'end' | 'broken' {
    const innermost = this.#open.at(-1)
    if (this.#open.length === 1) this.#keepMember()
    this.#space()
    const sign = this.#text[this.#at]
    this.#at += 1
    if (innermost !== undefined && sign === closing[innermost]) {
      this.#open.pop()
      return 'end'
    }
    this.#space()
    if (sign !== ',') return 'broken'
    return innermost === '[' || this.#name() ? 'value' : 'broken'
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
    const written = this.#text.slice(from, this.#at)
    this.#space()
    if (this.#text[this.#at] !== ':') return false
    this.#at += 1
    this.#space()
    if (this.#open.length === 1) this.#member = { name: named(written), from: this.#at }
    return true
  }

  #scalar(first: string | undefined): boolean {
    if (first === '"') return this.#string()
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
    if (this.#text[this.#at] !== '"') return false
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

const [quote, backslash, firstPrintable] = [0x22, 0x5c, 0x20]

/** Space, tab, line feed and carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

/** A name as it reads; long ones are none that is kept. */
function named(written: string): string {
  if (written.length > 100) return ''
  const name: unknown = written.includes('\\') ? JSON.parse(written) : written.slice(1, -1)
  return typeof name === 'string' ? name : ''
}
