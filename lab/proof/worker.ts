import { runSubject } from './run-subject.ts'
import type { Job, Outcome } from './subject.ts'

process.on('message', (job: Job) => void work(job))

async function work(job: Job): Promise<void> {
  const outcome = await runSubject(job).catch((error: unknown) => notRun(job, error))
  process.send?.(outcome)
}

/** What is said of a run that could not be made: the others go on. */
function notRun(job: Job, error: unknown): Outcome {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    ...job,
    code: null,
    red: [],
    failed: [],
    notJudged: [],
    causes: 0,
    requests: 0,
    seconds: 0,
    memoryMiB: null,
    result: 'not run',
    shortcomings: [`could not be run: ${reason}`],
  }
}
