import { pactumFails } from './pactum.ts'

// A test run with pactum, as a process of its own; its fixtures are in the environment, as those of the program are.
const fixtures = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']))
process.exitCode = (await pactumFails(fixtures, 10_000)) ? 1 : 0
