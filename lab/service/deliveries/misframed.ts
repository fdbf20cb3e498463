import type { ServerResponse } from 'node:http'
import type { Deliverer, Outgoing } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'

function begin({ status, fields, body }: Outgoing, response: ServerResponse): void {
  response.writeHead(status, [...fields, 'content-length', String(Buffer.byteLength(body))])
}

/** Writes the content of an answer to HEAD, too. */
export const withContentBehindHead: Deliverer = (outgoing, response) => {
  begin(outgoing, response)
  response.flushHeaders()
  response.socket?.write(outgoing.body)
  response.end()
}

/** Writes extra bytes after the answer that its length does not count. */
export function withBytesBehind(further: string): Deliverer {
  return (outgoing, response) => {
    begin(outgoing, response)
    response.flushHeaders()
    response.write(outgoing.body)
    response.socket?.write(further)
    response.end()
  }
}

/** Keeps the connection open regardless of the request. */
export const keepingConnection: Deliverer = (outgoing, response) => {
  response.shouldKeepAlive = true
  whole(outgoing, response)
}
