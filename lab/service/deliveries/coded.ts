import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { ServerResponse } from 'node:http'
import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'

/** A content coding (RFC 9110, 8.4.1). */
export type Coding = 'gzip' | 'x-gzip' | 'deflate' | 'br'

const encoders: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  'x-gzip': (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
}

/** Whether the request refuses a coding by its weight (RFC 9110, 12.5.3). */
function refuses({ req }: ServerResponse): boolean {
  return /;\s*q=0(?:\.0*)?\s*(?:,|$)/.test(req.headers['accept-encoding'] ?? '')
}

/** Codes every body in these codings, one after the other, unless the request refuses one; with its length, or in chunks. */
export function coded(codings: readonly Coding[], framing: 'length' | 'chunks' = 'length'): Deliverer {
  return (outgoing, response) => {
    if (refuses(response)) return whole(outgoing, response)
    const { status, fields, body } = outgoing
    const bytes = codings.reduce<Buffer>((content, coding) => encoders[coding](content), Buffer.from(body))
    const framed = framing === 'length' ? ['content-length', String(bytes.length)] : []
    response.writeHead(status, [...fields, 'content-encoding', codings.join(', '), ...framed])
    response.end(bytes)
  }
}

/** As {@link coded} with gzip, in two members, which are read one after the other (RFC 1952, 2.2). */
export const inTwoMembers: Deliverer = (outgoing, response) => {
  if (refuses(response)) return whole(outgoing, response)
  const { status, fields, body } = outgoing
  const text = Buffer.from(body)
  const half = Math.floor(text.length / 2)
  const bytes = Buffer.concat([gzipSync(text.subarray(0, half)), gzipSync(text.subarray(half))])
  response.writeHead(status, [...fields, 'content-encoding', 'gzip', 'content-length', String(bytes.length)])
  response.end(bytes)
}
