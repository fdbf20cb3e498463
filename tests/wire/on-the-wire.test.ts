import type { Socket } from 'node:net'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import type { CaseClass, GeneratorInput } from '../../lib/fuzz/case-class.ts'
import { caseClasses } from '../../lib/fuzz/case-classes.ts'
import { valueOf, type Request } from '../../lib/http/request.ts'
import { openRawServer, type RawAnswerer } from '../../lib/http/testing/raw-server.ts'
import { openTransport } from '../../lib/http/transport.ts'
import { area, rule } from '../../lib/run/plan/cases.ts'
import { fuzzed, propertyOf } from '../../lib/run/plan/fuzz.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import { judge } from '../../lib/run/run.ts'
import { ruleIds } from '../../lib/specification/rules.ts'
import { combinations } from '../../suites/cases/combinations.ts'
import { casesOf, classesOf, contextWith, fuzzRules } from '../support/fuzz-contexts.ts'

/** Path below the origin of the capturing server. */
const prefix = '/gateway/v%31'

const settings = {
  TARGET_BASE_URL: `https://staging.example${prefix}`,
  TARGET_API_KEY: 'Ak7-vXq2Rb84TzNe',
  TARGET_SECRET_KEY: 'sQ5.pGt1Jf08WuMi',
  TARGET_QUERY: 'page=1&to=3',
  FIXTURE_SECOND_API_KEY: 'Zm3-kLw9Yc56HsUd',
  FIXTURE_SECOND_SECRET_KEY: 'hD2.xBn6Va47OeKy',
} as const

/** A server that records what arrives without interpreting it: the heads, as characters up to U+00FF, and the number of all bytes. */
type Capture = Awaited<ReturnType<typeof capture>>

/** Starts a server that answers each head with `answer`. */
async function capture(answer: (bytes: string) => string) {
  const requests: { readonly bytes: string; readonly connection: Socket }[] = []
  let arrived = 0
  const onConnection = (socket: Socket): void =>
    void socket.on('data', (piece) => {
      arrived += piece.length
    })
  const answerer: RawAnswerer = (connection, bytes) => {
    requests.push({ bytes, connection })
    connection.write(answer(bytes))
  }
  const { port, close } = await openRawServer(answerer, { onConnection })
  const transport = openTransport({
    baseUrl: `http://127.0.0.1:${port}${prefix}/`,
    timeoutMs: 5_000,
    connections: 4,
    ca: null,
    httpsProxy: null,
    noProxy: null,
  })
  return { port, requests, arrived: () => arrived, transport, close: () => transport.close().then(close) }
}

/** A whole answer with a JSON body. */
function answerOf(status: number, body: unknown): string {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}`
  return `${head}\r\n\r\n${text}`
}

/** The documented answer for an unknown path. */
const unknownEndpoint = answerOf(400, { error_code: '1010', error_message: 'no such endpoint' })

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
async function sendAll(): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const send = async (of: string, name: string, { request }: TestRequest): Promise<void> => {
    const before = server.requests.length
    await server.transport.send(request)
    const [captured, ...more] = server.requests.slice(before)
    if (captured === undefined || more.length > 0) throw new Error(`${of} ${name} is not one request`)
    sent.push({ of, name, difference: differenceFrom(request, captured.bytes, `127.0.0.1:${server.port}`) })
  }
  for (const id of fuzzRules) {
    const made = { rule: id, context, endpoint: context.list }
    for (const caseClass of classesOf(made)) {
      const of = `${id} ${caseClass.name}`
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
function differenceFrom(request: Request, bytes: string, host: string): string | null {
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

const context = await contextWith(settings)
const classes = fuzzRules.flatMap((id) =>
  classesOf({ rule: id, context, endpoint: context.list }).map(({ name, count, weight }) => ({
    of: `${id} ${name}`,
    // Classes that every run sends may have a single case.
    least: Math.max(count ?? 0, weight === 0 ? 1 : 6),
  })),
)

let server: Capture
let sent: readonly Sent[]
beforeAll(async () => {
  server = await capture(() => unknownEndpoint)
  sent = await sendAll()
  return server.close
})

it('the requests of every class of every rule arrive byte for byte as written for all rules that generate cases', () => {
  expect(fuzzRules).toEqual(Object.keys(caseClasses))
})

it.each([...classes, { of: 'combinations', least: 64 }])(
  'the requests of every class of every rule arrive byte for byte as written $of',
  ({ of, least }) => {
    const those = sent.filter((one) => one.of === of)

    expect(those.filter(({ difference }) => difference !== null)).toEqual([])
    expect(new Set(those.map(({ name }) => name)).size).toBeGreaterThanOrEqual(least)
  },
)

it('the requests of every class of every rule arrive byte for byte as written as one request each, with nothing after its head', () => {
  const bytes = server.requests.reduce((sum, request) => sum + request.bytes.length, 0)

  expect(server.requests).toHaveLength(sent.length)
  expect(server.arrived()).toBe(bytes)
})

it('a run sends each request to an unknown path on its own connection', async () => {
  const isBelowUnknown = (bytes: string): boolean => bytes.startsWith(`GET ${prefix}/api/zz`)
  const { requests, transport, close } = await capture((bytes) =>
    isBelowUnknown(bytes) ? unknownEndpoint : answerOf(200, {}),
  )
  onTestFinished(close)
  const own = await contextWith({ ...settings, RUN_FUZZ_CASES: '40' })
  const id = 'fuzz/headers'
  const others = ruleIds.filter((one) => one !== id).map((one) => rule(one, () => []))
  const all = area('Alone', [fuzzed(id, thoseAlone), ...others])
  const { verdict } = await judge(own.settings, [all], { transport })
  const property = propertyOf('fuzz/headers', thoseAlone, own)
  if ('untested' in property) throw new Error(property.untested)
  const alone = requests.filter(({ bytes }) => isBelowUnknown(bytes))
  const besideTwins = [...property.cases()].filter(({ pair }) => pair !== undefined)

  expect(verdict.rules.find((one) => one.id === id)).toMatchObject({ because: null, findings: [] })
  expect(besideTwins.length).toBeGreaterThan(2)
  expect(alone).toHaveLength(40 + besideTwins.length)
  const connections = requests.map(({ connection }) => connection)
  const isShared = (one: Socket): boolean => connections.indexOf(one) < connections.lastIndexOf(one)
  expect(alone.filter(({ connection }) => isShared(connection))).toEqual([])
})

/** Classes that promise their own connection, for the pool and the raw socket. */
function thoseAlone(input: GeneratorInput): readonly CaseClass[] {
  return fuzzRules
    .flatMap((id) => caseClasses[id](input))
    .filter(({ name }) => ['oversized', 'large-query', 'hop-by-hop', 'line-break'].includes(name))
}
