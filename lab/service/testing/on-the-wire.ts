import { connect, type Socket } from 'node:net'
import { later, pause } from '../../../tests/support/virtual-time.ts'
import type { ReferenceService } from '../../../lib/serve/reference/service.ts'

/** What was heard of a service, with no date in it that would differ. */
export interface Heard {
  /** As characters up to U+00FF, one a byte. */
  readonly bytes: string
  /** In how many pieces it came. */
  readonly pieces: number
  readonly end: 'ended' | 'reset' | 'stayed open'
}

/** Between two segments, in milliseconds of fake time. */
const betweenMs = 40

/** Sends bytes (characters up to U+00FF), or several segments of them, on a connection of their own and hears until it ends, or has been silent for so many milliseconds of fake time. */
export async function hear(
  { baseUrl }: ReferenceService,
  bytes: string | readonly string[],
  silenceMs: number | null = null,
): Promise<Heard> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  const segments = [bytes].flat()
  for (const [at, segment] of segments.entries()) {
    if (at > 0) await pause(betweenMs)
    socket.write(segment, 'latin1')
  }
  const pieces: string[] = []
  const end = await ending(socket, (piece) => pieces.push(piece), silenceMs)
  socket.destroy()
  return { bytes: pieces.join('').replaceAll(/^date: .*$/gim, 'date: now'), pieces: pieces.length, end }
}

function ending(
  socket: Socket,
  heard: (piece: string) => void,
  silenceMs: number | null,
): Promise<Heard['end']> {
  return new Promise((resolve) => {
    const stayed = (): void => resolve('stayed open')
    let callOff = silenceMs === null ? () => {} : later(stayed, silenceMs)
    socket.setEncoding('latin1')
    socket.on('data', (piece) => {
      heard(String(piece))
      callOff()
      if (silenceMs !== null) callOff = later(stayed, silenceMs)
    })
    socket.once('close', () => callOff())
    socket.once('end', () => resolve('ended'))
    socket.once('error', () => resolve('reset'))
  })
}

/** A request as bytes; `lines` are whole header lines, without their ends. */
export function written(target: string, lines: readonly string[], method = 'GET'): string {
  return [`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}
