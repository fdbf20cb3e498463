import { promisify } from 'node:util'
import { brotliCompress, constants, deflate, gzip } from 'node:zlib'
import type { ProofTarget } from './target.ts'
import { alike, aPart, flood, harmfulRefusals, onBytes, veryFew } from './serving.ts'

const nothingSaid = { kind: 'hostile', exit: 3, rules: [] } as const
const mebibyte = 1024 * 1024
const json = 'Content-Type: application/json'

/** As threads make them: a target that is being started must not keep others from answering. */
const [gzipped, deflated, brotlied] = [promisify(gzip), promisify(deflate), promisify(brotliCompress)]
const zeros = Buffer.alloc(16 * mebibyte)
/** 1 GiB of zeros: many members of one gzip stream. */
const gzipBomb = async (): Promise<Buffer> => repeated(await gzipped(zeros), 64)
const deflateBomb = (): Promise<Buffer> => deflated(Buffer.alloc(64 * mebibyte))
const brotliBomb = (): Promise<Buffer> =>
  brotlied(Buffer.alloc(64 * mebibyte), { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })

function repeated(bytes: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes))
}

function coded(coding: string, bytes: Buffer): Buffer {
  const head = `HTTP/1.1 200 OK\r\n${json}\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

function bomb(coding: string, make: () => Promise<Buffer>): ProofTarget {
  return {
    ...nothingSaid,
    name: `bomb-of-${coding}`,
    about: `Every body is small, and enormous once decoded of ${coding}.`,
    says: [`longer than 4194304 bytes after decoding of ${coding}`],
    start: async () => alike(coded(coding, await make()))(),
  }
}

/** Bodies and heads that do not fit into memory. */
export const large: readonly ProofTarget[] = [
  {
    ...nothingSaid,
    name: 'endless-body',
    about: 'The body has no length and no end.',
    says: ['longer than this suite reads (4 MiB)'],
    start: () =>
      onBytes((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${json}\r\n\r\n`)
        flood(socket, Buffer.alloc(64 * 1024, ' '))
      }),
  },
  {
    ...nothingSaid,
    name: 'gibibyte-body',
    about: 'The body has 1 GiB, and says so.',
    says: ['longer than this suite reads (4 MiB)'],
    start: () =>
      onBytes((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${json}\r\nContent-Length: ${2 ** 30}\r\n\r\n`)
        flood(socket, Buffer.alloc(64 * 1024, ' '), 16 * 1024)
      }),
  },
  {
    ...nothingSaid,
    name: 'endless-fields',
    about: 'The header fields have no end.',
    says: ['the header fields of the answer of 127.0.0.1:', 'longer than this suite reads'],
    start: () =>
      onBytes((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        flood(socket, Buffer.from('X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(100)))
      }),
  },
  {
    ...nothingSaid,
    name: 'cookies-of-128-kib',
    about: 'Every answer sets cookies of 128 KiB.',
    says: ['the header fields of the answer of 127.0.0.1:', 'longer than this suite reads'],
    start: alike(
      `HTTP/1.1 200 OK\r\n${`Set-Cookie: ${'c'.repeat(4_000)}=1\r\n`.repeat(32)}Content-Length: 2\r\n\r\n{}`,
    ),
  },
  bomb('gzip', gzipBomb),
  bomb('deflate', deflateBomb),
  bomb('br', brotliBomb),
  {
    ...nothingSaid,
    name: 'string-of-10-mb',
    about: 'The body is one JSON string of ten million characters.',
    says: ['longer than this suite reads (4 MiB)'],
    start: () => alike(coded('identity', Buffer.from(`"${'a'.repeat(10_000_000)}"`)))(),
  },
  {
    ...nothingSaid,
    name: 'million-keys',
    about: 'The body is a JSON object of a million keys.',
    says: ['longer than this suite reads (4 MiB)'],
    start: () => alike(coded('identity', keys(1_000_000)))(),
  },
  {
    kind: 'hostile',
    exit: 1,
    rules: ['authentication/api-key-missing'],
    name: 'keys-of-4-mib',
    about: 'Everybody gets a JSON object of as many keys as are read, and that is a success.',
    says: ['authentication/api-key-missing is violated: '],
    start: () => alike(coded('identity', keys(330_000)), { ...veryFew, ...aPart })(),
  },
  {
    kind: 'hostile',
    exit: 1,
    rules: ['authentication/api-key-missing'],
    name: 'json-of-200000-levels',
    about: 'Everybody gets JSON of 200,000 levels, and that is a success.',
    says: ['authentication/api-key-missing is violated: '],
    start: () =>
      alike(coded('identity', Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)), {
        ...veryFew,
        ...aPart,
      })(),
  },
  {
    kind: 'hostile',
    exit: 1,
    rules: ['authentication/api-key-missing'],
    name: 'bomb-for-every-refusal',
    about: 'Who is to be served is, and everybody else gets 1 GiB in gzip.',
    says: ['longer than'],
    start: async () => {
      const bytes = coded('gzip', await gzipBomb())
      return harmfulRefusals((socket) => socket.write(bytes), aPart)()
    },
  },
  {
    kind: 'hostile',
    exit: 1,
    rules: ['authentication/api-key-missing'],
    name: 'gibibyte-for-every-refusal',
    about: 'Who is to be served is, and everybody else gets 1 GiB.',
    says: ['longer than'],
    start: harmfulRefusals((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${json}\r\nContent-Length: ${2 ** 30}\r\n\r\n`)
      flood(socket, Buffer.alloc(64 * 1024, ' '), 16 * 1024)
    }, aPart),
  },
]

/** A JSON object of so many keys. */
function keys(count: number): Buffer {
  return Buffer.from(`{${Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":1`).join(',')}}`)
}
