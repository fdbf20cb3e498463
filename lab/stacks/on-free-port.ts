import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../../lib/http/testing/raw-server.ts'

/** A command that serves in the foreground. */
type Command = Readonly<{ path: string; args?: readonly string[]; env: NodeJS.ProcessEnv }>

/** A program that listens. */
export type Listening = Readonly<{ port: number; close: () => Promise<void> }>

/** The file in a program's folder with its standard output and standard error. */
export const output = 'output.log'

/** Maximum number of ports to try. The program ends if another process takes the free port first. */
const mostTriedPorts = 20
const pollMs = 20
/** Polls until a program listens, and until it is killed. Compilers are slow on a busy machine. */
const [mostPolls, pollsUntilKilled] = [9_000, 500]

const groups = new Set<number>()
process.once('exit', () => groups.forEach((group) => signal(group, 'SIGKILL')))

/** Starts a program in its folder, on a free port of 127.0.0.1. Throws its output if it never listens. */
export async function startOnFreePort(
  cwd: string,
  prepared: (port: number) => Promise<Command>,
  listens: (port: number) => Promise<boolean> = accepts,
  triedPorts = 1,
): Promise<Listening> {
  const port = await freePort()
  const { path, args = [], env } = await prepared(port)
  const written = await open(join(cwd, output), 'a')
  // In a separate process group, because some programs have workers.
  const child = spawn(path, args, { cwd, env, stdio: ['ignore', written.fd, written.fd], detached: true })
  await written.close()
  if (child.pid !== undefined) groups.add(child.pid)
  const close = (): Promise<void> => ended(child)
  if (await comesUp(child, () => listens(port))) return { port, close }
  const hangs = isRunning(child)
  await close()
  if (!hangs && triedPorts < mostTriedPorts) return startOnFreePort(cwd, prepared, listens, triedPorts + 1)
  const wrote = await readFile(join(cwd, output), 'utf8')
  throw new Error(`${path} was started but does not listen; its output: ${wrote.slice(-4_000)}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((closed) => server.close(closed))
  return port
}

async function comesUp(child: ChildProcess, listens: () => Promise<boolean>): Promise<boolean> {
  for (let poll = 0; poll < mostPolls && isRunning(child); poll += 1) {
    if (await listens()) return isRunning(child)
    await sleep(pollMs)
  }
  return false
}

/** Whether anything listens on a port. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isThere = await once(socket, 'connect').then(Boolean, () => false)
  socket.destroy()
  return isThere
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

/** Ends the whole group, and waits until all its processes are gone. */
async function ended({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return
  signal(pid, 'SIGTERM')
  for (let poll = 0; signal(pid, 0); poll += 1) {
    if (poll > pollsUntilKilled) signal(pid, 'SIGKILL')
    await sleep(pollMs)
  }
  groups.delete(pid)
}

/** Whether the group existed. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name)
  } catch {
    return false
  }
}
