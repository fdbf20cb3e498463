import { memoryTransport } from '../../lab/judge/memory.ts'
import { startService } from '../../lab/service/start.ts'
import { describeIssues, judge, readSettings } from '../../lib/doors/library/library.ts'
import type { ReferenceOptions } from '../../lib/serve/reference/service.ts'
import { settingsFor } from './program.ts'

/** The verdict on the reference service. The run uses no socket unless a case depends on bytes on the wire. */
export async function judgedInMemory(options: ReferenceOptions, env: Readonly<Record<string, string>> = {}) {
  const service = await startService(options)
  try {
    const read = await readSettings({ env: { ...settingsFor(service), ...env } })
    if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
    const { concurrency: connections, timeoutMs } = read.settings.run
    const inMemory = memoryTransport(service, { connections, timeoutMs })
    const { verdict } = await judge(read.settings, read.suites, inMemory)
    return inMemory.signal.aborted ? (await judge(read.settings, read.suites)).verdict : verdict
  } finally {
    await service.close()
  }
}
