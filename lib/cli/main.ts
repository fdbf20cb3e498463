#!/usr/bin/env node
// Nothing is imported before there is something that catches what goes wrong: Node ends in 1 then, which would say nonconformant.
import type { ExitCode } from '../report/verdict.ts'

/** Where nothing else is said, as where nothing is left to wait for, the suite itself failed. */
process.exitCode = 4
process.on('uncaughtException', lastResort)
process.on('unhandledRejection', lastResort)
process.stdout.on('error', (error) => isLost(error) && process.exit(4))
// What is said there besides is no part of the verdict.
process.stderr.on('error', () => {})

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `this program needs Node 20.19 or newer, and was started by Node ${process.versions.node}: install a newer one from https://nodejs.org\n`,
  )
  process.exit(4)
}

const code = await loaded()
process.exitCode = code
// Whatever is still open (an idle connection, a worker that ends) must not keep a pipeline waiting.
process.stdout.write('', (error) => process.stderr.write('', () => process.exit(isLost(error) ? 4 : code)))

async function loaded(): Promise<ExitCode> {
  try {
    const { holdSignals } = await import('./early-signals.ts')
    holdSignals()
    const { processConsole } = await import('./console.ts')
    const { main } = await import('./program.ts')
    return await main(process.argv.slice(2), processConsole())
  } catch (error) {
    process.stderr.write(`${failureOf(error)}\n`)
    return 4
  }
}

/** What was written before the run says that it did not finish. */
function lastResort(error: unknown): void {
  process.stderr.write(`${failureOf(error)}\n`)
  process.exit(4)
}

/** Whether output could not be written. A reader that went away, as `head` does, wanted no more of it. */
function isLost(error: NodeJS.ErrnoException | null | undefined): boolean {
  return error instanceof Error && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED'
}

/** Commands are loaded when they are wanted, so that a part of the program may turn out to be missing at any time. */
function failureOf(error: unknown): string {
  const problem = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  const { message, stack = message } = error instanceof Error ? error : { message: String(error) }
  if (problem === 'ERR_MODULE_NOT_FOUND') {
    return `the program cannot be loaded: ${message}; it is not installed, or not wholly: run npm ci in a checkout, or install the package again`
  }
  if (problem === 'EMFILE' || problem === 'ENFILE') {
    return `the program cannot be loaded: ${message}; it may open too few files: raise the limit, with ulimit -n 1024 for example, and try again`
  }
  return `the suite itself failed: ${stack}`
}
