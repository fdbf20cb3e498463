import { connect, createServer, type Socket } from 'node:net'
import type { onTestFinished } from 'vitest'
import { closing, listening, originOf } from '../../lib/serve/reference/server.ts'
import { later, now } from './virtual-time.ts'

/** A link to a service. */
interface CountingLink {
  readonly baseUrl: string
  /** When each request reached the service, in milliseconds of fake time. */
  readonly arrivals: readonly number[]
}

/** Opens a link to a service that takes `transitMs` each way, drawn for each piece; pieces of a connection stay in order. */
export async function countingLink(
  baseUrl: string,
  transitMs: () => number,
  onEnd: typeof onTestFinished,
): Promise<CountingLink> {
  const { hostname, port, pathname } = new URL(baseUrl)
  const arrivals: number[] = []
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    let seen = ''
    carry(near, far, transitMs, (piece) => {
      const heads = `${seen}${piece.toString('latin1')}`.split('\r\n\r\n')
      seen = heads.at(-1) ?? ''
      for (const _ of heads.slice(1)) arrivals.push(now())
    })
    carry(far, near, transitMs)
  })
  const close = closing(server)
  const address = await listening(server, 0, '127.0.0.1')
  onEnd(close)
  return { baseUrl: `${originOf(address)}${pathname.replace(/\/$/, '')}`, arrivals }
}

function carry(from: Socket, to: Socket, transitMs: () => number, arrives?: (piece: Buffer) => void): void {
  let due = 0
  const deferred = (act: () => void): void => {
    due = Math.max(due, now() + transitMs())
    const wait = due - now()
    if (wait > 0) later(act, wait)
    else act()
  }
  from.setNoDelay()
  from.on('data', (piece: Buffer) =>
    deferred(() => {
      arrives?.(piece)
      to.write(piece)
    }),
  )
  from.on('end', () => deferred(() => to.end()))
  from.on('error', () => {})
  from.on('close', (hadError) => deferred(() => (hadError ? to.resetAndDestroy() : to.destroySoon())))
}

/** The most of these times in a window of a second, both ends included. */
export function mostInASecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  let [most, first] = [0, 0]
  for (const [last, at] of sorted.entries()) {
    while ((sorted[first] ?? at) < at - 1_000) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}
