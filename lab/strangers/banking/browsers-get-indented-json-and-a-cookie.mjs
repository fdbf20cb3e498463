import { randomUUID } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Whoever asks as a browser (user agent Mozilla, or accept with text/html) gets indented JSON in ' +
  'reversed order, a type in other letters, a session cookie that is never read, and the headers of a ' +
  'security module. Conformant: white space, order and case of a media type mean nothing, every rule ' +
  'holds with and without cookie.'

const hardened = {
  'content-type': 'Application/JSON; Charset="utf-8"',
  'content-security-policy': `default-src 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-cache, no-store, max-age=0, must-revalidate',
  pragma: 'no-cache',
  expires: '0',
}

export const start = () => {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const { 'user-agent': agent = '', accept = '' } = request.headers
    const vary = 'accept, user-agent'
    const browser = agent.startsWith('Mozilla/') || /text\/html/.test(accept)
    if (!browser) return { ...out, headers: { ...out.headers, vary } }
    const cookie = `SESSION=${randomUUID()}; Path=/; HttpOnly; SameSite=Lax`
    const body = Object.fromEntries(Object.entries(out.body).toReversed())
    const headers = { ...hardened, vary, 'set-cookie': cookie }
    return { status: out.status, headers, body: `${JSON.stringify(body, null, 2)}\n` }
  })
}
