import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { built } from '../../bin/build.mjs'
import { capturedConsole } from '../../lib/doors/cli/console.testing.ts'
import { wantsColour } from '../../lib/doors/cli/console.ts'
import { emptyFolder, hangsAfterMs, readVerdict, reportsFolderOf, runProgram, type Run } from './program.ts'

/** The built program, in the form that a process would load. */
const chunk = new URL('lib/chunks/program.js', built()).href
const { main }: typeof import('../../lib/doors/cli/program.ts') = await import(chunk)

/**
 * Runs the built program in this process with a captured console. This leaves out only Node's start, signals and the exit itself.
 * Starts a process instead if a test needs Node's start: `started`, `through` or a variable that Node reads.
 */
export const runInProcess: Run = async (args, options = {}) => {
  const { started, through, main: other, env: own = {} } = options
  const forNode = Object.keys(own).some((name) => name.startsWith('NODE_'))
  if (forNode || [started, through, other].some((one) => one !== undefined)) return runProgram(args, options)
  const cwd = options.cwd ?? (await emptyFolder())
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, ...own }
  const { console, said } = capturedConsole({ env, cwd, colour: wantsColour(env, false) })

  // Null after `hangsAfterMs`, as for a killed process.
  const code = await Promise.race([main(args, console), sleep(hangsAfterMs, null, { ref: false })])

  const verdict = await readVerdict(join(reportsFolderOf(cwd, own), 'verdict.json'))
  return { code, ...said, verdict, cwd, memoryMiB: null }
}
