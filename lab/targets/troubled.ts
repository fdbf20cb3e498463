import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { seededNumber } from '../../lib/fuzz/seeded.ts'
import type { Started } from '../judge/service.ts'
import { onReference } from './serving.ts'
import { easilyMisread, type ProofTarget } from './target.ts'

/** One request at a time, so that the seed alone decides which ones fail. */
const inTurn = { RUN_CONCURRENCY: '1', RUN_SEED: '1' }

type Intervene = (request: IncomingMessage, response: ServerResponse) => boolean

function closed(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}

function unavailable(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>503</h1>')
}

/** Percentage of requests that fail. The seed decides which ones. */
function often(percent: number, seed: number, trouble = closed): Intervene {
  let arrived = 0
  return (_, response) => {
    arrived += 1
    if (seededNumber(seed, `${arrived}`, 100) >= percent) return false
    trouble(response)
    return true
  }
}

/** Every second connection is closed at its first request. The others serve one request each. */
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

/** Answers 429 to requests beyond a number per second. */
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

/** Little trouble, except that requests with an API key and without a secret are never answered. */
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

const tooOften = {
  exit: 3,
  says: ['the service is in trouble', 'plain valid requests got no answer'],
  also: { requests: 200 },
} as const
const told = { exit: 0, says: [' %) had to be sent again'], also: { mayBeIncomplete: true } } as const
const toldByKind = { exit: 0, says: [' %) had to be sent again: ', ' × closed connection'] } as const
const notHurried = { exit: 0, also: { mayBeIncomplete: true } } as const
// A whole run would take a minute.
const aPart = { RUN_CONCURRENCY: '8', RUN_STRICT: 'true', RUN_ONLY: 'conventions/*,versioning/*' }
const closing = (percent: number, seed: number) => bent(() => often(percent, seed))

/** Services that often fail to answer: too often to be judged, or rarely enough. */
export const troubled: readonly ProofTarget[] = easilyMisread({
  'every-second-connection-dropped': [
    'Every second connection is closed.',
    bent(everySecondConnection),
    tooOften,
  ],
  'half-unavailable': ['Half of all requests meet 503.', bent(() => often(50, 1, unavailable)), tooOften],
  'half-closed': ['Half of all requests meet a closed connection.', closing(50, 2), tooOften],
  'third-closed': ['So does a third.', closing(34, 3), tooOften],
  'another-third-closed': ['So does another third.', closing(34, 4), tooOften],
  'quarter-closed': ['So does a quarter.', closing(25, 5), told],
  'another-quarter-closed': ['So does another quarter.', closing(25, 6), told],
  'three-tenths-closed': ['So do three in ten.', closing(30, 7), told],
  'nine-percent-closed': ['So do nine in a hundred.', closing(9, 8), toldByKind],
  'three-percent-closed': ['So do three in a hundred.', closing(3, 8), toldByKind],
  'ten-a-second': [
    'Beyond ten requests a second it says when to ask again.',
    bent(() => limited(10, { 'retry-after': '1' }), aPart),
    notHurried,
  ],
  'fifteen-a-second': [
    'Beyond fifteen requests a second it does not.',
    bent(() => limited(15, {}), aPart),
    notHurried,
  ],
  'secretless-never-answered': [
    'Little trouble, and no answer without a secret.',
    bent(neverWithoutSecret),
    { exit: 1, rules: ['authentication/secret-key-missing'] },
  ],
})
