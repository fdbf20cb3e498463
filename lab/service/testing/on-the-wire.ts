import { connect } from 'node:net'
import type { ReferenceService } from '../../../lib/serve/reference/service.ts'
import { later, pause } from '../../../tests/support/virtual-time.ts'

/** The delay between two segments, in milliseconds of fake time. */
const betweenMs = 40

/**
 * Sends bytes (characters up to U+00FF), or several segments of them, on a separate connection. Returns what
 * was received until it ended or was silent for this many milliseconds of fake time, and says which. Dates
 * are removed, because they would differ.
 */
export async function hear(
  { baseUrl }: ReferenceService,
  bytes: string | readonly string[],
  silenceMs: number,
): Promise<string> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  for (const [at, segment] of [bytes].flat().entries()) {
    if (at > 0) await pause(betweenMs)
    socket.write(segment, 'latin1')
  }
  let heard = ''
  const end = await new Promise<string>((resolve) => {
    const stayed = (): void => resolve('stayed open')
    let callOff = later(stayed, silenceMs)
    socket.setEncoding('latin1').on('data', (piece) => {
      heard += String(piece)
      callOff()
      callOff = later(stayed, silenceMs)
    })
    socket.once('close', () => callOff())
    socket.once('end', () => resolve('ended'))
    socket.once('error', () => resolve('reset'))
  })
  socket.destroy()
  return `${heard.replaceAll(/^date: .*$/gim, 'date: now')}\n${end}`
}
