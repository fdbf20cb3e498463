import { spawn, type StdioOptions } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { startReference } from '../../lib/serve/reference/service.ts'
import { emptyFolder, settingsFor, type Texts } from '../../tests/support/program.ts'

/** The arguments with which Node runs a program against a service with these settings. `folder` is empty. */
export type ArgumentsOf = (env: Texts, folder: string) => readonly string[] | Promise<readonly string[]>

/** The resources of the processor and the service that a program used. */
export interface Used {
  /** Processor time, which other programs cannot take away. */
  readonly seconds: number
  readonly requests: number
  /**
   * The longest chain of requests that each started after the previous answer. With latency, it determines
   * the duration.
   */
  readonly inRow: number
}

/** How to run a program. */
export interface Way {
  readonly latencyMs?: number
  /** Kills the program when its first request arrives. */
  readonly untilFirst?: true
}

/**
 * Runs a program against a fresh reference service in this process, with one run at a time. Throws unless it
 * ends with 0.
 */
export async function used(argumentsOf: ArgumentsOf, { latencyMs = 0, untilFirst }: Way = {}): Promise<Used> {
  const kill = new AbortController()
  let inRow = 0
  const service = await startReference({
    latencyMs,
    intervene: (_, response) => {
      if (untilFirst === true) kill.abort()
      const place = inRow + 1
      response.once('close', () => (inRow = Math.max(inRow, place)))
      return false
    },
  })
  try {
    const [env, cwd] = [settingsFor(service), await emptyFolder()]
    const args = await argumentsOf(env, cwd)
    const before = secondsOfChildren()
    const { PATH, HOME } = process.env
    const stdio: StdioOptions = ['ignore', 'ignore', 'inherit']
    const options = { cwd, env: { PATH, HOME, RUN_QUIET: 'true', ...env }, stdio, signal: kill.signal }
    const child = spawn(process.execPath, args, { ...options, killSignal: 'SIGKILL' })
    child.on('error', () => {})
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    if (code !== (untilFirst === true ? null : 0))
      throw new Error(`node ${args.join(' ')} ended with ${code}`)
    return { seconds: secondsOfChildren() - before, requests: service.requests(), inRow }
  } finally {
    await service.close()
  }
}

/**
 * The processor time of all child processes that have ended, in seconds, as Linux counts it: user and system
 * time.
 */
function secondsOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) / 100
}
