import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { unlessRefused } from '../../../lib/serve/reference/deliveries.ts'

/** A content coding (RFC 9110, 8.4.1). */
export type Coding = 'gzip' | 'x-gzip' | 'deflate' | 'br'

const encoders: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  'x-gzip': (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
}

/** Applies these codings to every body in sequence, unless the request refuses one. Sends a length, or chunks. */
export function coded(codings: readonly Coding[], framing: 'length' | 'chunks' = 'length'): Deliverer {
  return unlessRefused(({ status, fields, body }, response) => {
    const bytes = codings.reduce<Buffer>((content, coding) => encoders[coding](content), Buffer.from(body))
    const framed = framing === 'length' ? ['content-length', String(bytes.length)] : []
    response.writeHead(status, [...fields, 'content-encoding', codings.join(', '), ...framed])
    response.end(bytes)
  })
}

/** Like {@link coded} with gzip, but in two members, which are read in sequence (RFC 1952, 2.2). */
export const inTwoMembers: Deliverer = unlessRefused(({ status, fields, body }, response) => {
  const text = Buffer.from(body)
  const half = Math.floor(text.length / 2)
  const bytes = Buffer.concat([gzipSync(text.subarray(0, half)), gzipSync(text.subarray(half))])
  response.writeHead(status, [...fields, 'content-encoding', 'gzip', 'content-length', String(bytes.length)])
  response.end(bytes)
})
