// Judges fuzz/api-key with COUNT cases in memory, and prints the peak resident memory of this process in KiB.
import { readFileSync } from 'node:fs'
import { judge, readSettings } from '../../lib/doors/library/library.ts'
import { startReference } from '../../lib/serve/reference/service.ts'
import { settingsFor } from '../../tests/support/program.ts'
import { memoryTransport } from '../judge/memory.ts'

const [cases = ''] = process.argv.slice(2)
const service = await startReference()
const env = {
  ...settingsFor(service),
  RUN_PROFILE: 'nightly',
  RUN_ONLY: 'fuzz/api-key',
  RUN_FUZZ_CASES: cases,
  RUN_MAX_REQUESTS: String(3 * Number(cases) + 1_000),
}
const read = await readSettings({ env })
if (read.kind === 'issues') throw new Error(JSON.stringify(read.issues))
const { concurrency: connections, timeoutMs } = read.settings.run
const transport = memoryTransport(service, { connections, timeoutMs }, (why) => {
  throw why
})
const { verdict } = await judge(read.settings, read.suites, { transport })
await service.close()
if (verdict.exitCode !== 0 || verdict.requests.sent < Number(cases))
  throw new Error(verdict.because.join('; '))
process.stdout.write(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '')
