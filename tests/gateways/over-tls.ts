import { once } from 'node:events'
import { get } from 'node:https'
import { connect } from 'node:tls'
import type { ReferenceClient } from '../../lib/serve/reference/service.ts'

/**
 * The protocol that a server on 127.0.0.1 chooses of those offered, by ALPN; null where it speaks no TLS by a certificate of
 * this authority (PEM), and empty where it chooses none.
 */
export async function chosenProtocol(
  port: number,
  ca: string,
  offered: readonly string[],
): Promise<string | null> {
  const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: [...offered] })
  try {
    await once(socket, 'secureConnect')
    return socket.alpnProtocol === false ? '' : socket.alpnProtocol
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}

/** Whether who listens there has a certificate of this authority, so that it is the process of a test and no other. */
export async function speaksTls(port: number, ca: string): Promise<boolean> {
  return (await chosenProtocol(port, ca, ['http/1.1'])) !== null
}

/** What a field of the answer to a plain valid request says, asked for with `accept-encoding: gzip`; null where it is absent. */
export async function fieldOfList(
  port: number,
  ca: string,
  { apiKey, secretKey }: ReferenceClient,
  name: string,
): Promise<string | null> {
  const request = get({
    host: '127.0.0.1',
    port,
    ca,
    agent: false,
    path: '/api/customizations/list',
    headers: { 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': '1', 'accept-encoding': 'gzip' },
  })
  return new Promise((resolve, reject) => {
    request.once('error', reject)
    request.once('response', (answer) => {
      answer.resume()
      const value = answer.headers[name]
      resolve(typeof value === 'string' ? value : null)
    })
  })
}
