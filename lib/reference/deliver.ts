import type { ServerResponse } from 'node:http'
import { bodyOf, type Answer } from './answer.ts'

/** Writes an answer, in the way its `delivery` says. */
export function deliver(answer: Answer, response: ServerResponse): void {
  switch (answer.delivery) {
    case 'whole':
      whole(answer, response)
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

function whole(answer: Answer, response: ServerResponse): void {
  const body = bodyOf(answer)
  response.writeHead(answer.status, headersOf(answer, body))
  // node leaves the body out where HTTP does: HEAD, 204, 304.
  response.end(body)
}

function cut(answer: Answer, response: ServerResponse): void {
  const body = bodyOf(answer)
  response.writeHead(answer.status, headersOf(answer, body))
  response.write(body.slice(0, body.length / 2), () => response.destroy())
}

function drip(answer: Answer, response: ServerResponse): void {
  response.writeHead(answer.status, { 'content-type': answer.contentType ?? 'application/json' })
  const timer = setInterval(() => response.write(' '), 20).unref()
  response.once('close', () => clearInterval(timer))
}

function headersOf(answer: Answer, body: string): Record<string, string | number> {
  if (answer.status === 204 || answer.status === 304) return answer.headers
  const length = { 'content-length': Buffer.byteLength(body) }
  return answer.contentType === null
    ? { ...length, ...answer.headers }
    : { 'content-type': answer.contentType, ...length, ...answer.headers }
}
