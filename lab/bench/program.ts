import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { startReference } from '../../lib/serve/reference/service.ts'
import { emptyFolder, settingsFor } from '../../tests/support/program.ts'

/** The arguments with which Node runs a program against a service with these settings; `folder` is empty. */
export type ArgumentsOf = (
  env: Readonly<Record<string, string>>,
  folder: string,
) => readonly string[] | Promise<readonly string[]>

/** What a program used of the processor and of the service. */
export interface Used {
  /** Of the processor, which no other program takes away. */
  readonly seconds: number
  readonly requests: number
  /** The longest row of requests that each began after the one before was answered: with latency it is what the time follows from. */
  readonly inRow: number
}

/** How a program is run. */
export interface Way {
  readonly latencyMs?: number
  /** It is killed when its first request arrives. */
  readonly untilFirst?: true
}

/** Runs a program against a fresh reference service of this process, one at a time; throws where it does not end in 0. */
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
    const options = {
      cwd,
      env: { PATH, HOME, RUN_QUIET: 'true', ...env },
      signal: kill.signal,
      killSignal: 'SIGKILL',
    } as const
    const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', () => {})
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    if (code !== (untilFirst === true ? null : 0)) throw new Error(`node ${args.join(' ')} ended in ${code}`)
    return { seconds: secondsOfChildren() - before, requests: service.requests(), inRow }
  } finally {
    await service.close()
  }
}

/** The processor's seconds of all processes that this one started and that have ended, as Linux adds them up: theirs and the system's for them. */
function secondsOfChildren(): number {
  const [user, system] =
    readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ').slice(13, 15) ?? []
  return (Number(user) + Number(system)) / 100
}
