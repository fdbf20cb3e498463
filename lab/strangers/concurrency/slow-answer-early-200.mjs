import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'Takes 22 ms for each request in flight; an answer not ready after 100 ms (five or more in flight) has its head sent early as 200, so a refusal then arrives as an error body with status 200: breaks "Error body (JSON), returned with the HTTP status shown below". A tester who backs off as answers get slower backs away from the fault.'
export const wrong = true

export function start() {
  const state = {}
  let flying = 0
  return listen(async (request, { res }) => {
    flying += 1
    const time = Math.min(22 * flying, 240)
    const given = answer(request, state)
    await pause(Math.min(time, 100))
    if (time > 100) {
      res.writeHead(200, given.headers)
      res.write(' ') // keeps the client patient; white space before JSON is JSON
      await pause(time - 100)
      res.end(JSON.stringify(given.body))
    }
    flying -= 1
    return time > 100 ? undefined : given
  })
}
