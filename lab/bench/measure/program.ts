import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The folder of the checkout, seen from the compiled module. */
export const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** How a program is started, and how it must end. */
export interface Start {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly code?: number
}

/** A process from its start to its exit. */
export interface Ended {
  /** In milliseconds of the clock that all processes share. */
  readonly startedAt: number
  readonly seconds: number
  /** Of the processor, which no other program takes away. */
  readonly busySeconds: number
  readonly peakMiB: number
}

/** Runs Node with these arguments in an empty folder; throws where it ends otherwise than it must. */
export async function runNode({ args, env = {}, code = 0 }: Start): Promise<Ended> {
  return inEmptyFolder(async (cwd) => {
    const startedAt = now()
    const child = spawn(process.execPath, args, {
      cwd,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const used = watch(child.pid)
    const told: string[] = []
    child.stderr.setEncoding('utf8').on('data', (text: string) => told.push(text))
    const ended = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const seconds = (now() - startedAt) / 1_000
    if (ended !== code) throw new Error(`node ${args.join(' ')} ended with ${ended}: ${told.join('')}`)
    return { startedAt, seconds, ...used() }
  })
}

/** Milliseconds of the clock that all processes share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Gives a new empty folder to `work`, and removes it. */
export async function inEmptyFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Gives the program to `work` as it is once installed: compiled, without sources. */
export async function withInstalled<Result>(work: (program: string) => Promise<Result>): Promise<Result> {
  const build = pathToFileURL(join(root, 'bin/build.mjs')).href
  const { built }: typeof import('../../../bin/build.mjs') = await import(build)
  return inEmptyFolder(async (folder) => {
    await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
    await cp(fileURLToPath(built()), join(folder, 'dist'), { recursive: true })
    await cp(join(root, 'package.json'), join(folder, 'package.json'))
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    return work(join(folder, 'bin/card-switch-conformance.mjs'))
  })
}

/** What a process used; NaN elsewhere than on Linux, which adds it up itself: a look now and then is enough. */
function watch(pid: number | undefined): () => Pick<Ended, 'busySeconds' | 'peakMiB'> {
  let [busySeconds, peakMiB] = [Number.NaN, Number.NaN]
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1]
    if (kilobytes !== undefined) peakMiB = Number(kilobytes) / 1024
    // Behind the name, in hundredths of a second: of the program, and of the system for it.
    const [user, system] =
      (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ').slice(11) ?? []
    busySeconds = (Number(user) + Number(system)) / 100
  }
  const timer = setInterval(() => void look().catch(() => {}), 20)
  return () => {
    clearInterval(timer)
    return { busySeconds, peakMiB }
  }
}
