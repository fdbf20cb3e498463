import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../../lib/http/testing/servers.ts'
import { pathOf } from './installed.ts'

/** A program that listens, and how it is told where. */
interface Daemon {
  readonly program: string
  readonly args: (folder: string) => readonly string[]
  /** The files it needs, by name; written anew for each port that is tried. */
  readonly files: (where: Place) => Readonly<Record<string, string>>
  /** Whether this very process, and no other one, listens on a port. */
  readonly listens: (port: number) => Promise<boolean>
}

/** Where a program may put all that it writes, and where it is to listen. */
export interface Place {
  readonly folder: string
  readonly port: number
}

/** A program that listens on a port of 127.0.0.1. */
interface RunningDaemon extends Place {
  /** The content of a file in its folder; empty where there is none yet. */
  readonly read: (file: string) => Promise<string>
  readonly close: () => Promise<void>
}

/** A port may be taken between finding it free and listening on it: then the program ends. */
const triedPorts = 20
const patienceMs = 180_000
const pollMs = 20

/** The file in its folder that holds what a program wrote on its standard output and standard error. */
export const output = 'output.log'

const children = new Set<ChildProcess>()
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))

/** Starts a program in the foreground, with a folder of its own, on a free port. Throws what it wrote when it never listens. */
export async function startDaemon(daemon: Daemon): Promise<RunningDaemon> {
  const path = pathOf(daemon.program)
  if (path === null) throw new Error(`${daemon.program} is not installed: run .ci/install-gateways`)

  const folder = await mkdtemp(join(tmpdir(), `${daemon.program}-`))
  // Workers of another user than root must get in.
  await chmod(folder, 0o755)
  for (let tries = 0; tries < triedPorts; tries += 1) {
    const port = await freePort()
    const child = await started(path, daemon, { folder, port })
    if (await comesUp(child, () => daemon.listens(port))) {
      return {
        folder,
        port,
        read: (file) => readFile(join(folder, file), 'utf8').catch(() => ''),
        close: async () => {
          await ended(child)
          await rm(folder, { recursive: true, force: true })
        },
      }
    }
    const isBusy = !isRunning(child)
    await ended(child)
    if (!isBusy) break
  }
  const wrote = await readFile(join(folder, output), 'utf8')
  await rm(folder, { recursive: true, force: true })
  throw new Error(`${daemon.program} does not listen: ${wrote.slice(-4_000)}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((closed) => server.close(closed))
  return port
}

async function started(path: string, { args, files }: Daemon, place: Place): Promise<ChildProcess> {
  const { folder } = place
  for (const [name, text] of Object.entries(files(place))) await writeFile(join(folder, name), text)
  const written = await open(join(folder, output), 'a')
  const child = spawn(path, args(folder), {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['ignore', written.fd, written.fd],
  })
  await written.close()
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function comesUp(child: ChildProcess, listens: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + patienceMs
  while (isRunning(child) && performance.now() < until) {
    if (await listens()) return isRunning(child)
    await sleep(pollMs)
  }
  return false
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

async function ended(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await exit
  clearTimeout(late)
}
