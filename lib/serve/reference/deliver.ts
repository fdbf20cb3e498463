import type { ServerResponse } from 'node:http'
import { bodyOf, type Answer, type Deliverer, type Outgoing } from './answer.ts'

/** Writes an answer according to its `delivery`; a complete answer with `deliverer`. */
export function deliver(answer: Answer, response: ServerResponse, deliverer: Deliverer = whole): void {
  const { delivery } = answer
  if (typeof delivery === 'function') {
    delivery(outgoingOf(answer), response)
    return
  }
  switch (delivery) {
    case 'whole':
      if (hasBody(answer)) deliverer(outgoingOf(answer), response)
      else response.writeHead(answer.status, [...fieldsOf(answer)]).end()
      break
    case 'reset':
      response.destroy()
      break
    case 'never':
      break
    case 'cut':
      cut(answer, response)
      break
    case 'drip':
      drip(answer, response)
      break
  }
}

/** Writes an answer at once, with its length. */
export function whole({ status, fields, body }: Outgoing, response: ServerResponse): void {
  response.writeHead(status, [...fields, 'content-length', String(Buffer.byteLength(body))])
  // node leaves the body out where HTTP does: HEAD, 204, 304.
  response.end(body)
}

function cut(answer: Answer, response: ServerResponse): void {
  const { status, fields, body } = outgoingOf(answer)
  response.writeHead(status, [...fields, 'content-length', String(Buffer.byteLength(body))])
  response.write(body.slice(0, body.length / 2), () => response.destroy())
}

function drip(answer: Answer, response: ServerResponse): void {
  response.writeHead(answer.status, { 'content-type': answer.contentType ?? 'application/json' })
  const timer = setInterval(() => response.write(' '), 20).unref()
  response.once('close', () => clearInterval(timer))
}

/** An answer as sent. */
export function outgoingOf(answer: Answer): Outgoing {
  const type = answer.contentType === null ? [] : ['content-type', answer.contentType]
  return { status: answer.status, fields: [...type, ...fieldsOf(answer)], body: bodyOf(answer) }
}

function fieldsOf({ headers }: Answer): readonly string[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => [name, value]),
  )
}

function hasBody({ status }: Answer): boolean {
  return status !== 204 && status !== 304
}
