// Judges fuzz/api-key with COUNT cases in memory, and prints the peak resident memory of this process in KiB.
import { readFileSync } from 'node:fs'
import { judgedInMemory } from '../../tests/support/in-memory.ts'

const [cases = ''] = process.argv.slice(2)
const RUN_MAX_REQUESTS = String(3 * Number(cases) + 1_000)
const env = { RUN_PROFILE: 'nightly', RUN_ONLY: 'fuzz/api-key', RUN_FUZZ_CASES: cases, RUN_MAX_REQUESTS }
const { exitCode, requests, because } = await judgedInMemory({}, env)
if (exitCode !== 0 || requests.sent < Number(cases)) throw new Error(because.join('; '))
process.stdout.write(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '')
