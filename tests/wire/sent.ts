import { createServer, type Socket } from 'node:net'
import { openTransport, type Transport } from '../../lib/http/transport.ts'
import type { TestRequest } from '../../lib/engine/plan/test-request.ts'
import { combinations } from '../../suites/cases/combinations.ts'
import type { SuiteContext } from '../../lib/engine/plan/suite-context.ts'
import { casesOf, fuzzRules, classesOf } from '../support/fuzz-contexts.ts'
import { prefix, seenIn, type Seen } from './classes.ts'
import { listen } from '../../lib/http/testing/servers.ts'
import { valueOf, type Request } from '../../lib/http/request.ts'

/** A case, and what arrived of it. */
export interface Sent {
  /** Its rule and its kind. */
  readonly kind: string
  readonly name: string
  readonly request: TestRequest
  /** Whether a connection of its own is promised. */
  readonly alone: boolean
  readonly seen: Seen
  /** How the bytes differ from what was meant, or null. */
  readonly difference: string | null
  readonly connection: number
}

/** All that was sent, and what the server says of its connections. */
export interface AllSent {
  readonly sent: readonly Sent[]
  readonly connections: readonly number[]
  readonly rests: readonly string[]
}

/** Of kinds without a list of cases, or with a short one whose cases draw what is incidental to them. */
const fewest = 24

/** Sends the first cases of every kind, and the 64 combinations, through the real transport, one after the other. */
export async function sendAll(context: SuiteContext): Promise<AllSent> {
  const server = await capture(() => unknownEndpoint)
  const transport = transportTo(server)
  const sent: Sent[] = []
  try {
    for (const rule of fuzzRules) {
      const made = { rule, context, endpoint: context.list }
      for (const kind of classesOf(made)) {
        for (const one of casesOf(kind, Math.max(kind.count ?? 0, fewest), made)) {
          const { name, alone, request } = one
          const about = { kind: `${rule} ${kind.name}`, name, alone }
          const before = one.before === null ? null : await send({ ...about, request: one.before })
          if (before !== null) sent.push(before)
          sent.push(await send({ ...about, request }, before?.seen))
        }
      }
    }
    for (const { name, request } of combinations(context)) {
      sent.push(await send({ kind: 'authentication/no-bypass', name, request, alone: false }))
    }
  } finally {
    await transport.close()
    server.close()
  }
  return { sent, connections: server.requests.map(({ connection }) => connection), rests: server.rests() }

  async function send(
    about: Pick<Sent, 'kind' | 'name' | 'request' | 'alone'>,
    before: Seen | null = null,
  ): Promise<Sent> {
    const { request } = about.request
    const arrived = server.requests.length
    const own = about.alone ? transport.connection() : null
    await (own ?? transport).send(request)
    await own?.close()
    const [captured, ...more] = server.requests.slice(arrived)
    if (captured === undefined || more.length > 0) {
      throw new Error(`${about.kind} ${about.name} is not one request`)
    }
    const { bytes, connection } = captured
    const difference = differenceFrom(request, bytes, `127.0.0.1:${server.port}`)
    return { ...about, connection, seen: seenIn(bytes, before), difference }
  }
}

/** A transport to a capturing server. */
export function transportTo({ port }: Capture): Transport {
  return openTransport({
    baseUrl: `http://127.0.0.1:${port}${prefix}/`,
    timeoutMs: 5_000,
    connections: 4,
    ca: null,
    httpsProxy: null,
    noProxy: null,
  })
}

/** What arrived as one request: every byte, as a character up to U+00FF, and on which connection. */
interface Captured {
  readonly bytes: string
  /** Connections are numbered from 0. */
  readonly connection: number
}

/** A server that reads nothing into what arrives. */
interface Capture {
  readonly port: number
  /** In the order in which they arrived. */
  readonly requests: readonly Captured[]
  /** What arrived after the last request of a connection, of all connections that have such. */
  readonly rests: () => readonly string[]
  readonly close: () => void
}

const endOfHead = '\r\n\r\n'

/** Takes all that arrives up to an empty line, and what came with that, for a request, and answers it with `answer`. */
export async function capture(answer: (bytes: string) => string): Promise<Capture> {
  const requests: Captured[] = []
  const open = new Map<Socket, string>()
  let connections = 0
  const server = createServer((socket) => {
    const connection = connections
    connections += 1
    open.set(socket, '')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const bytes = (open.get(socket) ?? '') + chunk.toString('latin1')
      const isWhole = bytes.includes(endOfHead)
      open.set(socket, isWhole ? '' : bytes)
      if (!isWhole) return
      requests.push({ bytes, connection })
      socket.write(answer(bytes))
    })
  })
  const port = await listen(server)

  return {
    port,
    requests,
    rests: () => [...open.values()].filter((rest) => rest !== ''),
    close: () => {
      for (const socket of open.keys()) socket.destroy()
      server.close()
    },
  }
}

/** A whole answer with a JSON body. */
export function answerOf(status: number, body: unknown): string {
  const text = JSON.stringify(body)
  return [
    `HTTP/1.1 ${status} As Documented`,
    'content-type: application/json',
    `content-length: ${text.length}`,
    '',
    text,
  ].join('\r\n')
}

/** The documented answer for a path that no service has. */
export const unknownEndpoint = answerOf(400, { error_code: '1010', error_message: 'no such endpoint' })

/**
 * How the bytes of a request differ from what its model says, or null. Only `host` and `connection` may stand there besides,
 * each once, with the one value that they have: `keep-alive` on a pooled connection, `close` on the raw socket.
 */
export function differenceFrom(request: Request, bytes: string, host: string): string | null {
  const { method, target, fields, route } = request
  // On a pooled connection the client writes `connection: close` where it writes its own fields.
  const isOwn = (field: Request['fields'][number]): boolean =>
    route !== 'raw' && field.name.toLowerCase() === 'connection' && valueOf(field) === 'close'
  const given = fields.filter((field) => !isOwn(field))
  const isGiven = given.some(({ name }) => name.toLowerCase() === 'connection')
  const additions = [
    `host: ${host}\r\n`,
    ...(isGiven
      ? []
      : [
          route === 'raw' || given.length < fields.length
            ? 'connection: close\r\n'
            : 'connection: keep-alive\r\n',
        ]),
  ]
  let rest = bytes
  for (const line of additions) {
    const at = rest.indexOf(`\r\n${line}`)
    if (at === -1) return `lacks the line ${JSON.stringify(line)}`
    rest = rest.slice(0, at + 2) + rest.slice(at + 2 + line.length)
  }

  const lines = given.map((field) => `${field.name}: ${valueOf(field)}\r\n`)
  const expected = `${method} ${prefix}${target} HTTP/${request.form?.version ?? '1.1'}\r\n${lines.join('')}\r\n`
  if (rest === expected) return null
  const at = Array.from(rest).findIndex((one, index) => one !== expected[index])
  return `differs from byte ${at === -1 ? rest.length : at} on, of ${rest.length} where ${expected.length} are expected`
}
