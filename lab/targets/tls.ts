import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { makeCertificates, type Certificates } from '../../lib/http/testing/certificates.ts'
import { listen } from '../../lib/http/testing/raw-server.ts'
import type { ReferenceOptions } from '../../lib/serve/reference/service.ts'
import { folderWith } from '../../tests/support/program.ts'
import type { Service } from '../judge/service.ts'
import { onReference, targets, withEnv } from './target.ts'

type Certificate = 'local' | 'other' | 'expired' | 'selfSigned'

interface OverTls {
  readonly certificate: Certificate
  /** Whether the run gets the authority's certificate. */
  readonly trusted: boolean
  readonly scheme?: 'http' | 'https'
  readonly reference?: ReferenceOptions
}

let made: Certificates | null = null

/** The reference service behind TLS. Requests are forwarded unchanged. */
export async function overTls({ certificate, trusted, scheme = 'https', reference = {} }: OverTls) {
  made ??= makeCertificates()
  const service = await onReference(reference)
  const behind = Number(new URL(service.env['TARGET_BASE_URL'] ?? '').port)
  const open = new Set<Socket>()
  const server = createServer(made[certificate], (socket) => {
    open.add(socket)
    forward(socket, behind)
  })
  server.on('tlsClientError', () => {})
  const file = join(await folderWith({ 'authority.pem': made.ca }), 'authority.pem')

  const TARGET_BASE_URL = `${scheme}://127.0.0.1:${await listen(server)}`
  return {
    env: { ...service.env, TARGET_BASE_URL, ...(trusted ? { RUN_CA_FILE: file } : {}) },
    close: async () => {
      server.close()
      for (const socket of open) socket.destroy()
      await service.close()
    },
  }
}

function presenting(certificate: Certificate, trusted = false, scheme?: OverTls['scheme']): Service['start'] {
  return () => overTls({ certificate, trusted, ...(scheme && { scheme }) })
}

const toTrust = 'signed by an untrusted authority: to trust it, set RUN_CA_FILE to its file'
const ofAnother = ['is for another host', 'check TARGET_BASE_URL'] as const

/** Targets whose scheme and port do not match, or whose certificate cannot be trusted. */
export const tls: readonly Service[] = targets({
  // The address begins with https and the service speaks http.
  'tls-to-a-plain-port': [
    ['does not speak TLS', 'should begin with http://'],
    withEnv((env) => ({ ...env, TARGET_BASE_URL: `${env['TARGET_BASE_URL']}`.replace('http:', 'https:') })),
  ],
  // The address begins with http and the service speaks TLS.
  'plain-to-a-tls-port': ['127.0.0.1', presenting('local', false, 'http')],
  // The certificate expired yesterday.
  'certificate-expired': ['has expired', presenting('expired', true)],
  // The certificate is for another host.
  'certificate-of-another-name': [ofAnother, presenting('other', true)],
  // The certificate is signed by itself.
  'certificate-self-signed': [['self-signed', 'set RUN_CA_FILE'], presenting('selfSigned')],
  // The certificate is signed by a private authority that the run was not given.
  'authority-not-trusted': [toTrust, presenting('local')],
})

export function forward(socket: Socket, port: number): void {
  const behind = connect(port, '127.0.0.1')
  socket.pipe(behind).pipe(socket)
  behind.on('error', () => socket.destroy())
  socket.on('error', () => behind.destroy())
  socket.on('close', () => behind.destroy())
}
