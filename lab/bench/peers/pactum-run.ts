import { pactumFails } from './pactum.ts'

// A test run with pactum in a separate process. Like the program, it takes its fixtures from the environment.
const fixtures = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']))
process.exitCode = (await pactumFails(fixtures, 10_000)) ? 1 : 0
