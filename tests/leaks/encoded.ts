import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'

/** Encodings within each other. */
const deepest = 3

/** What digits in a text stand for, where no writing can be made of it beforehand, and what is packed in that. */
export function* encodedIn(bytes: Uint8Array, deeper = deepest): Generator<Uint8Array> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  if (/[\x80-\xff]/.test(text))
    yield Buffer.from(Buffer.from(text, 'latin1').toString('utf8').normalize('NFKC'))
  for (const content of [...digitsIn(text)]
    .flatMap((one) => [one, ...unpacked(one)])
    .concat([...othersIn(text)])) {
    if (!isReadable(content)) continue
    yield content
    if (deeper > 1) yield* encodedIn(content, deeper - 1)
  }
}

/** What services put packed data into. */
function* digitsIn(text: string): Generator<Buffer> {
  for (const run of runsOf(text.replaceAll(/\n\s+/g, ''), /[\w+/-]{16,}/g)) yield Buffer.from(run, 'base64')
  for (const run of runsOf(text, /[\da-f]{24,}/gi)) yield Buffer.from(run, 'hex')
}

function* othersIn(text: string): Generator<Buffer> {
  for (const run of runsOf(text, /(?:[01]{8} ?){10,}/g))
    yield Buffer.from((run.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  for (const list of runsOf(text.replaceAll('0o', ''), /\d{2,3}(?:[^\d"\n]{1,8}\d{2,3}){9,}/g)) {
    const numbers = list.match(/\d+/g) ?? []
    for (const base of [10, 8]) yield Buffer.from(numbers.map((number) => Number.parseInt(number, base)))
  }
}

/** Each once: reports repeat themselves. */
function runsOf(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set(text.match(pattern))
}

function unpacked(bytes: Buffer): readonly Buffer[] {
  if (bytes.length < 12 || bytes.length > 1024 * 1024) return []
  const first = bytes.readUInt16BE(0)
  const unpack =
    first === 0x1f8b
      ? gunzipSync
      : first >> 8 === 0x78
        ? inflateSync
        : [3, 5].includes((first >> 8) & 7)
          ? inflateRawSync
          : null
  try {
    return unpack === null ? [] : [unpack(bytes, { maxOutputLength: 1024 * 1024 })]
  } catch {
    return []
  }
}

/** Whether there are enough letters in a row for a credential. */
function isReadable(bytes: Buffer): boolean {
  return /[ -~]{10,}/.test(bytes.toString('latin1'))
}

/** What a file holds: its bytes, and those of everything that it packs (gzip, zip; a tar file packs nothing). */
export function packedIn(bytes: Buffer, deeper = 3): readonly Buffer[] {
  if (deeper === 0) return [bytes]
  const inside = isGzip(bytes) ? [attempt(() => gunzipSync(bytes))] : zipEntries(bytes)
  return [bytes, ...inside.flatMap((content) => (content === null ? [] : packedIn(content, deeper - 1)))]
}

function isGzip(bytes: Buffer): boolean {
  return bytes.length > 2 && bytes.readUInt16BE(0) === 0x1f8b
}

const localHeader = Buffer.from('PK\u0003\u0004', 'latin1')

/** The deflated entries of a zip archive; stored ones can be read in its own bytes. */
function zipEntries(bytes: Buffer): readonly (Buffer | null)[] {
  if (!bytes.subarray(0, 4).equals(localHeader)) return []
  const entries: (Buffer | null)[] = []
  for (let at = bytes.indexOf(localHeader); at >= 0; at = bytes.indexOf(localHeader, at + 4)) {
    if (at + 30 > bytes.length || bytes.readUInt16LE(at + 8) !== 8) continue
    const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
    entries.push(attempt(() => inflateRawSync(bytes.subarray(start))))
  }
  return entries
}

function attempt(unpack: () => Buffer): Buffer | null {
  try {
    return unpack()
  } catch {
    return null
  }
}
