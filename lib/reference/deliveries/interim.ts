import { whole, type Deliverer } from '../deliver.ts'

/** Sends 103 (Early Hints) before every answer, so many times. Source: RFC 9110, 15.2; RFC 8297. */
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
