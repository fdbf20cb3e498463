import type { Grams } from './grams.ts'
import { joined, unbroken, untagged } from './joined.ts'
import type { Sought } from './sought.ts'
import { listedBytes, packedStreams, unescaped, unquoted } from './streams.ts'
import type { Stream } from './streams.ts'

type Reading = readonly [Stream, Grams]

const MAX_ESCAPE_LEVELS = 3
/** Base64 of base64, as of a credential in a header in a dump of headers. */
const MAX_PACKINGS = 2

/** Everything that a text may be read as, each with what is looked for in it. */
export function* readings(text: Stream, sought: Sought): Generator<Reading> {
  for (const stream of levels(text)) {
    for (const one of sought.grams) yield [stream, one]
    const quoted = unquoted(stream)
    if (quoted !== null) for (const one of sought.grams) yield [quoted, one]
    yield* packed(stream, sought, MAX_PACKINGS)
    yield* broken(stream, sought)
  }
}

/** A stream with its escapes undone, again and again. */
function* levels(text: Stream): Generator<Stream> {
  let stream: Stream | null = text
  for (let level = 0; stream !== null && level <= MAX_ESCAPE_LEVELS; level += 1) {
    yield stream
    stream = unescaped(stream)
  }
}

/** What hexadecimal and base64 text stands for, and what is packed in that. */
function* packed(stream: Stream, sought: Sought, deeper: number): Generator<Reading> {
  if (deeper === 0 || sought.long.length === 0) return

  const lines = unbroken(stream) ?? stream
  for (const bits of [4, 6] as const) {
    for (const packing of packedStreams(lines, bits, sought.shortestLong)) {
      for (const bytes of levels(packing)) {
        for (const one of sought.long) yield [bytes, one]
        yield* packed(bytes, sought, deeper - 1)
      }
    }
  }
}

/** A stream in which something stands between the characters of a credential. */
function* broken(stream: Stream, sought: Sought): Generator<Reading> {
  const listed = listedBytes(stream)
  for (const one of sought.long) yield [listed, one]
  const bare = untagged(stream)
  if (bare !== null) for (const one of sought.long) yield [bare, one]
  if (sought.joined.length === 0) return

  for (const one of bare === null ? [stream] : [stream, bare]) {
    const letters = joined(one)
    for (const grams of sought.joined) yield [letters, grams]
  }
  // Hexadecimal in groups; where everything runs together, short sequences of bytes turn up by chance.
  for (const bytes of packedStreams(joined(stream), 4, SHORTEST_JOINED)) {
    for (const grams of sought.joined) yield [joined(bytes), grams]
  }
}

const SHORTEST_JOINED = 8
