import { decoded, levelsOf, placeOf, type Reading, Secret, digitRuns } from './secret.ts'

/** Removes credentials from text. */
export interface Redactor {
  /** Replaces each complete value in a text with `<NAME>`, and each half with `<part of NAME>`. Idempotent, and linear in the length. */
  readonly redact: (text: string) => string
  /**
   * A redactor for the text in an answer and for quotations from it. Also masks the secrets that were sent, and shortens data that may be
   * packed to its start and length, unless the request contained that data.
   */
  ofAnswer(sent?: Sent): Redactor
}

/** Parts of a request that an answer may repeat. */
export type Sent = Readonly<{
  secrets: readonly Secret[]
  /** All other text. */
  text: string
}>

/** Minimum length of a sent value that is masked, in characters; shorter values occur by chance. */
const MIN_SENT = 4
/** Minimum share of a credential that is hidden, and its minimum length in characters. */
const trace = { share: 0.5, fewest: 8 }
/** Number of characters of an opaque text that are shown. */
const SHOWN = 8

/** A part of a text and its replacement. */
type Hidden = Readonly<{
  from: number
  to: number
  shown: string
}>

/** Creates a redactor for these credentials. Leaves a part visible if it also occurs in public words, such as paths and field names. */
export function redactorFor(secrets: readonly Secret[], publicWords: readonly string[] = []): Redactor {
  const tracesIn = traceFinder(secrets, { ...trace, publicWords })
  const redactor = (sent: Sent | null): Redactor => {
    const own = (sent?.secrets ?? []).filter((secret) => secret.reveal().length >= MIN_SENT)
    const held = levelsOf(sent?.text ?? '').map(({ text }) => text)
    const isKnown = (words: string) =>
      [held, publicWords].some((known) => known.some((text) => text.includes(words)))
    return {
      redact(text) {
        const levels = levelsOf(text)
        const traces = tracesIn(levels, own)
        const masked = traces.length === 0 ? text : hidden(text, masksFor(text, traces, [...secrets, ...own]))
        if (sent === null) return masked
        return hidden(
          masked,
          opaqueIn(masked === text ? levels : levelsOf(masked), isKnown).map(shownOf(masked)),
        )
      },
      ofAnswer: (more = { secrets: [], text: '' }) => redactor(more),
    }
  }
  return redactor(null)
}

/** Masks for traces, except traces within an existing mask in the text. */
function masksFor(text: string, traces: readonly Trace[], secrets: readonly Secret[]): readonly Hidden[] {
  const masks = new RegExp(secrets.flatMap(masksOf).map(escapeRegExp).join('|'), 'g')
  const there = Array.from(
    text.matchAll(masks),
    ({ 0: mask, index }) => [index, index + mask.length] as const,
  )
  return traces
    .filter(({ from, to }) => !there.some(([start, end]) => start <= from && to <= end))
    .map(({ from, to, secret, isWhole }) => ({
      from,
      to,
      shown: masksOf(secret)[isWhole ? 0 : 1],
    }))
}

function masksOf(secret: Secret): readonly [whole: string, part: string] {
  return [String(secret), `<part of ${secret.name}>`]
}

function shownOf(text: string): (place: Omit<Hidden, 'shown'>) => Hidden {
  return ({ from, to }) => ({
    from,
    to,
    shown: `${text.slice(from, from + SHOWN)}… (opaque: ${to - from} characters)`,
  })
}

/** Returns a text with its parts hidden; the first of any overlapping parts wins. */
function hidden(text: string, parts: readonly Hidden[]) {
  const merged: (Hidden & { readonly rank: number })[] = []
  const ranked = parts.map((part, rank) => ({ ...part, rank }))
  for (const part of ranked.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || part.from >= last.to) merged.push(part)
    else {
      const { shown, rank } = part.rank < last.rank ? part : last
      merged[merged.length - 1] = {
        from: last.from,
        to: Math.max(last.to, part.to),
        shown,
        rank,
      }
    }
  }
  let [made, end] = ['', 0]
  for (const { from, to, shown } of merged) {
    made += text.slice(end, from) + shown
    end = to
  }
  return made + text.slice(end)
}

function escapeRegExp(text: string) {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}

/** Maximum depth of plain data; `JSON.stringify` fails soon after. */
const MAX_DEPTH = 100

/** Redacts every string in plain data, including keys, and numbers that spell a credential, down to 100 levels. */
export function redactJson(value: unknown, redactor: Redactor, depth = 0): unknown {
  if (typeof value === 'string') return redactor.redact(value)
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value)
    const redacted = redactor.redact(text)
    return redacted === text ? value : redacted
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Secret) return String(value)
  if (depth >= MAX_DEPTH) return '(deeper than 100 levels)'
  if (Array.isArray(value)) return value.map((item) => redactJson(item, redactor, depth + 1))

  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactor.redact(key), redactJson(item, redactor, depth + 1)]),
  )
}

/** A part of a text that reveals a credential. */
export type Trace = Readonly<{
  from: number
  to: number
  secret: Secret
  isWhole: boolean
}>

