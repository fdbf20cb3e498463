import type { Socket } from 'node:net'
import { valueOf, type Request } from '../../lib/http/request.ts'
import { openRawServer } from '../../lib/http/testing/raw-server.ts'
import { openTransport, type Transport } from '../../lib/http/transport.ts'
import type { SuiteContext } from '../../lib/run/plan/suite-context.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import { combinations } from '../../suites/cases/combinations.ts'
import { casesOf, classesOf, fuzzRules } from '../support/fuzz-contexts.ts'

/** Path below the origin of the capturing server. */
export const prefix = '/gateway/v%31'

/** Settings whose values the tests look for in the bytes. */
export const key = 'Ak7-vXq2Rb84TzNe'
export const secret = 'sQ5.pGt1Jf08WuMi'
export const anothers = { key: 'Zm3-kLw9Yc56HsUd', secret: 'hD2.xBn6Va47OeKy' }
export const settings = {
  TARGET_BASE_URL: `https://staging.example${prefix}`,
  TARGET_API_KEY: key,
  TARGET_SECRET_KEY: secret,
  TARGET_QUERY: 'page=1&to=3',
  FIXTURE_SECOND_API_KEY: anothers.key,
  FIXTURE_SECOND_SECRET_KEY: anothers.secret,
} as const

/** A server that records what arrives without interpreting it. */
export interface Capture {
  readonly port: number
  /** The bytes of each head, as characters up to U+00FF, and its connection, in order of arrival. */
  readonly requests: readonly { readonly bytes: string; readonly connection: Socket }[]
  /** Number of bytes that arrived, in heads and after them. */
  readonly arrived: () => number
  readonly transport: Transport
  readonly close: () => Promise<void>
}

/** Starts a server that answers each head with `answer`. */
export async function capture(answer: (bytes: string) => string): Promise<Capture> {
  const requests: Capture['requests'][number][] = []
  let arrived = 0
  const { port, close } = await openRawServer(
    (connection, bytes) => {
      requests.push({ bytes, connection })
      connection.write(answer(bytes))
    },
    {
      onConnection: (socket) =>
        socket.on('data', (piece) => {
          arrived += piece.length
        }),
    },
  )
  const transport = openTransport({
    baseUrl: `http://127.0.0.1:${port}${prefix}/`,
    timeoutMs: 5_000,
    connections: 4,
    ca: null,
    httpsProxy: null,
    noProxy: null,
  })
  return {
    port,
    requests,
    arrived: () => arrived,
    transport,
    close: async () => {
      await transport.close()
      close()
    },
  }
}

/** A whole answer with a JSON body. */
export function answerOf(status: number, body: unknown): string {
  const text = JSON.stringify(body)
  const head = [`HTTP/1.1 ${status} OK`, 'content-type: application/json', `content-length: ${text.length}`]
  return [...head, '', text].join('\r\n')
}

/** The documented answer for an unknown path. */
export const unknownEndpoint = answerOf(400, { error_code: '1010', error_message: 'no such endpoint' })

/** A case, and the difference between its request and the bytes that arrived, or null. */
interface Sent {
  /** The rule and the class. */
  readonly of: string
  readonly name: string
  readonly difference: string | null
}

/** Minimum number of cases of a class. Short lists repeat, because their cases draw details at random. */
const fewest = 24

/** Sends the first cases of every class of every rule, and the 64 combinations, one after another. */
export async function sendAll(server: Capture, context: SuiteContext): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const send = async (of: string, name: string, { request }: TestRequest): Promise<void> => {
    const before = server.requests.length
    await server.transport.send(request)
    const [captured, ...more] = server.requests.slice(before)
    if (captured === undefined || more.length > 0) throw new Error(`${of} ${name} is not one request`)
    sent.push({ of, name, difference: differenceFrom(request, captured.bytes, `127.0.0.1:${server.port}`) })
  }
  for (const rule of fuzzRules) {
    const made = { rule, context, endpoint: context.list }
    for (const caseClass of classesOf(made)) {
      const of = `${rule} ${caseClass.name}`
      for (const one of casesOf(caseClass, Math.max(caseClass.count ?? 0, fewest), made)) {
        if (one.pair !== undefined) await send(of, one.name, one.pair.request)
        await send(of, one.name, one.request)
      }
    }
  }
  for (const { name, request } of combinations(context)) await send('combinations', name, request)
  return sent
}

/**
 * The difference between the bytes of a request and its model, or null. Only `host` and `connection` may be added, once each.
 * `connection` is `keep-alive` on a pooled connection and `close` on the raw socket.
 */
export function differenceFrom(request: Request, bytes: string, host: string): string | null {
  const { method, target, fields, route, form } = request
  const isConnection = ({ name }: Request['fields'][number]): boolean => name.toLowerCase() === 'connection'
  // On a pooled connection the client writes `connection: close` among its own fields.
  const given = fields.filter(
    (field) => route === 'raw' || !isConnection(field) || valueOf(field) !== 'close',
  )
  const closes = route === 'raw' || given.length < fields.length
  const ours = `connection: ${closes ? 'close' : 'keep-alive'}\r\n`
  let rest = bytes
  for (const line of [`host: ${host}\r\n`, ...(given.some(isConnection) ? [] : [ours])]) {
    const at = rest.indexOf(`\r\n${line}`)
    if (at === -1) return `lacks the line ${JSON.stringify(line)}`
    rest = rest.slice(0, at + 2) + rest.slice(at + 2 + line.length)
  }

  const lines = given.map((field) => `${field.name}: ${valueOf(field)}\r\n`)
  const expected = `${method} ${prefix}${target} HTTP/${form?.version ?? '1.1'}\r\n${lines.join('')}\r\n`
  return rest === expected ? null : `is ${JSON.stringify(rest)}, instead of ${JSON.stringify(expected)}`
}
