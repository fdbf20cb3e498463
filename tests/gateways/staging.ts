import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { folderWith, settingsFor } from '../support/program.ts'
import { startDaemon } from './daemon.ts'
import { certificates, startGateway, type Gateway } from './gateways.ts'

/** A service behind a gateway. */
export interface Staging {
  readonly port: number
  /** Host and port. */
  readonly target: string
  /** The gateway's logs of requests and errors so far. */
  readonly log: () => Promise<string>
  /** The environment variables of a run with every fixture. */
  readonly settings: Readonly<Record<string, string>>
}

/** Puts a gateway in front of a service until the test ends. */
export async function behind(
  gateway: Gateway,
  service: ReferenceService,
  more: readonly string[] = [],
): Promise<Staging> {
  const running = await startGateway(gateway, new URL(service.baseUrl).host, more)
  onTestFinished(() => running.close())
  const target = `127.0.0.1:${running.port}`
  const RUN_CA_FILE = join(await folderWith({ 'authority.pem': certificates.ca }), 'authority.pem')

  return {
    port: running.port,
    target,
    log: async () => (await Promise.all(gateway.logs.map((file) => running.read(file)))).join(''),
    settings: { ...settingsFor(service), TARGET_BASE_URL: `https://${target}`, RUN_CA_FILE },
  }
}

/** A running forward proxy. */
export interface RunningProxy {
  /** Host and port. */
  readonly at: string
  /** The tunnels requested so far, as `host:port`. */
  readonly tunnels: () => Promise<readonly string[]>
}

/** Starts Debian's tinyproxy until the test ends. It tunnels only to the given port. */
export async function startTinyproxy(allowedPort: number): Promise<RunningProxy> {
  const { port, read, close } = await startDaemon({
    program: 'tinyproxy',
    configuration: 'tinyproxy.conf',
    args: (folder) => ['-d', '-c', `${folder}/tinyproxy.conf`],
    values: { ALLOWED: String(allowedPort) },
    listens: async (own) => {
      const socket = connect(own, '127.0.0.1')
      const isThere = await once(socket, 'connect').then(Boolean, () => false)
      socket.destroy()
      return isThere
    },
  })
  onTestFinished(close)
  const tunnels = async (): Promise<readonly string[]> =>
    [...(await read('tinyproxy.log')).matchAll(/CONNECT (\S+) HTTP/g)].map(([, host = '']) => host)
  return { at: `127.0.0.1:${port}`, tunnels }
}

let hosts = 0

/**
 * An address of this machine that no other test listens on. On a shared address another service could take the port of one that
 * stopped, and answer instead.
 */
export function hostOfItsOwn(): string {
  hosts += 1
  return `127.${1 + (Math.floor(process.pid / 256) % 250)}.${process.pid % 256}.${1 + (hosts % 250)}`
}
