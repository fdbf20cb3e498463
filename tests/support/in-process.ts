import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { built } from '../../bin/build.mjs'
import { capturedConsole } from '../../lib/doors/cli/console.testing.ts'
import { wantsColour } from '../../lib/doors/cli/console.ts'
import {
  emptyFolder,
  hangsAfterMs,
  readVerdict,
  reportsFolderOf,
  runProgram,
  type ProgramOptions,
  type ProgramResult,
} from './program.ts'

/** The built program, in the form that a process would load. */
const { main }: typeof import('../../lib/doors/cli/program.ts') = await import(
  new URL('lib/chunks/program.js', built()).href
)

/**
 * Runs the built program in this process with a captured console. This leaves out only Node's start, signals and the exit itself.
 * Starts a process instead if a test needs Node's start: `started`, `through` or a variable that Node reads.
 */
export async function runInProcess(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  if (needsProcess(options)) return runProgram(args, options)
  const cwd = options.cwd ?? (await emptyFolder())
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...options.env }
  const { console, said } = capturedConsole({ env, cwd, colour: wantsColour(env, false) })
  const code = await endOf(main(args, console))

  return {
    code,
    ...said,
    verdict: await readVerdict(join(reportsFolderOf(cwd, options.env), 'verdict.json')),
    cwd,
    memoryMiB: null,
  }
}

/** The exit code, or null after `hangsAfterMs`, as for a killed process. */
async function endOf(code: Promise<number>): Promise<number | null> {
  const ended = new AbortController()
  const late = sleep(hangsAfterMs, null, { signal: ended.signal })
  return Promise.race([code, late]).finally(() => ended.abort())
}

function needsProcess({ started, through, main: other, env = {} }: ProgramOptions): boolean {
  return (
    started !== undefined ||
    other !== undefined ||
    through !== undefined ||
    Object.keys(env).some((name) => name.startsWith('NODE_'))
  )
}
