import { connect } from 'node:net'
import { once } from 'node:events'
import { startDaemon } from './daemon.ts'

/** A forward proxy that runs. */
export interface RunningProxy {
  /** For `HTTPS_PROXY`. */
  readonly url: string
  /** Host and port. */
  readonly at: string
  /** The tunnels that it was asked for, so far, as `host:port`. */
  readonly tunnels: () => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

/** Starts Debian's tinyproxy, which tunnels to the given ports and to no others. */
export async function startTinyproxy(allowedPorts: readonly number[]): Promise<RunningProxy> {
  const { port, read, close } = await startDaemon({
    program: 'tinyproxy',
    args: (folder) => ['-d', '-c', `${folder}/tinyproxy.conf`],
    files: ({ folder, port: own }) => ({
      'tinyproxy.conf': `
Port ${own}
Listen 127.0.0.1
Timeout 600
MaxClients 100
LogFile "${folder}/tinyproxy.log"
LogLevel Connect
PidFile "${folder}/tinyproxy.pid"
Allow 127.0.0.1
${allowedPorts.map((allowed) => `ConnectPort ${allowed}`).join('\n')}
`,
    }),
    listens: accepts,
  })
  const tunnels = async (): Promise<readonly string[]> => {
    const asked = (await read('tinyproxy.log')).matchAll(/CONNECT (\S+) HTTP/g)
    return [...asked].flatMap(([, host]) => (host === undefined ? [] : [host]))
  }
  return { url: `http://127.0.0.1:${port}`, at: `127.0.0.1:${port}`, tunnels, close }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
