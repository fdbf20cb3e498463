import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { targetOf } from '../../http/target-address.ts'
import { beginning, printable } from '../../text/printable.ts'
import { OpaqueStrings } from '../../drift/opaque-strings.ts'
import type { Secret } from '../../redact/secret.ts'
import { matchesGlob } from '../../settings/selection.ts'
import type { Changing } from './change-answer.ts'
import { changeLines } from './change-lines.ts'
import { CredentialsSeen } from './credentials-seen.ts'
import { originForm } from './fields.ts'
import { pass, type PassedOutcome } from './pass.ts'
import { TargetAgent, type ReachOptions } from './send-on.ts'

/** Options of a proxy. */
export interface ProxyOptions extends ReachOptions, Omit<Changing, 'strings'> {
  /** Names of properties whose strings are opaque; `*` stands for any characters. */
  readonly opaque: readonly string[]
  /** Credentials that no line of the log shows, besides those of requests. */
  readonly credentials: readonly Secret[]
  /** `http(s)://host[:port][/prefix]`. */
  readonly baseUrl: string
  readonly host: string
  /** 0 means any free port. */
  readonly port: number
  /** Maximum time for requests in flight at close, in milliseconds; a second if absent. */
  readonly graceMs?: number
  /** Logs a line for every request, and one for each change if changes are logged, without a line end. */
  readonly log: (line: string) => void
}

/** A running proxy. */
export interface Proxy {
  /** `http://host:port`. */
  readonly address: string
  /** Stops listening, and cuts every connection after a moment; resolves once all are closed. */
  close(): Promise<void>
}

/** Default maximum time for requests in flight at close, in milliseconds. */
const defaultGraceMs = 1_000

/** Starts a proxy without contacting the target. Throws Node's error if it cannot listen. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const agent = new TargetAgent(targetOf(options.baseUrl), options)
  const isOpaque = (name: string | null): boolean =>
    options.opaque.some((glob) => matchesGlob(glob, name ?? ''))
  const seen = new CredentialsSeen(options.credentials)
  const how = { ...options, seen, strings: new OpaqueStrings(options.seed, isOpaque) }
  const inFlight = new Set<Promise<void>>()
  let number = 0
  let proxy = ''
  const server = createServer({ keepAliveTimeout: 30_000, requestTimeout: 0, noDelay: true })
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    number += 1
    const passing = logged({ request, response, number, proxy }, agent, how)
    inFlight.add(passing)
    void passing.finally(() => inFlight.delete(passing))
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, handle)
  // Bytes limit them; a limit by number would drop fields.
  server.maxHeadersCount = 0

  try {
    server.listen(options.port, options.host)
    await once(server, 'listening')
  } catch (error) {
    await agent.close()
    throw error
  }
  const listening = server.address()
  if (listening === null || typeof listening === 'string') throw new Error('the proxy has no port')
  const host = listening.family === 'IPv6' ? `[${listening.address}]` : listening.address
  proxy = `http://${host}:${listening.port}`
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    server.closeIdleConnections()
    await Promise.race([
      Promise.allSettled(inFlight),
      pause(options.graceMs ?? defaultGraceMs, undefined, { ref: false }),
    ])
    server.closeAllConnections()
    await Promise.all([closed, agent.close()])
  }
  let closing: Promise<void> | null = null
  return { address: proxy, close: () => (closing ??= close()) }
}

async function logged(
  call: Parameters<typeof pass>[0],
  agent: TargetAgent,
  how: ProxyOptions & Changing & { readonly seen: CredentialsSeen },
): Promise<void> {
  if (how.logChanges) how.seen.note(call.request)
  const startedAt = new Date()
  const started = performance.now()
  const outcome = await pass(call, agent, how)
  const { method = '', url = '' } = call.request
  const durationMs = performance.now() - started
  how.log(logLine({ ...outcome, startedAt, number: call.number, method, target: url, durationMs }))
  const redact = (text: string): string => how.seen.redact(text)
  for (const line of changeLines(call.number, outcome.made ?? [], redact)) how.log(line)
}

/** A finished request. */
interface LoggedRequest extends PassedOutcome {
  readonly startedAt: Date
  readonly number: number
  readonly method: string
  /** As the client sent it. */
  readonly target: string
  readonly durationMs: number
}

/** Maximum length of a logged path, in characters. */
const longestPath = 200

/** Log line of a request: time, number, method, path, status, duration, changes; no fields and no query, which may hold credentials. */
export function logLine({
  startedAt,
  number,
  method,
  target,
  status,
  durationMs,
  says,
}: LoggedRequest): string {
  const path = printable(beginning(originForm(target).replace(/[?#].*$/s, ''), longestPath))
  const took = `${Math.round(durationMs)} ms`
  return `${startedAt.toISOString()} #${number} ${method} ${path} ${status ?? '-'} ${took}: ${printable(says)}`
}
