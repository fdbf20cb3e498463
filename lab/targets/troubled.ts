import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { seededNumber } from '../../lib/generate/seeded.ts'
import type { Started } from '../judge/service.ts'
import { onReference } from './serving.ts'
import type { ProofTarget } from './target.ts'

const common = { kind: 'easily misread', over: 'program', profiles: ['gate'], rules: [] } as const

/** One request at a time: which ones meet trouble follows from the seed alone then. */
const inTurn = { RUN_CONCURRENCY: '1', RUN_SEED: '1' }

type Intervene = (request: IncomingMessage, response: ServerResponse) => boolean

function closed(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}

function unavailable(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>503</h1>')
}

/** This share of requests, in percent, meets trouble: which ones follows from the seed. */
function often(percent: number, seed: number, trouble = closed): Intervene {
  let arrived = 0
  return (_, response) => {
    arrived += 1
    if (seededNumber(seed, `${arrived}`, 100) >= percent) return false
    trouble(response)
    return true
  }
}

/** Every second connection is closed at its first request; the others serve one request each. */
function everySecondConnection(): Intervene {
  let connections = 0
  return (_, response) => {
    connections += 1
    response.shouldKeepAlive = false
    if (connections % 2 === 1) return false
    closed(response)
    return true
  }
}

/** Answers 429 to what comes beyond so many requests in a second. */
function limited(perSecond: number, headers: OutgoingHttpHeaders): Intervene {
  let [second, taken] = [0, 0]
  return (_, response) => {
    const now = Math.floor(performance.now() / 1_000)
    taken = now === second ? taken + 1 : 1
    second = now
    if (taken > perSecond) response.writeHead(429, headers).end()
    return taken > perSecond
  }
}

/** Little trouble, but for requests with an API key and without a secret, which are never answered. */
function neverWithoutSecret(): Intervene {
  const little = often(4, 9)
  return (request, response) => {
    const { 'x-api-key': key, 'x-secret-key': secret } = request.headers
    if (secret !== undefined || key === undefined) return little(request, response)
    closed(response)
    return true
  }
}

function bent(intervene: () => Intervene, env = {}): () => Promise<Started> {
  return () => onReference({ intervene: intervene() }, { ...inTurn, ...env })
}

/** Services that often do not answer: too often to be judged, or seldom enough. */
export const troubled: readonly ProofTarget[] = [
  ...(
    [
      ['every-second-connection-dropped', everySecondConnection],
      ['half-unavailable', () => often(50, 1, unavailable)],
      ['half-closed', () => often(50, 2)],
      ['third-closed', () => often(34, 3)],
      ['another-third-closed', () => often(34, 4)],
    ] as const
  ).map(([name, intervene]) => ({
    ...common,
    name,
    about: 'Too many requests get no answer.',
    exit: 3 as const,
    says: ['the service is in trouble', 'plain valid requests got no answer'],
    also: { requests: 200 },
    start: bent(intervene),
  })),
  ...(
    [
      ['quarter-closed', 25, 5],
      ['another-quarter-closed', 25, 6],
      ['three-tenths-closed', 30, 7],
    ] as const
  ).map(([name, percent, seed]) => ({
    ...common,
    name,
    about: `${percent} percent of requests get no answer, plain ones as well as others.`,
    exit: 0 as const,
    says: [' %) got no answer'],
    also: { only: true, mayBeIncomplete: true } as const,
    start: bent(() => often(percent, seed)),
  })),
  ...(
    [
      ['ten-a-second', 10, { 'retry-after': '1' }],
      ['fifteen-a-second-without-retry-after', 15, {}],
    ] as const
  ).map(([name, perSecond, headers]) => ({
    ...common,
    name,
    about: `Beyond ${perSecond} requests a second it answers 429.`,
    exit: 0 as const,
    says: [],
    also: { only: true, mayBeIncomplete: true } as const,
    // A whole run would take a minute.
    start: bent(() => limited(perSecond, headers), {
      RUN_CONCURRENCY: '8',
      RUN_STRICT: 'true',
      RUN_ONLY: 'conventions/*,versioning/*',
    }),
  })),
  ...([3, 9] as const).map((percent) => ({
    ...common,
    name: `${percent}-percent-closed`,
    about: `${percent} percent of requests get no answer, which is told by kind.`,
    exit: 0 as const,
    says: ['requests (', ' %) got no answer of the service: ', ' × closed connection'],
    also: { only: true } as const,
    start: bent(() => often(percent, 8)),
  })),
  {
    ...common,
    name: 'secretless-never-answered',
    about: 'Little trouble, and requests without a secret are never answered.',
    exit: 1,
    rules: ['authentication/secret-key-missing'],
    says: ['authentication/secret-key-missing is violated'],
    start: bent(neverWithoutSecret),
  },
]
