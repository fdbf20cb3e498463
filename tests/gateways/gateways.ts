import { once } from 'node:events'
import { connect } from 'node:tls'
import { makeCertificates } from '../../lib/http/testing/certificates.ts'
import { output, startDaemon, type Daemon, type RunningDaemon } from './daemon.ts'

/** A program that terminates TLS, offers HTTP/2, compresses, and keeps its connections to the service alive. */
export interface Gateway extends Pick<Daemon, 'args' | 'configuration' | 'active'> {
  readonly name: string
  /** The program that must be installed, or the full path of a module of it. */
  readonly program: string
  /** Its log files of requests and errors. */
  readonly logs: readonly string[]
}

const apache = {
  configuration: 'apache2.conf',
  args: (folder: string) => ['-f', `${folder}/apache2.conf`, '-DFOREGROUND'],
  logs: ['access.log', 'error.log'],
}

/** Every gateway that is common in front of staging systems. */
export const gateways: Readonly<Record<'nginx' | 'haproxy' | 'caddy' | 'apache2', Gateway>> = {
  nginx: {
    name: 'nginx',
    program: 'nginx',
    configuration: 'nginx.conf',
    args: (folder) => ['-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`],
    logs: ['access.log', 'error.log'],
  },
  haproxy: {
    name: 'HAProxy',
    program: 'haproxy',
    configuration: 'haproxy.cfg',
    args: (folder) => ['-db', '-f', `${folder}/haproxy.cfg`],
    logs: [output],
  },
  caddy: {
    name: 'Caddy',
    program: 'caddy',
    configuration: 'Caddyfile',
    args: (folder) => ['run', '--config', `${folder}/Caddyfile`, '--adapter', 'caddyfile'],
    logs: ['access.log', 'caddy.log'],
  },
  apache2: { name: 'Apache', program: 'apache2', ...apache },
}

/** Debian's Apache with ModSecurity, which enforces the OWASP Core Rule Set with its defaults. */
export const firewall: Gateway = {
  name: 'ModSecurity',
  program: '/usr/lib/apache2/modules/mod_security2.so',
  ...apache,
  active: ['firewall'],
}

/** The private certificate authority of a test file. */
export const certificates = makeCertificates()

/** Puts a gateway in front of an HTTP service at this host and port. */
export function startGateway(
  gateway: Gateway,
  upstream: string,
  more: readonly string[] = [],
): Promise<RunningDaemon> {
  const { cert, key } = certificates.local
  const asRoot = process.getuid?.() === 0 ? ['root'] : []
  return startDaemon({
    ...gateway,
    program: gateway.configuration === apache.configuration ? 'apache2' : gateway.program,
    values: { UPSTREAM: upstream },
    active: [...(gateway.active ?? []), ...more, ...asRoot],
    files: { 'certificate.pem': cert, 'key.pem': key, 'both.pem': cert + key },
    listens: async (port) => (await chosenProtocol(port, ['http/1.1'])) !== null,
  })
}

/**
 * The protocol that a server on 127.0.0.1 chooses by ALPN from those offered; empty if it chooses none. Null if the server does not
 * use TLS with a certificate of {@link certificates}: it is then another process.
 */
export async function chosenProtocol(port: number, offered: readonly string[]): Promise<string | null> {
  const socket = connect({ host: '127.0.0.1', port, ca: certificates.ca, ALPNProtocols: [...offered] })
  try {
    await once(socket, 'secureConnect')
    return socket.alpnProtocol === false ? '' : socket.alpnProtocol
  } catch {
    return null
  } finally {
    socket.destroy()
  }
}
