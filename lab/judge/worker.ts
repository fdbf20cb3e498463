// Judges one service after another, on request of the parent process.
import { inspect } from 'node:util'
import { closeAll } from '../mutants/open-sockets.ts'
import { judgeJob, type Ran } from './run.ts'
import { notRun, type Job } from './service.ts'

/** A message from a worker: the result of a job, or null, which says that it is alive. */
export type Message = Ran | null

/** How often this process reports that it is alive, in milliseconds. */
const heartbeat = 1_000

let isMutant = false

// A real service would end now: its clients would see closed connections, then no server. Any other error is
// ours.
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
  tell(await judgeJob(job).catch((error: unknown) => ({ outcome: notRun(job, inspect(error)) })))
}

function tell(message: Message): void {
  // The parent process may have ended in the meantime.
  process.send?.(message, undefined, {}, () => {})
}

setInterval(() => tell(null), heartbeat)