/** Limits for a trace. */
type TraceOptions = Readonly<{
  /** Minimum contiguous share of a credential. */
  share: number
  /** Minimum length of a part, in characters; a shorter credential counts only as a whole. */
  fewest: number
  /** Public text; a part that occurs in it is not a trace. */
  publicWords: readonly string[]
}>

/** Finds credentials in the readings of a text, as well as complete `sent` values, longest first. */
export type TraceFinder = (levels: readonly Reading[], sent?: readonly Secret[]) => readonly Trace[]

/** Minimum length of a credential that is searched for within words, in characters, because `ci` occurs in `conclusion`. */
const MIN_WITHIN_WORDS = 4
/** Minimum length of a match in hexadecimal and base64, in characters. Shorter matches occur by chance. */
const MIN_PACKED = 6
/** Characters per lookup. */
const SAMPLE = 4

/** A text that reveals a credential, in lower case, and the minimum length of a revealing part. */
type Writing = Readonly<{
  secret: Secret
  text: string
  least: number
}>

type Match = Readonly<{
  from: number
  to: number
  writing: Writing
}>

/** Creates a finder for credentials in any letter case, which takes time linear in the length of the text. */
export function traceFinder(secrets: readonly Secret[], options: TraceOptions): TraceFinder {
  const publicWords = options.publicWords.map(lowerCased).join('\n')
  const writings = secrets.flatMap((secret) => writingsOf(secret, options))
  const search = searchFor(writings.filter(({ text }) => text.length >= MIN_WITHIN_WORDS))
  const words = writings.filter(({ text }) => text.length > 0 && text.length < MIN_WITHIN_WORDS)

  return (levels, sent = []) => {
    const whole = sent.map((secret): Writing => {
      const text = lowerCased(secret.reveal())
      return { secret, text, least: text.length }
    })
    const long = whole.filter(({ text }) => text.length >= MIN_WITHIN_WORDS)
    const least = Math.min(...[...writings, ...long].map((writing) => writing.least))
    if (least === Infinity) return []
    const packed = levels.flatMap((level) => decoded(level, Math.max(MIN_PACKED, least)))
    return [...levels, ...packed]
      .flatMap((reading, at) => {
        const text = lowerCased(reading.text)
        const found = [...search(text), ...long.flatMap((writing) => occurrences(text, writing))]
        const matches =
          at < levels.length
            ? [...found, ...words.flatMap((writing) => occurrences(text, writing).filter(isWordIn(text)))]
            : found.filter(({ from, to }) => to - from >= MIN_PACKED)
        return matches.flatMap((match) => traceOf(match, reading, text, publicWords))
      })
      .toSorted((a, b) => Number(b.isWhole) - Number(a.isWhole) || b.length - a.length)
  }
}

function traceOf(
  { from, to, writing }: Match,
  reading: Reading,
  text: string,
  publicWords: string,
): readonly (Trace & { readonly length: number })[] {
  const isWhole = to - from === writing.text.length
  if (!isWhole && publicWords.includes(text.slice(from, to))) return []
  return [
    {
      ...placeOf(reading, from, to),
      secret: writing.secret,
      isWhole,
      length: to - from,
    },
  ]
}

/** Spellings of a credential as characters, as UTF-8 bytes, as the characters of those bytes, form-encoded, and decoded. */
function writingsOf(secret: Secret, { share, fewest }: TraceOptions): readonly Writing[] {
  const value = secret.reveal()
  const bytes = Buffer.from(value, 'latin1')
  const ofBytes = bytes.toString('latin1') === value ? bytes.toString('utf8') : value
  const texts = [
    value,
    value.replaceAll(' ', '+'),
    Buffer.from(value).toString('latin1'),
    ...(ofBytes.includes('\uFFFD') ? [] : [ofBytes]),
  ]
  return [...new Set(texts.flatMap(levelsOf).map(({ text }) => lowerCased(text)))].map((text) => {
    const part = Math.max(fewest, Math.ceil(text.length * share))
    return { secret, text, least: Math.min(text.length, part) }
  })
}

/** Converts to lower case but keeps the place of each character, because the lower case of `İ` is longer. */
function lowerCased(text: string) {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function occurrences(text: string, writing: Writing): readonly Match[] {
  const matches: Match[] = []
  const { length } = writing.text
  for (let from = text.indexOf(writing.text); from >= 0; from = text.indexOf(writing.text, from + length))
    matches.push({ from, to: from + length, writing })
  return matches
}

function isWordIn(text: string): (match: Match) => boolean {
  return ({ from, to }) =>
    !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, from - 2), from)) &&
    !/^[\p{L}\p{N}]/u.test(text.slice(to, to + 2))
}

