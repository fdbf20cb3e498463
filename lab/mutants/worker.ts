import type { Situations } from '../second-judge/comparison.ts'
import type { Job, Message } from './job.ts'
import { judgeMutant } from './judge-mutant.ts'
import { closeAll, watchSockets } from './open-sockets.ts'

/** How often this process says that it is alive, in milliseconds. */
const heartbeat = 250

let crashed = false

// The service's process would end now: its clients see closed connections, and then nobody.
const crash = (): void => {
  crashed = true
  closeAll()
}
process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
process.on('disconnect', () => process.exit())
process.on('message', (job: Job) => void work(job))

async function work(job: Job): Promise<void> {
  crashed = false
  const met: Situations = new Map()
  const outcome = await judgeMutant(job, () => crashed, met).catch((error: unknown) => ({
    id: job.id,
    profile: job.profile,
    result: 'error' as const,
    failed: [],
    warned: [],
    because: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    requests: 0,
    seconds: 0,
    crashed,
  }))
  tell({ kind: 'outcome', outcome, situations: [...met] })
}

function tell(message: Message): void {
  process.send?.(message)
}

watchSockets()
setInterval(() => tell({ kind: 'alive' }), heartbeat)
tell({ kind: 'ready' })
