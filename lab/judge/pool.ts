import { fork, type ChildProcess } from 'node:child_process'
import { on } from 'node:events'
import { bundled } from './bundle.ts'
import type { Ran } from './run.ts'
import { notRun, type Job } from './service.ts'
import type { Message } from './worker.ts'

/** A process without a sign of life for this long is in a loop, even on a busy machine, in milliseconds. */
const silentMs = 120_000
/** A run that shows signs of life but does not end within this time hangs, in milliseconds. */
const hangsMs = 1_200_000

/** Performs all runs, with this many processes in parallel. A process that hangs or ends is replaced. */
export async function runJobs(jobs: readonly Job[], atOnce: number, ended: (ran: Ran, done: number) => void) {
  const file = await bundled('lab/judge/worker.ts')
  const env = { ...process.env, NODE_NO_WARNINGS: '1' }
  const waiting = jobs.values()
  let done = 0
  const work = async (): Promise<void> => {
    let worker: ChildProcess | null = null
    for (const job of waiting) {
      worker ??= fork(file, { execArgv: [], serialization: 'advanced', env })
      const ran = await ranIn(worker, job)
      if (worker.exitCode !== null || worker.signalCode !== null) worker = null
      done += 1
      ended(ran, done)
    }
    worker?.disconnect()
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, work))
}

async function ranIn(worker: ChildProcess, job: Job): Promise<Ran> {
  let why = 'the process ended on its own'
  const kill = (reason: string) => (): void => {
    why = reason
    worker.kill('SIGKILL')
  }
  const long = setTimeout(kill(`no end after ${hangsMs / 60_000} minutes`), hangsMs)
  const silent = setTimeout(kill('no sign of life'), silentMs)
  worker.send(job)
  try {
    const messages: AsyncIterable<readonly Message[]> = on(worker, 'message', { close: ['exit'] })
    for await (const [ran = null] of messages) {
      silent.refresh()
      if (ran !== null) return ran
    }
    return { outcome: notRun(job, why) }
  } finally {
    clearTimeout(long)
    clearTimeout(silent)
  }
}
