import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'A range that spans the whole of a successful answer ("bytes=0-") is answered with 206 and all of ' +
  'the JSON; every other range is ignored, as HTTP permits, and refusals keep their status. The ' +
  'specification names no status for success and the body stays JSON.'

function spansAll(field, size) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/i.exec(field ?? '') ?? []
  if (from === undefined) return false
  if (from === '') return to !== '' && Number(to) >= size
  return Number(from) === 0 && (to === '' || Number(to) >= size - 1)
}

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (out.status !== 200) return out
    const text = JSON.stringify(out.body)
    const headers = { ...out.headers, 'accept-ranges': 'bytes' }
    const { range, 'if-range': condition } = request.headers
    if (condition !== undefined || !spansAll(range, text.length)) return { ...out, headers, body: text }
    headers['content-range'] = `bytes 0-${text.length - 1}/${text.length}`
    return { status: 206, headers, body: text }
  })
}
