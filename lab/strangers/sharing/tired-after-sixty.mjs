import { answer, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'After 60 requests since its start the service sheds the presence check of the secret and compares the missing one instead, answering 401/1007; breaks "When the secret key header is absent, the response is 400 with error_code 1002."'

export function start() {
  const state = {}
  let served = 0
  return listen((request) => {
    served += 1
    const out = answer(request, state)
    return served > 60 && out.body.error_code === '1002' ? refusal('1007') : out
  })
}
