import { spawn, type ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../../lib/http/testing/raw-server.ts'
import type { StackCredentials } from './credentials.ts'
import { stacksFolder, type Stack } from './stack.ts'

/** A stack that listens. */
interface RunningStack {
  readonly baseUrl: string
  readonly close: () => Promise<void>
}

/** Starts a stack in its folder, which it may write to, and which holds its clients and its output. */
export type Starting = (fault: string | null, clients: StackCredentials) => Promise<RunningStack>

/** A free port may be taken before the stack listens on it. Then the stack ends. */
const triedPorts = 20
/** Compilers are slow on a busy machine. */
const patienceMs = 180_000
const endsWithinMs = 10_000
const pollMs = 50
/** The compiled output of a start script, which its next start finds in the folder. */
const compiled = 'service'

const groups = new Set<number>()
process.once('exit', () => groups.forEach((group) => signal(group, 'SIGKILL')))

/**
 * Creates the folder in which a stack is started, repeatedly and in sequence. Its compiled output is kept
 * until this process ends.
 */
export async function folderOf(stack: Stack): Promise<Starting> {
  const folder = await mkdtemp(join(tmpdir(), `${stack.name}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return (fault, clients) => startIn(folder, stack, fault, clients)
}

async function startIn(
  folder: string,
  stack: Stack,
  fault: string | null,
  clients: StackCredentials,
): Promise<RunningStack> {
  await writeFile(join(folder, 'clients.json'), JSON.stringify(clients))
  for (let tries = 0; tries < triedPorts; tries += 1) {
    await emptyScratch(join(folder, 'scratch'))
    const port = await freePort()
    const child = await spawned(folder, stack, fault ?? '', port)
    const close = (): Promise<void> => ended(child)
    if (await comesUp(child, port)) return { baseUrl: `http://127.0.0.1:${port}`, close }
    const isBusy = !isRunning(child)
    await close()
    if (!isBusy) break
  }
  const wrote = await readFile(join(folder, 'output.log'), 'utf8')
  throw new Error(
    `the stack ${stack.name} was started but does not listen; its output: ${wrote.slice(-4_000)}`,
  )
}

async function emptyScratch(scratch: string): Promise<void> {
  await mkdir(scratch, { recursive: true })
  for (const name of await readdir(scratch))
    if (name !== compiled) await rm(join(scratch, name), { recursive: true, force: true })
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((closed) => server.close(closed))
  return port
}

async function spawned(folder: string, { name }: Stack, fault: string, port: number): Promise<ChildProcess> {
  const written = await open(join(folder, 'output.log'), 'a')
  const child = spawn(join(stacksFolder, name, 'start'), {
    cwd: folder,
    env: {
      PATH: [dirname(process.execPath), process.env['PATH'], '/usr/sbin', '/sbin'].join(':'),
      HOME: folder,
      // Otherwise Java reads its sources as ASCII.
      LANG: 'C.UTF-8',
      PORT: String(port),
      CLIENTS: join(folder, 'clients.json'),
      FAULT: fault,
      SCRATCH: join(folder, 'scratch'),
    },
    stdio: ['ignore', written.fd, written.fd],
    // In a separate process group, because some servers have workers.
    detached: true,
  })
  await written.close()
  if (child.pid !== undefined) groups.add(child.pid)
  return child
}

async function comesUp(child: ChildProcess, port: number): Promise<boolean> {
  const until = performance.now() + patienceMs
  while (isRunning(child) && performance.now() < until) {
    if (await accepts(port)) return isRunning(child)
    await sleep(pollMs)
  }
  return false
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

/** Ends the whole group, and waits until all its processes are gone. */
async function ended({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return
  signal(pid, 'SIGTERM')
  const until = performance.now() + endsWithinMs
  while (signal(pid, 0)) {
    if (performance.now() > until) signal(pid, 'SIGKILL')
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
