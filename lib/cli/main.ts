#!/usr/bin/env node
import type { ExitCode } from '../report/verdict.ts'
import { processConsole } from './console.ts'
import { main } from './program.ts'

const code = await main(process.argv.slice(2), processConsole()).catch((error: unknown): ExitCode => {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`the suite itself failed: ${reason}\n`)
  return 4
})

// Whatever is still open (an idle connection, a worker that ends) must not keep a pipeline waiting.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
