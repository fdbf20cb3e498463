import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import { usualOrder, type Check, uuidClients } from './conformant/checks.ts'
import type { ConformantService, Manner } from './conformant/service.ts'
import { expectConformant, run, test, expectNobodyBlamed } from './support/program-test.ts'
import { settingsFor } from './support/program.ts'

/** What is conformant in strict is so in gate, which asks the same and lets more pass. */
const strictly = ['--strict'] as const

const first = (...checks: readonly Check[]): readonly Check[] => [
  ...checks,
  ...usualOrder.filter((check) => !checks.includes(check)),
]

/** What a service reads and what it writes have little to do with each other, so that one run tries one of both. */
const manners: Readonly<Record<string, Partial<Manner>>> = {
  'the usual manner': {},
  'the version looked at before the key; gzip that nobody asked for': {
    order: first('version is there', 'endpoint is in version'),
    delivery: 'gzip',
  },
  'the endpoint looked at after the client; chunks of seven characters': {
    order: first('key is there', 'key is known', 'secret is there', 'secret fits', 'customer exists'),
    delivery: 'chunked',
  },
  'the endpoint looked at before the headers; HTTP/1.0, ended by closing': {
    order: first('endpoint is in version', 'version is there', 'secret is there'),
    blank: 'invalid',
    delivery: 'http-1.0',
  },
  'the secret looked at before the key; a connection for every answer': {
    order: first('secret is there', 'secret fits', 'key is there'),
    headers: { connection: 'close' },
  },
  'the quota looked at before the version; connections kept for 5 ms': {
    order: first('key is there', 'key is known', 'secret is there', 'secret fits', 'quota is left'),
    keepAliveTimeout: 5,
  },
  'input looked at first; error messages that are empty': {
    order: first('input is valid'),
    messageOf: () => '',
  },
  'blank headers called invalid; error messages of 100,000 characters': {
    blank: 'invalid',
    messageOf: (code) => `${code} `.repeat(20_000),
  },
  'key and secret looked up as a pair; error messages in many scripts': {
    looksUp: 'the pair',
    order: first('key is there', 'secret is there', 'secret fits', 'key is known'),
    messageOf: () => 'ключ 不正 🔑 \u202e\u0000 "\\',
  },
  'odd versions served; properties added at every level': {
    versionOf: (text) => String(Number(text)),
    beside: { error: { code: 'E', details: [{ error_code: 7 }] }, trace: null, status: 400 },
    success: { error_code: null, error_message: null, data: [{ error: { error_code: '1006' } }] },
  },
  'unknown parameters refused; pretty-printed JSON between empty lines': {
    unknownParameters: 'refused',
    print: (value) => `\r\n${JSON.stringify(value, null, '\t')}\r\n`,
  },
  'UUIDs in any letter case; application/problem+json': {
    clients: uuidClients,
    letterCase: 'does not matter',
    contentType: 'application/problem+json; charset=UTF-8',
  },
  '201 and an empty list as success; Application/JSON': {
    successStatus: 201,
    success: [],
    contentType: 'Application/JSON ; Charset="utf-8"',
  },
  'null as success; many headers and cookies': {
    success: null,
    headers: {
      'set-cookie': ['a=1; Path=/; HttpOnly', 'b=2; Secure', 'c=%00'],
      'strict-transport-security': 'max-age=63072000',
      'x-request-id': '0'.repeat(500),
      'x-empty': '',
      vary: 'accept-encoding, x-version',
      'cache-control': 'private, max-age=60',
      etag: '"1"',
    },
  },
  'a number as success; a path prefix': { success: 0, prefix: '/gateway/staging%20eu' },
}

