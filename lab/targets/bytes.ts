import type { Socket } from 'node:net'
import { openRawServer, type RawAnswerer, type RawServerOptions } from '../../lib/http/testing/raw-server.ts'
import type { Texts } from '../../tests/support/program.ts'
import type { Started } from '../judge/service.ts'

/** A client that no target knows. Some targets serve any client. */
const [apiKey, secretKey] = ['pk_9fQ2mLx7Tzv4Rk1wYc83', 'sk_Jd7Wq0Bn5Xe2Hs9Vt6Pa41GuKm']
const client = { TARGET_API_KEY: apiKey, TARGET_SECRET_KEY: secretKey }

type Options = RawServerOptions & { readonly env?: Texts }

/** A target that answers every request with these bytes. */
export async function onBytes(answerer: RawAnswerer, { env = {}, ...options }: Options = {}) {
  const { port, close } = await openRawServer(answerer, options)

  const given = { TARGET_BASE_URL: `http://127.0.0.1:${port}`, ...client, ...env }
  return { env: given, close: async () => close() }
}

/** A target that gives the same answer to every request. */
export function alike(bytes: string | Buffer, env: Texts = {}): () => Promise<Started> {
  return () => onBytes((socket) => socket.write(bytes), { env })
}

/** A target that ends every connection with these bytes. */
export function ending(bytes: string | Buffer): () => Promise<Started> {
  return () => onBytes((socket) => socket.end(bytes))
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
export const another = (bytes: Buffer) =>
  [['another service answers', 'Check TARGET_BASE_URL'], alike(bytes)] as const

/** A target that serves the plain valid request and answers every other one with `harm`. */
export function harmfulRefusals(harm: (socket: Socket) => void, env: Texts = {}): () => Promise<Started> {
  const served = inJson('200 OK', '{"items":[]}')
  return () => onBytes((socket, head) => (isPlain(head) ? void socket.write(served) : harm(socket)), { env })
}

function isPlain(head: string): boolean {
  const lines = new Set(head.split('\r\n'))
  const fields = [`x-api-key: ${apiKey}`, `x-secret-key: ${secretKey}`, 'x-version: 1']
  return ['GET /api/customizations/list HTTP/1.1', ...fields].every((line) => lines.has(line))
}

/** A complete answer with this status and reason, and these fields. The length is added. */
function answer(status: string, fields: readonly string[], body: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = [`HTTP/1.1 ${status}`, ...fields, `Content-Length: ${bytes.length}`, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
}

export const json = 'Content-Type: application/json'

/** The bytes of a success with exactly these fields. */
export const ok = (fields: readonly string[], body = ''): string =>
  ['HTTP/1.1 200 OK', ...fields, '', body].join('\r\n')

/** An answer that is said to be JSON, with more fields. */
export const inJson = (status: string, body: string | Buffer, ...fields: readonly string[]): Buffer =>
  answer(status, [json, ...fields], body)

/** A redirect to this address. */
export const redirect = (location: string, status = '302 Found'): Buffer =>
  answer(status, [`Location: ${location}`])

/** An HTML page with this status. */
export function page(status: string, title: string): Buffer {
  const text = `<!doctype html><title>${title}</title><h1>${title}</h1>`
  return answer(status, ['Content-Type: text/html; charset=utf-8'], text)
}
