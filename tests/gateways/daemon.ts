import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, open, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../../lib/http/testing/servers.ts'
import { emptyFolder } from '../support/program.ts'
import { pathOf } from './installed.ts'

/** A program that listens on a port, with its configuration. */
export interface Daemon {
  readonly program: string
  readonly args: (folder: string) => readonly string[]
  /** A file beside this one. The program reads a copy of it. */
  readonly configuration: string
  /** Values that replace `@NAME@` in the file. PORT and FOLDER are predefined. */
  readonly values: Readonly<Record<string, string>>
  /** Names whose lines, which begin with `#NAME `, are active. */
  readonly active?: readonly string[]
  /** Additional files that it needs, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Whether this process, and no other one, listens on a port. */
  readonly listens: (port: number) => Promise<boolean>
}

/** Maximum number of ports to try. The program ends if another process takes the free port first. */
const triedPorts = 20
const polls = 9_000
const pollMs = 20

/** The file in a program's folder with its standard output and standard error. */
export const output = 'output.log'

const children = new Set<ChildProcess>()
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))

/** Starts a program in the foreground, with its own folder, on a free port of 127.0.0.1. Throws its output if it never listens. */
export async function startDaemon(daemon: Daemon) {
  const folder = await emptyFolder()
  // Workers that do not run as root need access.
  await chmod(folder, 0o755)
  /** The content of a file in the folder. Empty if the file does not exist yet. */
  const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8').catch(() => '')
  let hangs = false
  for (let tries = 0; tries < triedPorts && !hangs; tries += 1) {
    const port = await freePort()
    const child = await started(daemon, folder, port)
    if (await comesUp(child, () => daemon.listens(port))) return { port, read, close: () => ended(child) }
    hangs = isRunning(child)
    await ended(child)
  }
  throw new Error(`${daemon.program} does not listen: ${(await read(output)).slice(-4_000)}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await new Promise((closed) => server.close(closed))
  return port
}

async function started(daemon: Daemon, folder: string, port: number): Promise<ChildProcess> {
  const { program, args, configuration, active = [], files = {} } = daemon
  const path = pathOf(program)
  if (path === null) throw new Error(`${program} is not installed: run .ci/install-gateways`)

  const values: Readonly<Record<string, string>> = { ...daemon.values, PORT: String(port), FOLDER: folder }
  const text = (await readFile(new URL(configuration, import.meta.url), 'utf8'))
    .replaceAll(/^( *)#(\w+) (?=\S| )/gm, (all, indent: string, name: string) =>
      active.includes(name) ? indent : all,
    )
    .replaceAll(/@(\w+)@/g, (all, name: string) => values[name] ?? all)
  for (const [name, content] of Object.entries({ ...files, [configuration]: text }))
    await writeFile(join(folder, name), content)
  const written = await open(join(folder, output), 'a')
  const env = { PATH: process.env['PATH'], HOME: folder }
  const child = spawn(path, args(folder), { cwd: folder, env, stdio: ['ignore', written.fd, written.fd] })
  await written.close()
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function comesUp(child: ChildProcess, listens: () => Promise<boolean>): Promise<boolean> {
  for (let poll = 0; poll < polls && isRunning(child); poll += 1) {
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