describe.concurrent('conformant in its own way:', () => {
  for (const [manner, chosen] of Object.entries(manners)) {
    test(manner, async ({ conformant, expect }) => {
      const service = await conformant(chosen)

      const result = await run(strictly, { env: service.settings })

      expectConformant(expect, result)
      expect(result.verdict?.requests.sent).toBe(service.requests())
    })
  }

  test('a path prefix and a slash at its end', async ({ conformant, expect }) => {
    const service = await conformant({ prefix: '/v2' })

    const result = await run(strictly, {
      env: { ...service.settings, TARGET_BASE_URL: `${service.baseUrl}/` },
    })

    expectConformant(expect, result)
  })

  test('version 2 and no other', async ({ conformant, expect }) => {
    const service = await conformant({ version: '2' })

    const result = await run(strictly, { env: { ...service.settings, TARGET_VERSION: '2' } })

    expectConformant(expect, result, ['versioning/default-version'])
  })

  test('UUIDs in another letter case are written down, not judged', async ({ conformant, expect }) => {
    const service = await conformant({ clients: uuidClients, letterCase: 'does not matter' })

    const { verdict } = await run(['--only', 'authentication/*-invalid'], { env: service.settings })

    expect(verdict).toMatchObject({ verdict: 'conformant' })
    expect(verdict?.observations).toContainEqual({ id: 'letter-case-of-x-api-key', value: 'accepted' })
    expect(verdict?.observations).toContainEqual({ id: 'letter-case-of-x-secret-key', value: 'accepted' })
  })

  test('a list of 3 MiB, of which little is kept', async ({ conformant, expect }) => {
    const success = Array.from({ length: 30_000 }, (_, ref) => ({ ref, name: 'Evening '.repeat(10) }))
    const service = await conformant({ success })

    const result = await run(strictly, {
      env: { ...service.settings, NODE_OPTIONS: '--max-old-space-size=150' },
    })

    expectConformant(expect, result)
  })

  test('the reference service, 100 ms away', async ({ reference, expect }) => {
    const service = await reference({ latencyMs: 100 })

    const result = await run(strictly, { env: settingsFor(service) })

    expectConformant(expect, result)
  })
})

/** Answers in the place of the service. */
function answered(response: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): true {
  response.writeHead(status, headers).end()
  return true
}

const gateways: Readonly<Record<string, Manner['before']>> = {
  'redirects a slash at the end': ({ url = '' }, response) =>
    /\/(?:\?|$)/.test(url) && answered(response, 308, { location: url.replace(/\/(?=\?|$)/, '') }),
  'does not know HEAD': ({ method }, response) =>
    method === 'HEAD' && answered(response, 405, { allow: 'GET' }),
  'refuses doubled slashes, cookies and authorization with a bare 400': ({ url = '', headers }, response) =>
    (url.includes('//') || headers.cookie !== undefined || headers.authorization !== undefined) &&
    answered(response, 400),
}

describe.concurrent('conformant behind a gateway that', () => {
  for (const [does, before] of Object.entries(gateways)) {
    test(does, async ({ conformant, expect }) => {
      const service = await conformant({ before })

      expectConformant(expect, await run(strictly, { env: service.settings }))
    })
  }
})

/** True once in fifty times, always the same ones. */
function rarely(seed: number): () => boolean {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647 < 0.02
  }
}

function restarting(status: number, from: number): Manner['before'] {
  let until: number | null = null
  return (_, response, count) => {
    if (count === from) until = performance.now() + 2_000
    if (until === null || performance.now() > until) return false
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>restarting</h1>')
    return true
  }
}

function troubled(): Readonly<Record<string, Partial<Manner>>> {
  const [isReset, isClosed] = [rarely(7), rarely(11)]
  return {
    '502 for two seconds from request 50 on': { before: restarting(502, 50) },
    '503 for two seconds from request 100 on': { before: restarting(503, 100) },
    'one connection of fifty is reset': {
      headers: { connection: 'close' },
      onConnection: (socket) => {
        if (isReset()) socket.resetAndDestroy()
      },
    },
    'one request of fifty is answered by closing': {
      before: ({ socket }) => {
        if (!isClosed()) return false
        socket.resetAndDestroy()
        return true
      },
    },
  }
}

describe.concurrent('conformant in between:', () => {
  for (const [trouble, chosen] of Object.entries(troubled())) {
    test(trouble, async ({ conformant, expect }) => {
      const service = await conformant(chosen)

      expectConformant(expect, await run(strictly, { env: service.settings }))
    })
  }

  test('nobody listens for 1.5 s from request 100 on', async ({ conformant, expect }) => {
    const service: ConformantService = await conformant({
      before: async (_, __, count) => {
        if (count !== 100) return false
        service.down()
        await sleep(1_500)
        service.up()
        return true
      },
    })

    expectConformant(expect, await run(strictly, { env: service.settings }))
  })
})

function limited(perSecond: number, headers: OutgoingHttpHeaders): Manner['before'] {
  let [second, taken] = [0, 0]
  return (_, response) => {
    const now = Math.floor(performance.now() / 1_000)
    taken = now === second ? taken + 1 : 1
    second = now
    return taken > perSecond && answered(response, 429, headers)
  }
}

describe.concurrent('conformant, and not to be hurried:', () => {
  test.for([
    ['ten requests a second, with Retry-After', 10, { 'retry-after': '1' }],
    ['fifteen requests a second, without Retry-After', 15, {}],
  ] as const)('%s', async ([, perSecond, headers], { conformant, expect }) => {
    const service = await conformant({ before: limited(perSecond, headers) })

    // A whole run would take a minute.
    const result = await run(['--strict', '--only', 'conventions/*,versioning/*'], { env: service.settings })

    expectNobodyBlamed(expect, result)
  })
})
