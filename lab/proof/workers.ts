import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Job, Outcome } from './subject.ts'

const workerFile = fileURLToPath(new URL('worker.ts', import.meta.url))

/**
 * Runs the jobs, so many side by side, each in one of as many processes: searching what one run wrote must not keep the
 * service of another from answering. Throws where such a process dies.
 */
export async function runJobs(
  jobs: readonly Job[],
  atOnce: number,
  ended: (outcome: Outcome, done: number) => void,
): Promise<readonly Outcome[]> {
  const waiting = jobs.entries()
  const outcomes: Outcome[] = []
  let done = 0
  const workers = Array.from({ length: Math.min(atOnce, jobs.length) }, () =>
    fork(workerFile, { execArgv: ['--import', 'tsx'] }),
  )
  const work = async (worker: ChildProcess): Promise<void> => {
    for (const [place, job] of waiting) {
      const outcome = await outcomeOf(worker, job)
      outcomes[place] = outcome
      done += 1
      ended(outcome, done)
    }
  }
  try {
    await Promise.all(workers.map(work))
    return outcomes
  } finally {
    for (const worker of workers) worker.kill()
  }
}

async function outcomeOf(worker: ChildProcess, job: Job): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const died = (code: number | null): void => {
      reject(new Error(`the process that ran ${job.kind} ${job.name} in ${job.profile} ended with ${code}`))
    }
    worker.once('exit', died)
    worker.once('message', (outcome: Outcome) => {
      worker.off('exit', died)
      resolve(outcome)
    })
    worker.send(job)
  })
}
