import { answer, listen, pause, refusal } from '../base-concurrency.mjs'

export const about =
  'From the sixth request in flight on it sheds load with 503, retry-after and the documented body of error_code 1020: breaks "Error body (JSON), returned with the HTTP status shown below", which is 429 for 1020 (and it says so whoever asks, though their quota is not used up and even if a header is missing).'
export const wrong = true

export function start() {
  const state = {}
  let flying = 0
  return listen(async (request) => {
    if (flying >= 5) {
      const { headers, body } = refusal('1020')
      return { status: 503, headers: { ...headers, 'retry-after': '1' }, body }
    }
    flying += 1
    await pause(30)
    flying -= 1
    return answer(request, state)
  })
}
