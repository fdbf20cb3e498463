// Judges one service after another, as the process that started it asks.
import { closeAll } from '../mutants/open-sockets.ts'
import type { Situation } from '../second-judge/comparison.ts'
import { judgeJob, type Ran } from './run.ts'
import { notRun, type Job } from './service.ts'

/** What a worker says: that it is alive, or what came of a job. */
export type Message =
  | { readonly kind: 'alive' }
  | {
      readonly kind: 'ran'
      readonly ran: Omit<Ran, 'situations'> & {
        readonly situations: readonly (readonly [string, Situation])[]
      }
    }

/** How often this process says that it is alive, in milliseconds. */
const heartbeat = 1_000

let isMutant = false

// The service's process would end now: its clients see closed connections, and then nobody. Any other error is ours.
const crash = (error: unknown): void => {
  if (!isMutant) throw error
  closeAll()
}
process.on('uncaughtException', crash)
process.on('unhandledRejection', crash)
process.on('disconnect', () => process.exit())
process.on('message', (job: Job) => void work(job))

async function work(job: Job): Promise<void> {
  isMutant = job.of === 'mutants'
  const ran = await judgeJob(job).catch((error: unknown) => ({
    outcome: notRun(job, error instanceof Error ? (error.stack ?? error.message) : String(error)),
    situations: new Map<string, Situation>(),
    line: null,
    replays: [],
    sought: null,
  }))
  tell({ kind: 'ran', ran: { ...ran, situations: [...ran.situations] } })
}

function tell(message: Message): void {
  // Who started this process may have gone meanwhile.
  process.send?.(message, undefined, {}, () => {})
}

setInterval(() => tell({ kind: 'alive' }), heartbeat)
