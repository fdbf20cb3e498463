import { describeIssues, judge, readSettings } from '../../lib/doors/library/library.ts'
import { memoryTransport } from '../../lab/judge/memory.ts'
import { startService } from '../../lab/service/start.ts'
import type { ReferenceOptions } from '../../lib/serve/reference/service.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { settingsFor } from './program.ts'

/** The verdict on the reference service, whose handler is asked without a socket. */
export async function judgedInMemory(
  options: ReferenceOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<Verdict> {
  const service = await startService(options)
  try {
    const read = await readSettings({ env: { ...settingsFor(service), ...env } })
    if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
    const { concurrency, timeoutMs } = read.settings.run
    const ending = new AbortController()
    const transport = memoryTransport(service, { connections: concurrency, timeoutMs }, (why) =>
      ending.abort(why),
    )
    const { verdict } = await judge(read.settings, read.suites, { transport, signal: ending.signal })
    ending.signal.throwIfAborted()
    return verdict
  } finally {
    await service.close()
  }
}
