import { decodings, UndecodableText } from './decodings.ts'
import { BREAK, undoEscapes } from './escapes.ts'
import { hideOpaque, holdsOpaque } from './opaque-text.ts'
import { escapeRegExp, maskFor } from './patterns.ts'
import { indexSecrets, type SecretIndex } from './secret-index.ts'
import { Secret } from './secret.ts'

/** Removes credentials from texts, in two passes. */
export interface Redactor {
  /** Runs both passes; idempotent, and linear in the length of the text. */
  redact(text: string): string
  /** First pass: writes `<NAME>` for every whole value in the text, in its usual spellings. */
  mask(text: string): string
  /**
   * Second pass, over a masked text: decodes it layer by layer. A note replaces the smallest part with a trace of a credential; it
   * gives the length and how the trace was written.
   */
  withhold(masked: string): string
  /**
   * A redactor for texts of an answer, and for what quotes it: also masks the secrets that were sent, and its second pass shows a run
   * that may be packed data by its beginning and length, unless the request held it.
   */
  ofAnswer(sent?: Sent): Redactor
}

/** What a request held that an answer may repeat. */
export interface Sent {
  readonly secrets: readonly Secret[]
  /** Everything else. */
  readonly text: string
}

/** Minimum length of a sent value that is masked, in characters; a shorter one occurs by chance. */
const MIN_SENT = 4

/** Makes a redactor for these credentials; text from public words, such as paths and field names, is no trace. */
export function redactorFor(secrets: readonly Secret[], publicWords: readonly string[] = []): Redactor {
  const index = indexSecrets(secrets, publicWords)
  const tracedIn = { own: rememberingClean(index, false), answer: rememberingClean(index, true) }
  const maskSecrets = maskFor(secrets)
  const redactor = (sent: Sent | null): Redactor => {
    const own = sent?.secrets ?? []
    const maskSent = maskFor(own, secrets)
    const masks = new RegExp(
      [...secrets, ...own].map((one) => escapeRegExp(String(one))).join('|') || '(?!)',
      'g',
    )
    const isKnown = (words: string): boolean =>
      [sent?.text ?? '', undoEscapes(sent?.text ?? ''), ...publicWords].some((known) => known.includes(words))
    const traced = sent === null ? tracedIn.own : tracedIn.answer
    const mask = (text: string): string => maskSent(maskSecrets(text))
    const withhold = (masked: string): string => {
      const shown = withoutTraces(masked, (part) => traced(part.replaceAll(masks, BREAK)))
      return sent === null ? shown : hideOpaque(shown, isKnown)
    }
    return {
      mask,
      withhold,
      redact: (text) => withhold(mask(text)),
      ofAnswer: ({ secrets: more, text } = { secrets: [], text: '' }) =>
        redactor({ secrets: more.filter((one) => one.reveal().length >= MIN_SENT), text }),
    }
  }
  return redactor(null)
}

/** Maximum depth of plain data; `JSON.stringify` fails soon after. */
const MAX_DEPTH = 100

/** Redacts every string in plain data, keys included, and numbers that spell a credential, down to 100 levels. */
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

/** A trace of a credential: whose, and its encodings, outermost first. The name is null for what cannot be decoded, so far or at all. */
interface Trace {
  readonly name: string | null
  readonly how: readonly string[]
}

/** Maximum length of a text remembered as clean, in characters, and their number. */
const rememberedUpTo = 256
const mostRemembered = 2_000

/** Searches texts, and remembers short ones without any trace: names and values of fields come again and again. */
function rememberingClean(index: SecretIndex, isAnswer: boolean): (text: string) => Trace | null {
  const clean = new Set<string>()
  return (text) => {
    if (clean.has(text)) return null
    const trace = traceIn(text, index, isAnswer)
    if (trace !== null || text.length > rememberedUpTo) return trace
    if (clean.size === mostRemembered) clean.clear()
    clean.add(text)
    return null
  }
}

function traceIn(text: string, index: SecretIndex, isAnswer: boolean): Trace | null {
  if (text.length < index.shortest) return null
  const plain = index.findRun({ text, isOfBytes: false })
  if (plain !== null) return { name: plain, how: [] }
  let opaque: readonly string[] | null = null
  try {
    for (const decoding of decodings(text, index.shortest)) {
      const { how } = decoding
      const run = index.findRun(decoding)
      if (run !== null) return { name: run, how }
      const pieces = index.findPieces(decoding)
      if (pieces !== null) return { name: pieces, how: ['pieces'] }
      if (isAnswer && decoding.isOfBytes && holdsOpaque(decoding.text)) opaque ??= how
    }
    if (opaque === null) return null
    // What is opaque itself is shown as such, whatever it decodes to.
    const hidden = hideOpaque(text, () => false)
    return hidden === text ? { name: null, how: opaque } : traceIn(hidden, index, isAnswer)
  } catch (error) {
    if (error instanceof UndecodableText) return { name: null, how: [] }
    throw error
  }
}

/** Withholds the smallest parts with a trace: names in paths, strings, lists, all values of JSON, or the whole text. */
function withoutTraces(text: string, traced: (part: string) => Trace | null): string {
  const whole = traced(text)
  if (whole === null) return text

  const withheld = (part: string): string => {
    const trace = traced(part)
    return trace === null ? part : noteOf(part, trace)
  }
  const smaller = [
    // Names in paths, such as `$.a['b c']`.
    (given: string) =>
      given
        .replaceAll(/(?<=\.)\w+/g, withheld)
        .replaceAll(/\['((?:(?!'\]).){0,500})'\]/g, (_, name: string) => `['${withheld(name)}']`),
    (given: string) =>
      given.replaceAll(
        /"([^"\\]*(?:\\.[^"\\]*)*)("|$)/gs,
        (_, content: string, end: string) => `"${withheld(content)}${end}`,
      ),
    (given: string) =>
      given.replaceAll(/\[[^[\]]*\]/g, (list) => {
        const note = withheld(list)
        return note === list ? list : `["${note}"]`
      }),
    (given: string) =>
      !/^\s*[{[]/.test(given)
        ? given
        : given.replaceAll(values, (all, before?: string, value = '') =>
            before === undefined ? all : `${before}"${noteOf(value, whole)}"`,
          ),
  ]
  let rest = text
  for (const withhold of smaller) {
    rest = withhold(rest)
    if (traced(rest) === null) return rest
  }
  return noteOf(text, whole)
}

/** `error_code` with its value, or another scalar value of JSON with what precedes it. */
const values = /"error_code"\s*:\s*"[^"]*"|([:[,]\s*)("[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],:]+)(?!\s*:)/gs

function noteOf({ length }: string, { name, how }: Trace): string {
  const written = how.length === 0 ? '' : ` in ${how.join(' of ')}`
  const what =
    name !== null ? `a trace of ${name}` : how.length > 0 ? 'opaque text' : 'encoded too deep to be searched'
  return `(withheld: ${length} characters, ${what}${written})`
}
