import { newmanFails } from '../bench/peers/newman.ts'
import { pactumFails } from '../bench/peers/pactum.ts'
import type { Outcome, Service } from './service.ts'

/** What one who looks at a service came to. */
export interface Sought {
  /** Found of a fault; of a conformant service blamed. */
  readonly red: boolean
  readonly requests: number
}

/** Who looks at each service. */
export type Seeker = 'gate' | 'essential' | 'newman' | 'pactum'

/** What all of them came to. */
export type SoughtBy = Readonly<Record<Seeker, Sought>>

/** As long as the suite waits for an answer, in milliseconds. */
const patienceMs = 10_000
/** A body that drips for ever passes the time limits of newman and pactum: then the service is closed, which they report. */
const longestMs = 60_000

/** What a run of the suite came to. */
export function soughtByRun({ of, result, noticed, requests }: Outcome): Sought {
  return { red: of === 'variants' ? result === 'blamed' : noticed, requests }
}

/** Sends the thirty requests of each peer to the service, over sockets. */
export async function soughtByPeers(service: Service): Promise<Pick<SoughtBy, 'newman' | 'pactum'>> {
  return {
    newman: await lookedAt(service, newmanFails),
    pactum: await lookedAt(service, pactumFails),
  }
}

async function lookedAt({ name, start }: Service, fails: typeof newmanFails): Promise<Sought> {
  const { env, handler, close } = await start(null)
  if (handler === undefined) throw new Error(`${name} counts no requests`)
  const timer = setTimeout(() => void close(), longestMs)
  try {
    const red = await fails(env, Number(env['RUN_TIMEOUT_MS'] ?? patienceMs))
    return { red, requests: handler.requests() }
  } finally {
    clearTimeout(timer)
    await close()
  }
}
