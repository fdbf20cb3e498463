/** Node's symbol for custom printing. It does not need Node's types, so the library can be used without them. */
const inspected: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/**
 * A credential, or a value derived from one, that cannot be printed, because its text is only its name. `name` is `TARGET_API_KEY` or, for
 * example, `TARGET_API_KEY with its last character dropped`.
 */
export class Secret {
  readonly #value: string
  readonly name: string

  constructor(name: string, value: string) {
    this.#value = value
    this.name = name
    Object.freeze(this)
  }

  /** Its environment variable (`TARGET_API_KEY`); null for a value derived from a credential. */
  get variable() {
    return /^[A-Z][A-Z\d_]*$/.test(this.name) ? this.name : null
  }

  /** Returns the value, for sending it, deriving facts about the request, and finding echoes; never for output. */
  reveal() {
    return this.#value
  }

  /** A value made from it and just as secret. `how` continues its name: `with its last character dropped`. */
  derived(how: string, value: string) {
    return new Secret(`${this.name} ${how}`, value)
  }

  toString() {
    return `<${this.name}>`
  }

  toJSON() {
    return this.toString()
  }

  [inspected]() {
    return this.toString()
  }
}

/** A client's credentials. */
export type Credentials = Readonly<{ apiKey: Secret; secretKey: Secret }>

/** The field that carries a credential. */
export type CredentialField = 'x-api-key' | 'x-secret-key'

/** The credential that belongs in a field. */
export function credentialOf({ apiKey, secretKey }: Credentials, field: CredentialField) {
  return field === 'x-api-key' ? apiKey : secretKey
}

/** A reading of a text. `span` gives the place of a character in the given text. */
export type Reading = Readonly<{ text: string; span: Span }>

type Span = (index: number) => readonly [start: number, end: number]

/** The place in the given text of a part of a reading. */
export function placeOf({ span }: Reading, start: number, end: number) {
  return { from: span(start)[0], to: span(end - 1)[1] }
}

/** Runs of at least this many base64 digits in both alphabets, including across lines. */
export function digitRuns(fewest: number) {
  return new RegExp(`(?:[\\w+/-]|(?<=[\\w+/-])\\r?\\n[ \\t]{0,80}(?=[\\w+/-])){${fewest},}`, 'g')
}

/** Maximum depth of nested escapes to decode. */
const MAX_LEVELS = 4

/** HTML entities of ASCII characters, as written by template engines. */
const entities: ReadonlyMap<string, string> = new Map(
  [
    'amp& lt< gt> quot" apos\' num# percnt% plus+ equals= sol/ bsol\\ lowbar_ commat@ dollar$ excl! quest?',
    'colon: semi; comma, period. ast* midast* grave` lpar( rpar) lsqb[ rsqb] lbrack[ rbrack] lcub{ rcub}',
    'lbrace{ rbrace} verbar| vert| hat^ nbsp\u00A0 tab\t newline\n',
  ].flatMap((line) => line.split(' ').map((entry) => [entry.slice(0, -1), entry.slice(-1)])),
)
const controls: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** Escapes used in URLs, JSON, JavaScript and HTML. */
const escapes =
  /%[\da-f]{2}|\\(?:u[\da-f]{4}|x[\da-f]{2}|["'\\/bfnrt])|&(?:#x[\da-f]{1,8};?|#\d{1,9};?|[a-z]{2,8};)/gi

/** A text, followed by its form after each level of decoding; a byte becomes one character. */
export function levelsOf(text: string): readonly Reading[] {
  const levels: Reading[] = []
  let next: Reading | null = { text, span: from(0) }
  while (next !== null && levels.length <= MAX_LEVELS) {
    levels.push(next)
    next = unescaped(next)
  }
  return levels
}

/** Returns null if there are no escapes. */
function unescaped(given: Reading) {
  const pieces: Reading[] = []
  let end = 0
  const addPlain = (to: number) => void pieces.push({ text: given.text.slice(end, to), span: from(end) })
  for (const { 0: written, index } of given.text.matchAll(escapes)) {
    addPlain(index)
    end = index + written.length
    const span = [index, end] as const
    pieces.push({ text: meaningOf(written), span: () => span })
  }
  if (pieces.length === 0) return null
  addPlain(given.text.length)
  return readingOf(given, pieces)
}

function meaningOf(escape: string) {
  if (/^&[a-z]/i.test(escape)) return entities.get(escape.slice(1, -1).toLowerCase()) ?? escape[0] ?? ''
  if (/^\\[^ux]/i.test(escape)) return controls[escape.slice(1)] ?? escape.slice(1)
  const code = Number.parseInt(/[\da-f]+(?=;?$)/i.exec(escape)?.[0] ?? '', /^&#\d/.test(escape) ? 10 : 16)
  return code > 0x10ffff ? '' : String.fromCodePoint(code)
}

/** The decoded hexadecimal and base64 digits in a text, excluding runs of fewer than `least` bytes. */
export function decoded(given: Reading, least: number): readonly Reading[] {
  return [hexadecimal(given, least), ...base64(given, least)].filter(({ text }) => text !== '')
}

/** Separates runs that are not adjacent (U+FFFF is not a character). */
const gap: Reading = { text: '\uFFFF', span: () => [0, 0] }

function hexadecimal(given: Reading, least: number) {
  const runs = [...given.text.matchAll(new RegExp(`[\\da-f]{${2 * least},}`, 'gi'))]
  const pieces = runs.flatMap(({ 0: run, index }) =>
    [index, index + 1].flatMap((start): readonly Reading[] => {
      const text = Buffer.from(run.slice(start - index), 'hex').toString('latin1')
      return [{ text, span: (at) => [start + 2 * at, start + 2 * at + 2] }, gap]
    }),
  )
  return readingOf(given, pieces)
}

/** Decodes both alphabets, including across lines, starting from each digit at which a byte may begin. */
function base64(given: Reading, least: number): readonly Reading[] {
  const pattern = digitRuns(Math.floor((least * 8) / 6))
  const runs = Array.from(given.text.matchAll(pattern), ({ 0: run, index }) => {
    // Created on demand, because few texts contain a credential.
    let places: readonly number[] | undefined
    const place = (digit: number) =>
      (places ??= Array.from(run.matchAll(/\S/g), (one) => index + one.index))[digit] ?? 0
    return { digits: run.replaceAll(/\s/g, ''), place }
  })
  return [0, 1, 2, 3].map((offset) => {
    const first = (at: number) => offset + Math.floor((at * 8) / 6)
    const last = (at: number) => offset + Math.ceil((at * 8 + 8) / 6) - 1
    const pieces = runs.flatMap(({ digits, place }): readonly Reading[] => {
      const text = Buffer.from(digits.slice(offset), 'base64').toString('latin1')
      return [{ text, span: (at) => [place(first(at)), place(last(at)) + 1] }, gap]
    })
    return readingOf(given, pieces)
  })
}

/** The reading made of the readings of parts of another. */
function readingOf(given: Reading, pieces: readonly Reading[]): Reading {
  let length = 0
  const starts = pieces.map(({ text }) => (length += text.length) - text.length)
  const span = (index: number) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= index) low = middle
      else high = middle
    }
    const [start, end] = pieces[low]?.span(index - (starts[low] ?? 0)) ?? [0, 0]
    return [given.span(start)[0], given.span(end - 1)[1]] as const
  }
  return { text: pieces.map(({ text }) => text).join(''), span }
}

/** The places of the characters of a text that begins at a place of the given text. */
function from(start: number): Span {
  return (index) => [start + index, start + index + 1]
}
