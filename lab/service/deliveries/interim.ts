import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'

/** Sends 103 (Early Hints) this many times before every answer. Source: RFC 9110, 15.2; RFC 8297. */
export function afterHints(times: number): Deliverer {
  return (outgoing, response) => {
    for (let sent = 0; sent < times; sent += 1) {
      response.writeEarlyHints({ link: `</styles/${String(sent)}.css>; rel=preload; as=style` })
    }
    whole(outgoing, response)
  }
}

/** Sends 102 (Processing) before every answer. */
export const afterProcessing: Deliverer = (outgoing, response) => {
  response.writeProcessing()
  whole(outgoing, response)
}

/** Sends an unrequested 100 (Continue) this many times before every answer. */
export function afterContinue(times: number): Deliverer {
  return (outgoing, response) => {
    for (let sent = 0; sent < times; sent += 1) response.writeContinue()
    whole(outgoing, response)
  }
}

/** Sends 100 and 103 before every answer, in packets of a few bytes. */
export const continuedInPackets: Deliverer = (outgoing, response) => {
  const { socket } = response
  const bytes =
    'HTTP/1.1 100 Continue\r\nx-queue: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n'
  const next = (at: number): void => {
    if (at >= bytes.length || socket === null) return whole(outgoing, response)
    socket.write(bytes.slice(at, at + 17), () => setImmediate(next, at + 17))
  }
  next(0)
}
