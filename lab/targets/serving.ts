import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { openRawServer, type RawAnswerer, type RawServerOptions } from '../../lib/http/testing/raw-server.ts'
import { clients, type ClientName } from '../../lib/serve/reference/clients.ts'
import type { ReferenceOptions, ReferenceService } from '../../lib/serve/reference/service.ts'
import { settingsFor } from '../../tests/support/program.ts'
import type { Started } from '../judge/service.ts'
import { startService } from '../service/start.ts'

/** A client that no target knows. Some targets serve any client. */
export const client = {
  TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83',
  TARGET_SECRET_KEY: 'sk_Jd7Wq0Bn5Xe2Hs9Vt6Pa41GuKm',
}

/** For targets that keep a run waiting: enough time for any server that answers at all on a busy machine. */
export const impatient = { RUN_TIMEOUT_MS: '500' }

/** For targets that answer everything: more requests would not reveal anything new. */
export const few = { RUN_MAX_REQUESTS: '200' }

/** For targets whose every answer is expensive: even fewer requests. */
export const veryFew = { RUN_MAX_REQUESTS: '60' }

/** For targets with costly retries or delays at every refusal: a few rules are enough. */
export const aPart = {
  RUN_ONLY:
    'authentication/*-missing,authentication/*-invalid,versioning/version-missing,versioning/unknown-endpoint',
}

type Settings = Readonly<Record<string, string>>

/** A target that answers every request with these bytes. */
export async function onBytes(
  answerer: RawAnswerer,
  { env = {}, ...options }: RawServerOptions & { readonly env?: Settings } = {},
): Promise<Started> {
  const { port, close } = await openRawServer(answerer, options)

  return {
    env: { TARGET_BASE_URL: `http://127.0.0.1:${port}`, ...client, ...env },
    close: async () => close(),
  }
}

/** A target that gives the same answer to every request. */
export function alike(bytes: string | Buffer, env: Settings = {}): () => Promise<Started> {
  return () => onBytes((socket) => socket.write(bytes), { env })
}

/** Another service, which gives the same answer to every request: what the verdict says, and its start. */
export function another(bytes: Buffer) {
  return [['another service answers', 'Check TARGET_BASE_URL'], alike(bytes)] as const
}

/** A target that is the reference service, changed in this way, with every fixture. */
export async function onReference(
  options: ReferenceOptions | ((service: () => ReferenceService) => ReferenceOptions),
  env: Settings = {},
): Promise<Started> {
  let started: ReferenceService | null = null
  const service = (): ReferenceService => {
    if (started === null) throw new Error('the service has not started')
    return started
  }
  started = await startService(typeof options === 'function' ? options(service) : options)

  return { env: { ...settingsFor(started), ...env }, close: () => service().close() }
}

/** Whether a request comes from this client. */
export function isOf(name: ClientName, { headers }: IncomingMessage): boolean {
  return headers['x-api-key'] === clients[name].apiKey
}

/** Writes this answer instead of the service's, as JSON by default. */
export function instead(response: ServerResponse, status: number, body: string, fields: Settings = {}): true {
  response.writeHead(status, { 'content-type': 'application/json', ...fields }).end(body)
  return true
}

/** The documented error object with this code. */
export function errorWith(code: string): string {
  return JSON.stringify({ error_code: code, error_message: 'x' })
}

/** The reference service with this answer to every request of a client. */
export function answering(name: ClientName, status: number, body: string, env: Settings = {}) {
  return (): Promise<Started> =>
    onReference(
      { intervene: (request, response) => isOf(name, request) && instead(response, status, body) },
      env,
    )
}

/** A target that serves the plain valid request and answers every other one with `harm`. */
export function harmfulRefusals(harm: (socket: Socket) => void, env: Settings = {}): () => Promise<Started> {
  const served = answer('HTTP/1.1 200 OK', ['Content-Type: application/json'], '{"items":[]}')
  return () => onBytes((socket, head) => (isPlain(head) ? void socket.write(served) : harm(socket)), { env })
}

function isPlain(head: string): boolean {
  const lines = new Set(head.split('\r\n'))
  return [
    'GET /api/customizations/list HTTP/1.1',
    `x-api-key: ${client.TARGET_API_KEY}`,
    `x-secret-key: ${client.TARGET_SECRET_KEY}`,
    'x-version: 1',
  ].every((line) => lines.has(line))
}

/** A complete answer with this status line and these fields. The length is added. */
export function answer(statusLine: string, fields: readonly string[], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = [statusLine, ...fields, `Content-Length: ${bytes.length}`, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

/** A redirect to this address. */
export function redirect(location: string, statusLine = 'HTTP/1.1 302 Found'): Buffer {
  return answer(statusLine, [`Location: ${location}`])
}

/** An HTML page with this status line. */
export function page(statusLine: string, title: string): Buffer {
  return answer(
    statusLine,
    ['Content-Type: text/html; charset=utf-8'],
    `<!doctype html><title>${title}</title><h1>${title}</h1>`,
  )
}

/** Writes these bytes repeatedly, as fast as they are read. */
export function flood(socket: Socket, chunk: Buffer, times = Number.POSITIVE_INFINITY): void {
  let left = times
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1
      if (!socket.write(chunk)) return void socket.once('drain', more)
    }
  }
  more()
}

/** Writes these bytes now and then, endlessly. */
export function drip(socket: Socket, bytes: string): void {
  const timer = setInterval(() => socket.write(bytes), 50)
  socket.once('close', () => clearInterval(timer))
}
