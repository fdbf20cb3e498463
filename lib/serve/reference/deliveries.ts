import { whole } from './deliver.ts'
import type { Deliverer } from './answer.ts'

/** Sends every body in chunks of so many bytes, whatever characters they cut apart. */
export function inChunksOf(size: number): Deliverer {
  return ({ status, fields, body }, response) => {
    response.writeHead(status, [...fields])
    const bytes = Buffer.from(body)
    for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size))
    response.end()
  }
}

/** Sends a body under the name of a coding, as the bytes that are made of it; with its length. */
export function labelled(coding: string, bytesOf: (body: Buffer) => Buffer): Deliverer {
  return ({ status, fields, body }, response) => {
    const bytes = bytesOf(Buffer.from(body))
    const framed = ['content-encoding', coding, 'content-length', String(bytes.length)]
    response.writeHead(status, [...fields, ...framed])
    response.end(bytes)
  }
}

/** As it is written, but whole where the request refuses a coding by its weight (RFC 9110, 12.5.3). */
export function unlessRefused(deliver: Deliverer): Deliverer {
  return (outgoing, response) => {
    const refuses = /;\s*q=0(?:\.0*)?\s*(?:,|$)/.test(response.req.headers['accept-encoding'] ?? '')
    return (refuses ? whole : deliver)(outgoing, response)
  }
}

/** Writes field names in another letter case. */
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
