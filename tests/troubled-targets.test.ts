import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { describe } from 'vitest'
import { seededNumber } from '../lib/generate/seeded.ts'
import { expectConformant, expectIncomplete, expectNobodyBlamed, run, test } from './support/program-test.ts'
import { rulesThat, settingsFor } from './support/program.ts'

/** One request at a time: which ones meet trouble follows from the seed alone then. */
const inTurn = { RUN_CONCURRENCY: '1' }

type Intervene = (request: IncomingMessage, response: ServerResponse) => boolean

/** What may be met in the place of an answer. */
const troubles = {
  'a closed connection': (response) => void response.socket?.resetAndDestroy(),
  '503': (response) => void response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>503</h1>'),
} as const satisfies Readonly<Record<string, (response: ServerResponse) => void>>

/** This share of requests, in percent, meets trouble: which ones follows from the seed. */
function often(percent: number, kind: keyof typeof troubles, seed: number): Intervene {
  let arrived = 0
  return (_, response) => {
    arrived += 1
    if (seededNumber(seed, `${arrived}`, 100) >= percent) return false
    troubles[kind](response)
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
    troubles['a closed connection'](response)
    return true
  }
}

describe.concurrent('a service that often does not answer is not judged, and soon:', () => {
  test.for([
    ['every second connection is dropped', everySecondConnection()],
    ['half of all requests meet 503', often(50, '503', 1)],
    ['half of all requests meet a closed connection', often(50, 'a closed connection', 2)],
    ['a third of all requests meets a closed connection', often(34, 'a closed connection', 3)],
    ['a third of all requests meets a closed connection, otherwise', often(34, 'a closed connection', 4)],
  ] as const)('%s', async ([, intervene], { reference, expect }) => {
    const service = await reference({ intervene })

    const result = await run([], { env: settingsFor(service) })

    expectIncomplete(expect, result, ['the service is in trouble', 'plain valid requests got no answer'])
    expect(service.requests()).toBeLessThan(200)
  })
})

describe.concurrent('nobody is blamed for trouble that plain requests meet, too:', () => {
  test.for([
    [25, 5],
    [25, 6],
    [30, 7],
  ] as const)('%i percent of closed connections, seed %i', async ([percent, seed], { reference, expect }) => {
    const service = await reference({ intervene: often(percent, 'a closed connection', seed) })

    const result = await run([], { env: { ...settingsFor(service), ...inTurn } })

    expectNobodyBlamed(expect, result)
    expect(result.stdout).toMatch(/\((?:1[5-9]|2\d|3\d) %\) got no\s+answer/)
  })
})

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

describe.concurrent('nobody is blamed for not being hurried:', () => {
  test.for([
    ['ten requests a second, with Retry-After', 10, { 'retry-after': '1' }],
    ['fifteen requests a second, without Retry-After', 15, {}],
  ] as const)('%s', async ([, perSecond, headers], { reference, expect }) => {
    const service = await reference({ intervene: limited(perSecond, headers) })

    // A whole run would take a minute.
    const result = await run(['--strict', '--only', 'conventions/*,versioning/*'], {
      env: settingsFor(service),
    })

    expectNobodyBlamed(expect, result)
  })
})

describe.concurrent('retries are told by kind', () => {
  test.for([3, 9] as const)(
    'where %i percent of requests met trouble',
    async (percent, { reference, expect }) => {
      const service = await reference({ intervene: often(percent, 'a closed connection', 8) })

      const result = await run([], { env: { ...settingsFor(service), ...inTurn } })

      expectConformant(expect, result)
      const { sent = 0, retriedFor = {} } = result.verdict?.requests ?? {}
      const closed = retriedFor['closed connection'] ?? 0
      expect(closed / sent).toBeGreaterThan(0.01)
      const share = Math.floor((closed / sent) * 100)
      const says = `${closed} of ${sent} requests (${share} %) got no answer of the service: ${closed} × closed connection`
      expect(result.stdout.replaceAll(/\s+/g, ' ')).toContain(says)
    },
  )
})

test('a request that is never answered is blamed amid little trouble', async ({ reference, expect }) => {
  const little = often(4, 'a closed connection', 9)
  const service = await reference({
    intervene: (request, response) => {
      if (request.headers['x-secret-key'] !== undefined || request.headers['x-api-key'] === undefined)
        return little(request, response)
      troubles['a closed connection'](response)
      return true
    },
  })

  const result = await run([], { env: { ...settingsFor(service), ...inTurn } })

  expect(rulesThat(result.verdict, 'failed')).toContain('authentication/secret-key-missing')
  expect(rulesThat(result.verdict, 'failed')).not.toContain('authentication/api-key-missing')
  expect(result.code).toBe(1)
})
