import { isUtf8 } from 'node:buffer'

import { gramsOf } from './grams.ts'
import type { Grams } from './grams.ts'
import { joined, untagged } from './joined.ts'
import { plainStream, textOf, unescaped } from './streams.ts'

/** What a redactor looks for. */
export interface Sought {
  readonly grams: readonly Grams[]
  /** Of these, what packed text does not hold by chance: one to three characters turn up anywhere. */
  readonly long: readonly Grams[]
  /** The same of letters and digits alone; long, since words of the text run into each other. */
  readonly joined: readonly Grams[]
  /** How many characters the shortest of them has, and the shortest of the long ones. */
  readonly shortest: number
  readonly shortestLong: number
}

interface Value {
  readonly text: string
  readonly owner: number
}

const MAX_ESCAPE_LEVELS = 3
/** Below this, letters and digits run together by chance. */
const SHORTEST_JOINED = 8
const LONGEST_JOINED = 10

/** Every sequence of characters that must not be seen of these values. */
export function soughtOf(values: readonly Value[]): Sought {
  const letters = values
    .flatMap(({ text, owner }) => lettersOf(text).map((one) => ({ text: one, owner })))
    .filter(({ text }) => text.length >= SHORTEST_JOINED)

  return {
    ...soughtBy(widthOf, values),
    joined: byWidth(letters, (text) => Math.min(text.length, LONGEST_JOINED)),
  }
}

/** These values, each as a whole; of longer ones any {@link LONGEST_WHOLE} characters. */
export function soughtWhole(values: readonly Value[]): Sought {
  return { ...soughtBy((text) => Math.min(text.length, LONGEST_WHOLE), values), joined: [] }
}

/** Whoever repeats so many characters of a value repeats the value. */
const LONGEST_WHOLE = 64

function soughtBy(widthIn: (text: string) => number, values: readonly Value[]): Omit<Sought, 'joined'> {
  const grams = byWidth(values, widthIn)
  const long = grams.filter(({ width }) => width >= 4)
  return {
    grams,
    long,
    shortest: Math.min(...grams.map(({ width }) => width)),
    shortestLong: Math.min(...long.map(({ width }) => width)),
  }
}

/** A value as characters and as UTF-8 bytes, and as it reads where escapes are undone that it holds itself. */
export function writingsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'latin1')
  const asBytes = Buffer.from(value, 'utf8').toString('latin1')
  const asText = bytes.toString('latin1') === value && isUtf8(bytes) ? bytes.toString('utf8') : value
  const found = new Set([value, asBytes, asText])
  for (const one of [value, asBytes, asText]) {
    let stream = unescaped(plainStream(one, null))
    for (let level = 1; stream !== null && level <= MAX_ESCAPE_LEVELS; level += 1) {
      found.add(textOf(stream))
      stream = unescaped(stream)
    }
  }
  return [...found].filter((one) => one === value || one.length >= 4)
}

function lettersOf(text: string): readonly string[] {
  const stream = plainStream(text, null)
  return [...new Set([stream, untagged(stream) ?? stream].map((one) => textOf(joined(one))))]
}

function byWidth(values: readonly Value[], widthIn: (text: string) => number): readonly Grams[] {
  const widths = new Set(values.map(({ text }) => widthIn(text)))
  return [...widths].map((width) =>
    gramsOf(
      width,
      values.filter(({ text }) => widthIn(text) === width),
    ),
  )
}

function widthOf(text: string): number {
  return text.length < 4 ? text.length : Math.min(Math.max(Math.floor(text.length / 2), 4), 8)
}
