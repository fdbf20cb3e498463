import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip, gzipSync } from 'node:zlib'
import { mostBytes } from './layout.ts'

/** Deflate at its best, and neither name, time nor system: the same on every machine. */
const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])

/** Packs bytes. The same version of Node gives the same bytes. */
export function packed(bytes: Buffer): Buffer {
  const packedBytes = gzipSync(bytes, { level: 9 })
  head.copy(packedBytes)
  return packedBytes
}

/** What came of unpacking a file. */
export interface Unpacked {
  /** What could be unpacked; whole where nothing is wrong. */
  readonly bytes: Buffer
  /** A sentence without a subject where something is wrong with it; else null. */
  readonly wrong: string | null
}

/** Unpacks a file, never to more than an archive may hold. Throws what the file system throws. */
export async function unpackedFile(file: string): Promise<Unpacked> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  const source = createReadStream(file)
  const chunks: Buffer[] = []
  let start = Buffer.alloc(0)
  let length = 0
  try {
    await pipeline(
      source,
      async function* beginning(stream: AsyncIterable<Buffer>) {
        for await (const chunk of stream) {
          if (start.length < head.length) {
            start = Buffer.concat([start, chunk.subarray(0, head.length - start.length)])
          }
          yield chunk
        }
      },
      gunzip,
      async (stream: AsyncIterable<Buffer>) => {
        for await (const chunk of stream) {
          length += chunk.length
          if (length > mostBytes) throw new TooMuch()
          chunks.push(chunk)
        }
      },
    )
  } catch (error) {
    if (error instanceof TooMuch) return { bytes: Buffer.alloc(0), wrong: tooMuch }
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!code.startsWith('Z_')) throw error
    return { bytes: Buffer.concat(chunks), wrong: told(code, start) }
  }

  const bytes = Buffer.concat(chunks)
  if (gunzip.bytesWritten !== source.bytesRead) return { bytes, wrong: 'has something behind its end' }
  if (!start.equals(head)) return { bytes, wrong: otherHead }
  return { bytes, wrong: null }
}

class TooMuch extends Error {}

const tooMuch = `unpacks to more than ${mostBytes / 1024 / 1024} MiB, which no archive of ours does; nothing in it was read`
const otherHead = 'was packed again by another program: its gzip header is not the one that `bundle` writes'

/** By the code of zlib and the first bytes. */
function told(code: string, start: Buffer): string {
  if (!start.subarray(0, 2).equals(head.subarray(0, 2))) {
    return start.length === 0 ? 'is empty' : 'is not a gzip archive'
  }
  if (code === 'Z_BUF_ERROR') return 'is cut short'
  return 'is damaged: its packed bytes do not fit together'
}
