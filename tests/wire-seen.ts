import { requiredFields, type RequiredField } from '../lib/spec/endpoints.ts'

/** A header line as it stands in the bytes: what is before the first colon, and what is after it and one space. */
export interface Line {
  readonly name: string
  readonly value: string
}

/** The value of a required field, as it stands in the bytes. */
export interface Value {
  readonly raw: string
  /** Without SP and HTAB at both ends. */
  readonly arrived: string
  /** What arrives, read as UTF-8; null where it is none. */
  readonly text: string | null
}

/** A request, read off its bytes and nothing else. */
export interface Seen {
  readonly bytes: string
  readonly method: string
  /** Below the prefix of the base URL. */
  readonly path: string
  /** Without `?`; null where there is none. */
  readonly query: string | null
  readonly lines: readonly Line[]
  /** The values of the required fields that are there exactly once, whatever the letter case of the name. */
  readonly values: Readonly<Partial<Record<RequiredField, Value>>>
  /** The request that was sent before it, which must have the same outcome; null where it has none. */
  readonly before: Seen | null
}

/** Reads a head; a line that begins with white space continues the one before it. */
export function seenIn(bytes: string, prefix: string, before: Seen | null = null): Seen {
  const [requestLine = '', ...rest] = bytes.slice(0, -4).split(/\r\n(?![ \t])/)
  const [method = '', target = ''] = requestLine.split(' ')
  const below = target.slice(prefix.length)
  const mark = below.indexOf('?')
  const lines = rest.map(lineOf)

  return {
    bytes,
    method,
    path: mark === -1 ? below : below.slice(0, mark),
    query: mark === -1 ? null : below.slice(mark + 1),
    lines,
    values: Object.fromEntries(requiredFields.flatMap((name) => valueIn(lines, name))),
    before,
  }
}

/** The lines of a field, whatever the letter case of its name. */
export function linesOf({ lines }: Seen, field: string): readonly Line[] {
  return lines.filter(({ name }) => name.toLowerCase() === field)
}

/** Bytes (characters up to U+00FF) read as UTF-8; null where they are none. */
export function decoded(bytes: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return null
  }
}

function lineOf(line: string): Line {
  const colon = line.indexOf(':')
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') }
}

function valueIn(lines: readonly Line[], field: RequiredField): readonly (readonly [string, Value])[] {
  const [line, ...further] = lines.filter(({ name }) => name.toLowerCase() === field)
  if (line === undefined || further.length > 0) return []

  const arrived = line.value.replaceAll(/^[ \t]+|[ \t]+$/g, '')
  return [[field, { raw: line.value, arrived, text: decoded(arrived) }]]
}
