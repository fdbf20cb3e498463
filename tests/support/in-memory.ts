import { judgeInMemory, soundSettings } from '../../lab/judge/memory.ts'
import { startService } from '../../lab/service/start.ts'
import { judge } from '../../lib/doors/library/library.ts'
import type { ReferenceOptions } from '../../lib/serve/reference/service.ts'
import { settingsFor } from './program.ts'

/** The verdict on the reference service. The run uses no socket unless a case depends on bytes on the wire. */
export async function judgedInMemory(options: ReferenceOptions, env: Readonly<Record<string, string>> = {}) {
  const service = await startService(options)
  try {
    const read = await soundSettings({ ...settingsFor(service), ...env })
    return (await judgeInMemory(service, read)) ?? (await judge(read.settings, read.suites)).verdict
  } finally {
    await service.close()
  }
}
