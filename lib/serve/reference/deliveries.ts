import type { Deliverer } from './answer.ts'
import { whole } from './deliver.ts'

/** Sends every body in chunks of this size in bytes, even if they split characters. */
export function inChunksOf(size: number): Deliverer {
  return ({ status, fields, body }, response) => {
    response.writeHead(status, [...fields])
    const bytes = Buffer.from(body)
    for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size))
    response.end()
  }
}

/** Sends a body encoded and labelled with a coding, with its length. */
export function labelled(coding: string, bytesOf: (body: Buffer) => Buffer): Deliverer {
  return ({ status, fields, body }, response) => {
    const bytes = bytesOf(Buffer.from(body))
    const framed = ['content-encoding', coding, 'content-length', String(bytes.length)]
    response.writeHead(status, [...fields, ...framed])
    response.end(bytes)
  }
}

/** Delivers as given, but without the coding if the request refuses it by its weight (RFC 9110, 12.5.3). */
export function unlessRefused(deliver: Deliverer): Deliverer {
  return (outgoing, response) => {
    const refuses = /;\s*q=0(?:\.0*)?\s*(?:,|$)/.test(response.req.headers['accept-encoding'] ?? '')
    return (refuses ? whole : deliver)(outgoing, response)
  }
}

/** Writes field names in a different letter case. */
export function withNames(spell: (name: string) => string): Deliverer {
  return ({ status, fields, body }, response) => {
    const all = [...fields, 'content-length', String(Buffer.byteLength(body))]
    response.writeHead(
      status,
      all.map((text, index) => (index % 2 === 0 ? spell(text) : text)),
    )
    response.end(body)
  }
}
