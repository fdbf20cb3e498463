import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { openRawServer, type RawAnswerer, type RawServerOptions } from '../../lib/http/testing/raw-server.ts'
import { clients, type ClientName } from '../../lib/serve/reference/clients.ts'
import type { ReferenceOptions, ReferenceService } from '../../lib/serve/reference/service.ts'
import { instead, settingsFor, type Texts } from '../../tests/support/program.ts'
import type { Started } from '../judge/service.ts'
import { startService } from '../service/start.ts'

/** A client that no target knows. Some targets serve any client. */
const client = {
  TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83',
  TARGET_SECRET_KEY: 'sk_Jd7Wq0Bn5Xe2Hs9Vt6Pa41GuKm',
}

/** For targets that keep a run waiting: enough time for any server that answers at all on a busy machine. */
export const impatient = { RUN_TIMEOUT_MS: '500' }
/** What a run says if it waited in vain. */
export const neverBegins = 'no answer came within 500 ms (RUN_TIMEOUT_MS)'

/** For targets that answer everything: more requests would not reveal anything new. */
export const few = { RUN_MAX_REQUESTS: '200' }

/** For targets whose every answer is expensive: even fewer requests. */
export const veryFew = { RUN_MAX_REQUESTS: '60' }

/** For targets with costly retries or delays at every refusal: a few rules are enough. */
export const aPart = {
  RUN_ONLY:
    'authentication/*-missing,authentication/*-invalid,versioning/version-missing,versioning/unknown-endpoint',
}

/** A target that answers every request with these bytes. */
export async function onBytes(
  answerer: RawAnswerer,
  { env = {}, ...options }: RawServerOptions & { readonly env?: Texts } = {},
): Promise<Started> {
  const { port, close } = await openRawServer(answerer, options)

  return {
    env: { TARGET_BASE_URL: `http://127.0.0.1:${port}`, ...client, ...env },
    close: async () => close(),
  }
}

/** A target that gives the same answer to every request. */
export function alike(bytes: string | Buffer, env: Texts = {}): () => Promise<Started> {
  return () => onBytes((socket) => socket.write(bytes), { env })
}

/** A target that ends every connection with these bytes. */
export function ending(bytes: string | Buffer): () => Promise<Started> {
  return () => onBytes((socket) => socket.end(bytes))
}

/** A target that begins every answer with these bytes, and then writes a byte now and then, endlessly. */
export function dripping(head: string, byte: string): () => Promise<Started> {
  const drip = (socket: Socket): void => {
    socket.write(head)
    const timer = setInterval(() => socket.write(byte), 50)
    socket.once('close', () => clearInterval(timer))
  }
  return () => onBytes(drip, { env: impatient })
}

/** Writes these bytes, and then others repeatedly, as fast as they are read. */
export function flood(head: string, chunk: string | Buffer, times = Number.POSITIVE_INFINITY) {
  return (socket: Socket): void => {
    let left = times
    const more = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= 1
        if (!socket.write(chunk)) return void socket.once('drain', more)
      }
    }
    socket.write(head)
    more()
  }
}

/** A target that floods whoever asks. */
export function flooding(head: string, chunk: string | Buffer, env: Texts = {}): () => Promise<Started> {
  return () => onBytes(flood(head, chunk), { env })
}

/** Another service, which gives the same answer to every request: what the verdict says, and its start. */
export function another(bytes: Buffer) {
  return [['another service answers', 'Check TARGET_BASE_URL'], alike(bytes)] as const
}

/** Whether it answered a request instead of the service. */
export type Intervene = (
  request: IncomingMessage,
  response: ServerResponse,
  service: ReferenceService,
) => boolean | Promise<boolean>

interface Changes extends Omit<ReferenceOptions, 'intervene'> {
  readonly intervene?: Intervene
}

/** Settings of a run in addition to those with every fixture, or what becomes of these. */
type Settings = Texts | ((env: Texts) => Texts)

/** A target that is the reference service, changed in this way. */
export async function onReference(changes: Changes = {}, settings: Settings = {}): Promise<Started> {
  const { intervene = () => false, ...options } = changes
  const service: ReferenceService = await startService({
    ...options,
    intervene: (request, response) => intervene(request, response, service),
  })
  const env = settingsFor(service)
  const given = typeof settings === 'function' ? settings(env) : { ...env, ...settings }
  return { env: given, close: () => service.close() }
}

/** The reference service, of which a run has these settings. */
export function withSettings(settings: Settings): () => Promise<Started> {
  return () => onReference({}, settings)
}

/** Settings without those whose names begin so. */
export function lacking(env: Texts, prefix: string): Texts {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(prefix)))
}

/** The reference service, some of whose requests are answered otherwise. */
export function intervening(intervene: Intervene, settings: Settings = {}): () => Promise<Started> {
  return () => onReference({ intervene }, settings)
}

/** Whether a request comes from this client. */
export function isOf(name: ClientName, { headers }: IncomingMessage): boolean {
  return headers['x-api-key'] === clients[name].apiKey
}

/** Resets the connection instead of an answer. */
export function closed(response: ServerResponse): true {
  response.socket?.resetAndDestroy()
  return true
}

/** Answers as a gateway does whose service is not available. */
export function unavailable(response: ServerResponse): true {
  return instead(response, 503, '<h1>503</h1>', { 'content-type': 'text/html' })
}

/** The documented error object with this code. */
export function errorWith(code: string): string {
  return JSON.stringify({ error_code: code, error_message: 'x' })
}

/** The reference service with this answer to every request of a client. */
export function answering(name: ClientName, status: number, body: string, env: Texts = {}) {
  return intervening((request, response) => isOf(name, request) && instead(response, status, body), env)
}

/** A target that serves the plain valid request and answers every other one with `harm`. */
export function harmfulRefusals(harm: (socket: Socket) => void, env: Texts = {}): () => Promise<Started> {
  const served = inJson('200 OK', '{"items":[]}')
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

/** A complete answer with this status and reason, and these fields. The length is added. */
export function answer(status: string, fields: readonly string[] = [], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = [`HTTP/1.1 ${status}`, ...fields, `Content-Length: ${bytes.length}`, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

export const json = 'Content-Type: application/json'

/** An answer that is said to be JSON. */
export function inJson(status: string, body: string | Buffer): Buffer {
  return answer(status, [json], body)
}

/** A redirect to this address. */
export function redirect(location: string, status = '302 Found'): Buffer {
  return answer(status, [`Location: ${location}`])
}

/** An HTML page with this status. */
export function page(status: string, title: string): Buffer {
  const text = `<!doctype html><title>${title}</title><h1>${title}</h1>`
  return answer(status, ['Content-Type: text/html; charset=utf-8'], text)
}
