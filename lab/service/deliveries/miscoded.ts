import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Deliverer } from '../../../lib/serve/reference/answer.ts'

/** Sends a converted body without saying so. */
export function unlabelled(bytesOf: (body: Buffer) => Buffer): Deliverer {
  return ({ status, fields, body }, response) => {
    const bytes = bytesOf(Buffer.from(body))
    response.writeHead(status, [...fields, 'content-length', String(bytes.length)])
    response.end(bytes)
  }
}

/** In gzip, without its last bytes. */
export function cutGzip(body: Buffer): Buffer {
  return gzipSync(body).subarray(0, -12)
}

/** In the deflate format, without its second half. */
export function halfDeflate(body: Buffer): Buffer {
  const whole = deflateSync(body)
  return whole.subarray(0, whole.length / 2)
}

/** In gzip, with a wrong checksum. */
export function damagedGzip(body: Buffer): Buffer {
  const bytes = gzipSync(body)
  const at = bytes.length - 8
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at)
  return bytes
}

/** In brotli. */
export function brotli(body: Buffer): Buffer {
  return brotliCompressSync(body)
}
