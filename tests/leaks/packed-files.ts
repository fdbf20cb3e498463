import { gunzipSync, inflateRawSync } from 'node:zlib'

/** The bytes of a file and of everything packed in it (gzip, zip). Tar files do not compress. */
export function packedIn(bytes: Buffer, deeper = 3): readonly Buffer[] {
  if (deeper === 0) return [bytes]
  const inside = isGzip(bytes) ? [attempt(() => gunzipSync(bytes))] : zipEntries(bytes)
  return [bytes, ...inside.flatMap((content) => (content === null ? [] : packedIn(content, deeper - 1)))]
}

function isGzip(bytes: Buffer): boolean {
  return bytes.length > 2 && bytes.readUInt16BE(0) === 0x1f8b
}

const localHeader = Buffer.from('PK\u0003\u0004', 'latin1')

/** The deflated entries of a zip archive. Stored entries can be read in the archive itself. */
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
