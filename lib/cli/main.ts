#!/usr/bin/env node
import { processConsole } from './console.ts'
import { main } from './program.ts'

const code = await main(process.argv.slice(2), processConsole())

// Whatever is still open (an idle connection, a worker that ends) must not keep a pipeline waiting.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
