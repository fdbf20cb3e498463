import type { Deliverer } from '../answer.ts'

/** Sends every body in chunks of so many bytes, whatever characters they cut apart. */
export function inChunksOf(size: number): Deliverer {
  return ({ status, fields, body }, response) => {
    response.writeHead(status, [...fields])
    const bytes = Buffer.from(body)
    for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size))
    response.end()
  }
}

/** Sends every body in chunks, with fields behind it (RFC 9112, 7.1.2). */
export function withTrailers(trailers: Readonly<Record<string, string>>): Deliverer {
  return ({ status, fields, body }, response) => {
    response.writeHead(status, [
      ...fields,
      'trailer',
      Object.keys(trailers).join(', '),
      'transfer-encoding',
      'chunked',
    ])
    response.write(body)
    response.addTrailers(trailers)
    response.end()
  }
}
