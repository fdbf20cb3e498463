import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'A sender address with twelve refusals of any kind within three seconds has all its connections cut for one and a half seconds, also those of other clients behind it; looks like random resets, but it is a plain ban by the transport and every answer that does come is as specified.'

export function start() {
  const state = {}
  const senders = new Map() // address → { refused: times, until }
  return listen((request) => {
    const address = request.socket.remoteAddress
    const sender = senders.get(address) ?? { refused: [], until: 0 }
    senders.set(address, sender)
    const now = Date.now()
    if (sender.until > now) {
      request.socket.destroy()
      return { status: 503, headers: {}, body: '' } // is never sent
    }
    const out = answer(request, state)
    if (out.status === 200) return out
    sender.refused = [...sender.refused.filter((t) => t > now - 3000), now]
    if (sender.refused.length >= 12) Object.assign(sender, { refused: [], until: now + 1500 })
    return out
  })
}
