import type { ServerResponse } from 'node:http'
import { bodyOf, type Answer, type Deliverer, type Delivery, type Outgoing } from './answer.ts'

/** Writes an answer according to its `delivery`; a complete answer with `deliverer`. */
export function deliver(answer: Answer, response: ServerResponse, deliverer: Deliverer = whole): void {
  const { delivery, status } = answer
  const hasBody = status !== 204 && status !== 304
  if (typeof delivery === 'function') delivery(outgoingOf(answer), response)
  else if (delivery !== 'whole') odd[delivery](outgoingOf(answer), response)
  else if (hasBody) deliverer(outgoingOf(answer), response)
  else response.writeHead(status, [...fieldsOf(answer)]).end()
}

/** Writes an answer at once, with its length. */
export function whole({ status, fields, body }: Outgoing, response: ServerResponse): void {
  response.writeHead(status, [...fields, 'content-length', String(Buffer.byteLength(body))])
  // node leaves the body out where HTTP does: HEAD, 204, 304.
  response.end(body)
}

const odd: Readonly<Record<Exclude<Delivery, 'whole' | Deliverer>, Deliverer>> = {
  reset: (_, response) => void response.destroy(),
  never: () => undefined,
  cut({ status, fields, body }, response) {
    response.writeHead(status, [...fields, 'content-length', String(Buffer.byteLength(body))])
    response.write(body.slice(0, body.length / 2), () => response.destroy())
  },
  drip({ status, fields }, response) {
    response.writeHead(status, [...fields])
    const timer = setInterval(() => response.write(' '), 20).unref()
    response.once('close', () => clearInterval(timer))
  },
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
