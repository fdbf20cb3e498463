import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Request } from '../http/request.ts'
import { listen, routes, transportTo } from '../http/testing/servers.ts'
import { curlLine } from '../verdict/shell-lines.ts'
import { has, runInBash } from '../verdict/testing/run-in-bash.ts'

/** The request as it arrived. */
interface Arrived {
  readonly method: string | undefined
  readonly type: string | undefined
  readonly length: string | undefined
  readonly expects: string | undefined
  readonly body: string
}

/** Listens until the test ends, and reports the requests that arrive. */
async function arriving(): Promise<{ readonly baseUrl: string; readonly arrived: readonly Arrived[] }> {
  const arrived: Arrived[] = []
  const note = async (request: IncomingMessage): Promise<void> => {
    const { method, headers } = request
    const body = await text(request)
    const { 'content-type': type, 'content-length': length, expect: expects } = headers
    arrived.push({ method, type, length, expects, body })
  }
  const server = createServer((request, response) => {
    void note(request).then(() => response.end('{}'))
  })
  onTestFinished(() => void server.close())
  return { baseUrl: `http://127.0.0.1:${await listen(server)}`, arrived }
}

const long = JSON.stringify({ holder: 'é𝄞'.repeat(5_000) })
const bodies = [
  '{"limit":500}',
  '',
  String.raw`{"holder":"O'Brien \"!$HOME\" \\n","é":["𝄞"]}`,
  'null',
  long,
  '@/etc/hosts',
]

function posting(body: string): Request {
  const fields = [{ name: 'content-type', value: 'application/json' }]
  return { method: 'POST', target: '/api/cards', fields, body }
}

function asSent(body: string): Arrived {
  const length = String(Buffer.byteLength(body))
  return { method: 'POST', type: 'application/json', length, expects: undefined, body }
}

describe.each(routes)('over %s', (_, added) => {
  test('a body arrives unchanged, with its type and its length in bytes', async () => {
    const { baseUrl, arrived } = await arriving()
    const transport = transportTo(baseUrl)
    for (const body of bodies) {
      const { response } = await transport.send({ ...posting(body), ...added })
      expect(response.status).toBe(200)
    }

    expect(arrived).toEqual(bodies.map(asSent))
  })
})

test.skipIf(!has('curl'))('curl sends the same bytes', async () => {
  const { baseUrl, arrived } = await arriving()
  const lines = bodies.map((body) => curlLine(posting(body), { baseUrl }) ?? 'curl cannot say it')
  const { stderr } = await runInBash(lines)

  expect(stderr).toBe('')
  expect(arrived).toEqual(bodies.map(asSent))
})

test('an explicit content-length is refused, because it might be wrong', async () => {
  const transport = transportTo('http://127.0.0.1:9')
  const fields = [{ name: 'content-length', value: '1' }]

  await expect(transport.send({ method: 'POST', target: '/', fields, body: '{}' })).rejects.toThrow(
    'only the transport sets the length of its body',
  )
})
