import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Conformant: two nodes take turns with different bodies of success (object or bare array, indented or not), and each replays its first body for the same key, secret, version and URL with x-cache HIT and an age, but every request is first judged and metered afresh in a common store and only a body of the same status and code is replayed; the "response body of the list endpoint" is "not shown", and nothing forbids a cache keyed by everything the answer depends on.'

function node(name, shape, indent, state) {
  const bodies = new Map()
  return (request) => {
    const out = answer(request, state) // always judged anew: the cache only saves the rendering
    const { 'x-api-key': key, 'x-secret-key': secret, 'x-version': version } = request.headers
    const id = JSON.stringify([
      request.method,
      request.url,
      key,
      secret,
      version,
      out.status,
      out.body.error_code,
    ])
    const old = bodies.get(id)
    const kept = old ?? {
      at: Date.now(),
      text: JSON.stringify(out.status === 200 ? shape(out.body) : out.body, null, indent),
    }
    bodies.set(id, kept)
    return {
      status: out.status,
      body: kept.text,
      headers: {
        'x-node': name,
        'x-cache': old ? 'HIT' : 'MISS',
        age: String(Math.floor((Date.now() - kept.at) / 1000)),
        ...out.headers,
      },
    }
  }
}

export function start() {
  const state = {} // one store for both
  const nodes = [
    node('a', (body) => body, 0, state),
    node(
      'b',
      (body) => body.customizations.map(({ id, name }) => ({ name, identifier: `${id}-b` })),
      2,
      state,
    ),
  ]
  let turn = 0
  return listen((request) => nodes[turn++ % 2](request))
}
