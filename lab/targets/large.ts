import { promisify } from 'node:util'
import { brotliCompress, constants, deflate, gzip } from 'node:zlib'
import type { Service } from '../judge/service.ts'
import { alike, flood, flooding, harmfulRefusals, json, ok, onBytes } from './bytes.ts'
import { aPart, harming, targets, veryFew, violating } from './target.ts'

const tooLong = 'longer than the limit of this suite (4 MiB)'
const mebibyte = 1024 * 1024
const tooManyFields = 'the header fields of the answer from 127.0.0.1:'
const limit = 'longer than the limit of this suite'

/** In threads, so that starting a target does not keep others from answering. */
const [gzipped, deflated, brotlied] = [promisify(gzip), promisify(deflate), promisify(brotliCompress)]
const zeros = Buffer.alloc(16 * mebibyte)
/** 1 GiB of zeros: many members of one gzip stream. */
const gzipBomb = async (): Promise<Buffer> => repeated(await gzipped(zeros), 64)
const deflateBomb = (): Promise<Buffer> => deflated(Buffer.alloc(64 * mebibyte))
const brotliBomb = (): Promise<Buffer> =>
  brotlied(Buffer.alloc(64 * mebibyte), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })

const repeated = (bytes: Buffer, times: number): Buffer =>
  Buffer.concat(Array.from({ length: times }, () => bytes))

function coded(coding: string, bytes: Buffer): Buffer {
  const head = ok([json, `Content-Encoding: ${coding}`, `Content-Length: ${bytes.length}`])
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Every body is small, and enormous once decoded of this coding. */
function bomb(coding: string, make: () => Promise<Buffer>) {
  const says = `longer than 4194304 bytes after decoding ${coding}`
  return [says, async () => alike(coded(coding, await make()))()] as const
}

const spaces = Buffer.alloc(64 * 1024, ' ')
const ofGibibyte = ok([json, `Content-Length: ${2 ** 30}`])
const cookies = Array<string>(32).fill(`Set-Cookie: ${'c'.repeat(4_000)}=1`)
/** Writes a body of 1 GiB, and its length before it. */
const writeGibibyte = flood(ofGibibyte, spaces, 16 * 1024)

/** Everybody gets this body, and that is a success. */
const success = (body: () => Buffer) => {
  const start = () => alike(coded('identity', body()), { ...veryFew, ...aPart })()
  return violating(start, 'authentication/api-key-missing')
}

/** Bodies and heads that do not fit into memory. */
export const large: readonly Service[] = targets({
  // The body has no length and no end.
  'endless-body': [tooLong, flooding(ok([json]), spaces)],
  // The body has 1 GiB, and says so.
  'gibibyte-body': [tooLong, () => onBytes(writeGibibyte)],
  // The header fields have no end.
  'endless-fields': [
    [tooManyFields, limit],
    flooding('HTTP/1.1 200 OK\r\n', 'X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(100)),
  ],
  // Every answer sets cookies of 128 KiB.
  'cookies-of-128-kib': [[tooManyFields, limit], alike(ok([...cookies, 'Content-Length: 2'], '{}'))],
  'bomb-of-gzip': bomb('gzip', gzipBomb),
  'bomb-of-deflate': bomb('deflate', deflateBomb),
  'bomb-of-br': bomb('br', brotliBomb),
  // The body is one JSON string of ten million characters.
  'string-of-10-mb': [tooLong, () => alike(coded('identity', Buffer.from(`"${'a'.repeat(10_000_000)}"`)))()],
  // The body is a JSON object of a million keys.
  'million-keys': [tooLong, () => alike(coded('identity', keys(1_000_000)))()],
  // Everybody gets a JSON object of as many keys as are read, and that is a success.
  'keys-of-4-mib': success(() => keys(330_000)),
  // Everybody gets JSON of 200,000 levels, and that is a success.
  'json-of-200000-levels': success(() => nested(200_000)),
  // Who is to be served is, and everybody else gets 1 GiB in gzip.
  'bomb-for-every-refusal': harming('longer than', async () => {
    const bytes = coded('gzip', await gzipBomb())
    return harmfulRefusals((socket) => socket.write(bytes), aPart)()
  }),
  // Who is to be served is, and everybody else gets 1 GiB.
  'gibibyte-for-every-refusal': harming('longer than', harmfulRefusals(writeGibibyte, aPart)),
})

const nested = (levels: number): Buffer => Buffer.from(`${'['.repeat(levels)}${']'.repeat(levels)}`)

/** A JSON object with this many keys. */
const keys = (count: number): Buffer =>
  Buffer.from(`{${Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":1`).join(',')}}`)