/** Searches for the longest parts of spellings. Any match of the minimum length contains an indexed sample. */
function searchFor(writings: readonly Writing[]): (text: string) => readonly Match[] {
  const places = new Map<string, (readonly [writing: Writing, at: number])[]>()
  for (const writing of writings)
    for (let at = 0; at + SAMPLE <= writing.text.length; at += 1) {
      const sample = writing.text.slice(at, at + SAMPLE)
      const known = places.get(sample)
      if (known === undefined) places.set(sample, [[writing, at]])
      else known.push([writing, at])
    }
  const stride = Math.min(...writings.map(({ least }) => least)) - SAMPLE + 1

  return (text) => {
    const matches: Match[] = []
    if (writings.length === 0) return matches
    const ends = new Map<Writing, number>()
    for (let at = 0; at + SAMPLE <= text.length; at += stride) {
      const found = (places.get(text.slice(at, at + SAMPLE)) ?? [])
        .filter(([writing]) => at + SAMPLE > (ends.get(writing) ?? 0))
        .map(([writing, start]) => extended(text, at, writing, start))
        .filter(({ from, to, writing }) => to - from >= writing.least)
      for (const { writing, to } of found) ends.set(writing, Math.max(to, ends.get(writing) ?? 0))
      matches.push(...found)
    }
    return matches
  }
}

function extended(text: string, at: number, writing: Writing, start: number): Match {
  let [from, to] = [at, at + SAMPLE]
  const shift = start - at
  while (from > 0 && from + shift > 0 && text[from - 1] === writing.text[from - 1 + shift]) from -= 1
  while (to < text.length && text[to] === writing.text[to + shift]) to += 1
  return { from, to, writing }
}

/** Minimum length of an opaque run, minus one, in characters. */
const MIN_RUN = 32
/** Size of a window, in characters, with at least one change in an opaque run, and the minimum number of changes in a run. */
const BLOCK = 8
const MIN_CHANGES = 8
/** Minimum number of bytes in a list. */
const MIN_BYTES = 8

/** The place of a part of a text that may be packed data. */
type Opaque = Readonly<{ from: number; to: number }>

/**
 * Finds base64 runs that switch between upper case, lower case and digits as packed data does, and lists and objects of bytes. `isKnown`
 * recognises public text, such as parts of the request. Words of 32 to 48 hexadecimal digits, UUIDs and trace ids are left alone.
 */
function opaqueIn(levels: readonly Reading[], isKnown: (words: string) => boolean): readonly Opaque[] {
  return levels.flatMap((level) => {
    const found = [...level.text.matchAll(runs)].filter(([run]) =>
      isPacked(run.replaceAll(/\s/g, ''), isKnown),
    )
    const lists = [...level.text.matchAll(numbers)].filter(([list]) => areBytes(list))
    return [...found, ...lists].map(({ 0: text, index }) => placeOf(level, index, index + text.length))
  })
}

const runs = new RegExp(`${digitRuns(MIN_RUN + 1).source}={0,2}`, 'g')

const hex = String.raw`[\da-f]`
const ids = new RegExp(
  String.raw`(?<![A-Za-z\d])(?:${hex}{8}(?:-${hex}{4}){3}-${hex}{12}|1-${hex}{8}-${hex}{24}|${hex}{32}-${hex}{16}(?:-\d)?(?:-${hex}{16})?|${hex}{32,48})(?![A-Za-z\d])`,
  'gi',
)

function isPacked(run: string, isKnown: (words: string) => boolean) {
  if (!changesAsPacked(run) || isKnown(run)) return false
  const known = (words: string) => (isKnown(words) ? '-' : words)
  return changesAsPacked(run.replaceAll(ids, '-').replaceAll(/[^/]{8,}/g, known))
}

/** Whether a run switches between upper case, lower case and digits anywhere as often as packed data does. */
function changesAsPacked(run: string) {
  /** Number of changes before each place. */
  const before = [0]
  let [count, last] = [0, '']
  for (const char of run) {
    const kind = char < '0' || char === '=' || char === '_' ? '' : char <= '9' ? '0' : char <= 'Z' ? 'A' : 'a'
    if (kind !== last && kind !== '' && last !== '' && !(last === 'A' && kind === 'a')) count += 1
    last = kind
    before.push(count)
  }
  const between = (from: number, to: number) => (before[to] ?? 0) - (before[from] ?? 0)
  for (let start = 0; start + MIN_RUN < before.length; start += 1) {
    if (between(start, start + MIN_RUN) < MIN_CHANGES) continue
    let end = start
    while (end < start + MIN_RUN && between(end, end + BLOCK) > 0) end += BLOCK
    // Class names also have capital letters.
    if (end === start + MIN_RUN && /\d/.test(run.slice(start, end))) return true
  }
  return false
}

/** Lists of bytes, or objects with positions as keys, such as `[31, -117]` or `{"0":31,"1":139}`. */
const numbers = new RegExp(
  String.raw`(?<![\w.])-?\d{1,3}(?:[\s,;]{1,40}(?:"\d{1,6}":\s{0,9})?-?\d{1,3}){${MIN_BYTES - 1},}(?![\w.])`,
  'g',
)

/** Small numbers alone are counts, whereas half of the bytes of a text are letters. */
function areBytes(list: string) {
  const values = (list.replaceAll(/"\d+":/g, '').match(/-?\d+/g) ?? []).map(Number)
  const others = values.filter((value) => value < 0 || value >= 0x20)
  return others.length * 2 >= values.length && values.every((value) => value >= -0x80 && value <= 0xff)
}
