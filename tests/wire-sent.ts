import { openTransport, type Transport } from '../lib/http/transport.ts'
import type { TestRequest } from '../lib/engine/test-request.ts'
import { combinations } from '../suites/cases/combinations.ts'
import type { SuiteContext } from '../lib/engine/suite-context.ts'
import { casesOf, fuzzRules, classesOf } from './fuzz-contexts.ts'
import { capture, unknownEndpoint, type Capture, type Captured } from './wire-capture.ts'
import { prefix } from './wire-class.ts'
import { differenceFrom } from './wire-expected.ts'
import { seenIn, type Seen } from './wire-seen.ts'

/** A case, and what arrived of it. */
export interface Sent {
  /** Its rule and its kind. */
  readonly kind: string
  readonly name: string
  readonly stimulus: TestRequest
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
          const about = { kind: `${rule} ${kind.name}`, name: one.name, alone: one.alone }
          const before = one.before === null ? null : await send(one.before, about)
          if (before !== null) sent.push(before)
          sent.push(await send(one.request, about, before?.seen ?? null))
        }
      }
    }
    for (const { name, request } of combinations(context)) {
      sent.push(await send(request, { kind: 'authentication/no-bypass', name, alone: false }))
    }
  } finally {
    await transport.close()
    server.close()
  }
  return { sent, connections: server.requests.map(({ connection }) => connection), rests: server.rests() }

  async function send(
    stimulus: TestRequest,
    about: Pick<Sent, 'kind' | 'name' | 'alone'>,
    before: Seen | null = null,
  ): Promise<Sent> {
    const { bytes, connection } = await arrivalOf(stimulus, about)
    const place = { host: `127.0.0.1:${server.port}`, prefix }
    return {
      ...about,
      stimulus,
      connection,
      seen: seenIn(bytes, prefix, before),
      difference: differenceFrom(stimulus.request, bytes, place),
    }
  }

  async function arrivalOf(
    { request }: TestRequest,
    { alone, name, kind }: Pick<Sent, 'kind' | 'name' | 'alone'>,
  ): Promise<Captured> {
    const arrived = server.requests.length
    const own = alone ? transport.connection() : null
    await (own ?? transport).send(request)
    await own?.close()
    const [captured, ...more] = server.requests.slice(arrived)
    if (captured === undefined || more.length > 0) throw new Error(`${kind} ${name} is not one request`)
    return captured
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
