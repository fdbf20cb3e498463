import { startChild } from '../measure/child.ts'

/** What the process of reference services is asked. */
export type ReferenceQuestion =
  | { readonly kind: 'start'; readonly latencyMs: number }
  | { readonly kind: 'stop'; readonly baseUrl: string }

/** What it answers. */
export type ReferenceAnswer =
  | { readonly kind: 'started'; readonly baseUrl: string; readonly env: Readonly<Record<string, string>> }
  | { readonly kind: 'stopped'; readonly requests: number; readonly firstAt: number | null }

/** What a service saw of a run. */
export interface Seen {
  readonly requests: number
  /** When the first request arrived, in milliseconds of the clock that all processes share. */
  readonly firstAt: number
}

/** A service that runs in that process. */
export interface Running {
  /** The settings of a run against it, with every fixture. */
  readonly env: Readonly<Record<string, string>>
  /** Throws where no request arrived. */
  readonly stop: () => Promise<Seen>
}

/** A process that serves the reference service: a fresh one for each run, so that quotas begin anew while the code stays warm. */
export interface ReferenceProcess {
  readonly start: (latencyMs?: number) => Promise<Running>
  /** Gives a fresh service to `work`, and says what it saw. */
  readonly during: <Result>(
    work: (env: Running['env']) => Promise<Result>,
    latencyMs?: number,
  ) => Promise<Result & Seen>
  readonly end: () => void
}

/** Starts that process. */
export function startReferenceProcess(): ReferenceProcess {
  const child = startChild<ReferenceQuestion, ReferenceAnswer>('services/reference-process')
  const start: ReferenceProcess['start'] = async (latencyMs = 0) => {
    const started = await child.ask({ kind: 'start', latencyMs })
    if (started.kind !== 'started') throw new Error(started.kind)
    const { env, baseUrl } = started
    return {
      env,
      stop: async () => {
        const stopped = await child.ask({ kind: 'stop', baseUrl })
        if (stopped.kind !== 'stopped' || stopped.firstAt === null) throw new Error('no request arrived')
        return { requests: stopped.requests, firstAt: stopped.firstAt }
      },
    }
  }
  return {
    start,
    during: async (work, latencyMs) => {
      const { env, stop } = await start(latencyMs)
      const result = await work(env)
      return { ...result, ...(await stop()) }
    },
    end: child.end,
  }
}

/** An endpoints file with so many endpoints besides the list, each of which the process serves. */
export function furtherEndpoints(count: number): string {
  const entries = Array.from({ length: count }, (_, index) => ({
    method: 'GET',
    path: `/api/bench/endpoint-${index + 1}`,
    invalidQuery: 'limit=abc',
  }))
  return JSON.stringify(entries)
}
