// Runs the program from a checkout. Loading the sources through a TypeScript loader would take longer than a whole gate.
import { buildWhenStale } from './build-when-stale.mjs'

buildWhenStale()
await import('../../dist/lib/cli/main.js')
