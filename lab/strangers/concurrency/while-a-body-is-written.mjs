import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'Each body is written in two pieces 25 ms apart; a refusal that begins while another request\'s body is half written carries error_code as a JSON number: breaks "error_code | string" in the table of the error body.'
export const wrong = true

export function start() {
  const state = {}
  let halfWritten = 0
  return listen(async (request, { res }) => {
    const { status, headers, body } = answer(request, state)
    const shared = halfWritten > 0
    const sent = shared && body.error_code ? { ...body, error_code: Number(body.error_code) } : body
    const text = Buffer.from(JSON.stringify(sent))
    res.writeHead(status, { ...headers, 'content-length': text.length })
    halfWritten += 1
    res.write(text.subarray(0, 9))
    await pause(25)
    halfWritten -= 1
    res.end(text.subarray(9))
  })
}
