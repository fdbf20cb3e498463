import { newmanFails } from '../bench/peers/newman.ts'
import { pactumFails } from '../bench/peers/pactum.ts'
import type { Outcome, Service } from './service.ts'

/** The result of one tool for a service. */
export interface Sought {
  /** For a fault: it was found. For a conformant service: it was blamed. */
  readonly red: boolean
  readonly requests: number
}

/** The results of all tools that test each service. */
export type SoughtBy = Readonly<Record<'gate' | 'essential' | 'newman' | 'pactum', Sought>>

/** The time that the suite waits for an answer, in milliseconds. */
const patienceMs = 10_000
/** An endless body bypasses the timeouts of newman and pactum. The service is then closed, which they report. */
const longestMs = 60_000

/** The result of a run of the suite. */
export function soughtByRun({ of, result, noticed, requests }: Outcome): Sought {
  return { red: of === 'variants' ? result === 'blamed' : noticed, requests }
}

/** Sends the thirty requests of each peer to the service, over sockets. */
export async function soughtByPeers(service: Service): Promise<Pick<SoughtBy, 'newman' | 'pactum'>> {
  return { newman: await lookedAt(service, newmanFails), pactum: await lookedAt(service, pactumFails) }
}

async function lookedAt({ name, start }: Service, fails: typeof newmanFails): Promise<Sought> {
  const { env, handler, close } = await start(null)
  if (handler === undefined) throw new Error(`${name} does not count requests`)
  const timer = setTimeout(() => void close(), longestMs)
  try {
    const red = await fails(env, Number(env['RUN_TIMEOUT_MS'] ?? patienceMs))
    return { red, requests: handler.requests() }
  } finally {
    clearTimeout(timer)
    await close()
  }
}
