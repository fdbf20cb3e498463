import { fork, type ChildProcess } from 'node:child_process'
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

function ranIn(worker: ChildProcess, job: Job): Promise<Ran> {
  return new Promise((resolve) => {
    let why = 'the process ended on its own'
    const kill = (reason: string) => (): void => {
      why = reason
      worker.kill('SIGKILL')
    }
    const long = setTimeout(kill(`no end after ${hangsMs / 60_000} minutes`), hangsMs)
    let silent = setTimeout(kill('no sign of life'), silentMs)
    const settle = (ran: Ran): void => {
      clearTimeout(long)
      clearTimeout(silent)
      worker.off('message', listen)
      worker.off('exit', died)
      resolve(ran)
    }
    const listen = (message: Message): void => {
      clearTimeout(silent)
      silent = setTimeout(kill('no sign of life'), silentMs)
      if (message !== null) settle(message)
    }
    const died = (): void => settle({ outcome: notRun(job, why) })
    worker.on('message', listen)
    worker.once('exit', died)
    worker.send(job)
  })
}
