import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'

/** Sends every body in chunks, with trailers (RFC 9112, 7.1.2). */
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

/** Sends chunks only to clients that support them, not to clients of HTTP/1.0 (RFC 9112, 6.1). */
export function unlessOld(chunked: Deliverer): Deliverer {
  return (outgoing, response) => (response.req.httpVersion === '1.0' ? whole : chunked)(outgoing, response)
}
