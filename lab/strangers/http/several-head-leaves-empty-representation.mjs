import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Rendered answers are kept for ten seconds per client and address, and the method is no part of the ' +
  'key: after a HEAD (monitors, link checkers) a GET of the same client has status 200 with an empty ' +
  'body. It breaks "Responses, including errors, are JSON."'

const lifetime = 10_000

export function start() {
  const state = {}
  const rendered = new Map()
  return listen((request) => {
    const { method, headers, url } = request
    const out = answer({ ...request, method: method === 'HEAD' ? 'GET' : method }, state)
    if (out.status !== 200) return out
    const slot = `${headers['x-api-key']} ${url}`
    let kept = rendered.get(slot)
    if (!kept || kept.until < Date.now()) {
      const body = method === 'HEAD' ? '' : JSON.stringify(out.body)
      kept = { body, until: Date.now() + lifetime }
      rendered.set(slot, kept)
    }
    return { ...out, body: kept.body }
  })
}
