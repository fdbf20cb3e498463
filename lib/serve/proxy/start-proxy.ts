import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { otherStrings } from '../../drift/tolerated.ts'
import { targetOf } from '../../http/exchange.ts'
import { type ConnectorOptions, openConnector } from '../../http/transport.ts'
import { matchesGlob } from '../../specification/rules.ts'
import { beginning, printable } from '../../text/printable.ts'
import { closing, listening, originForm, originOf } from '../listening.ts'
import type { Changing } from './change-answer.ts'
import { changeLines } from './change-log.ts'
import { pass } from './pass.ts'

/** Options for a proxy. */
export type ProxyOptions = ConnectorOptions &
  Pick<Changing, 'changes' | 'seed'> &
  Readonly<{
    /** Names of properties whose strings are opaque; `*` matches any characters. */
    opaque: readonly string[]
    /** Whether to log each change. */
    logChanges: boolean
    host: string
    /** 0 means any free port. */
    port: number
    /** Logs a line for each request, and for each change if `logChanges` is set. Lines have no line ending. */
    log: (line: string) => void
  }>

/** A running proxy. */
export interface Proxy {
  /** `http://host:port`. */
  readonly address: string
  /** Stops listening and closes every connection; resolves once all are closed. */
  close(): Promise<void>
}

/** Maximum length of a logged path, in characters. */
const longestPath = 200

/** Starts a proxy without contacting the target. Throws Node's error if it cannot listen. */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { baseUrl, opaque, seed, logChanges, log } = options
  const target = targetOf(baseUrl)
  const connector = openConnector(options)
  const isOpaque = (name: string | null) => opaque.some((glob) => matchesGlob(glob, name ?? ''))
  const way = {
    ...options,
    target,
    connector,
    strings: otherStrings(seed, isOpaque),
  }
  let number = 0
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    number += 1
    const call = { ...way, request, response, number }
    const at = new Date()
    const started = performance.now()
    const { status, says, texts } = await pass(call)
    // Excludes the query and fields, which may contain credentials.
    const path = printable(beginning(originForm(request.url).replace(/[?#].*$/s, ''), longestPath))
    const took = `${Math.round(performance.now() - started)} ms`
    log(
      `${at.toISOString()} #${call.number} ${request.method ?? ''} ${path} ${status ?? '-'} ${took}: ${printable(says)}`,
    )
    if (logChanges && texts !== null)
      for (const line of changeLines(call.number, texts.before, texts.after)) log(line)
  }
  const server = createServer({
    keepAliveTimeout: 30_000,
    requestTimeout: 0,
    noDelay: true,
  })
  for (const event of ['request', 'checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => void handle(request, response))
  // The limit in bytes is sufficient; a limit on their number would drop fields.
  server.maxHeadersCount = 0
  const cut = closing(server)
  const stop = async () => void (await Promise.all([cut(), connector.close()]))
  const address = originOf(await listening(server, options.port, options.host))
  let closed: Promise<void> | null = null
  return { address, close: () => (closed ??= stop()) }
}
