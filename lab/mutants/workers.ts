import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { addSituations, type Situations } from '../second-judge/comparison.ts'
import type { Job, Message, MutantOutcome } from './job.ts'

const workerFile = fileURLToPath(new URL('worker.ts', import.meta.url))

/** How patient the watchdog is, in milliseconds. */
export interface Patience {
  /** Without a sign of life: the process is in a loop. */
  readonly silentMs: number
  /** With one run in this profile. */
  readonly runMs: Readonly<Record<Job['profile'], number>>
}

/** For a busy machine: a gate takes about a second, an acceptance a few; one whose answers never end takes as long as it is waited for. */
export const usualPatience: Patience = {
  silentMs: 120_000,
  runMs: { gate: 1_200_000, acceptance: 2_400_000 },
}

/**
 * Judges all jobs, so many side by side, each in one of as many processes, which are ended and replaced if they hang. What both
 * judges say of their exchanges is added to the situations.
 */
export async function runMutants(
  jobs: readonly Job[],
  atOnce: number,
  patience: Patience,
  ended: (outcome: MutantOutcome, done: number) => void,
  met: Situations = new Map(),
): Promise<readonly MutantOutcome[]> {
  const waiting = jobs.entries()
  const outcomes: MutantOutcome[] = []
  let done = 0
  const work = async (): Promise<void> => {
    let worker: Worker | null = null
    for (const [place, job] of waiting) {
      worker ??= new Worker(patience)
      const outcome = await worker.outcomeOf(job, met)
      if (worker.hasEnded) worker = null
      outcomes[place] = outcome
      done += 1
      ended(outcome, done)
    }
    worker?.end()
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, work))
  return outcomes
}

/** One process, which judges one mutant after the other. */
class Worker {
  readonly #process: ChildProcess
  readonly #patience: Patience
  readonly #ready: Promise<void>

  constructor(patience: Patience) {
    this.#patience = patience
    // What a mutant makes node warn of is no news.
    const env = { ...process.env, NODE_NO_WARNINGS: '1' }
    this.#process = fork(workerFile, { execArgv: ['--import', 'tsx'], env })
    this.#ready = new Promise((resolve, reject) => {
      this.#process.once('message', () => resolve())
      this.#process.once('exit', (code) =>
        reject(new Error(`a process that judges mutants ended with ${String(code)} before it was ready`)),
      )
    })
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  end(): void {
    this.#process.kill('SIGKILL')
  }

  /** Never rejects once the process is ready: one that hangs is ended, and that is the outcome. */
  async outcomeOf(job: Job, met: Situations): Promise<MutantOutcome> {
    await this.#ready
    const { silentMs, runMs } = this.#patience
    const started = performance.now()
    return new Promise((resolve) => {
      let why = 'the process ended by itself'
      const end = (reason: string) => (): void => {
        why = reason
        this.end()
      }
      const long = setTimeout(end('the run took too long'), runMs[job.profile])
      let silent = setTimeout(end('no sign of life'), silentMs)
      const settle = (outcome: MutantOutcome): void => {
        clearTimeout(long)
        clearTimeout(silent)
        this.#process.off('message', listen)
        this.#process.off('exit', died)
        resolve(outcome)
      }
      const listen = (message: Message): void => {
        clearTimeout(silent)
        silent = setTimeout(end('no sign of life'), silentMs)
        if (message.kind !== 'outcome') return
        addSituations(new Map(message.situations), met)
        settle(message.outcome)
      }
      const died = (): void => settle(timeout(job, why, performance.now() - started))
      this.#process.on('message', listen)
      this.#process.once('exit', died)
      this.#process.send(job)
    })
  }
}

function timeout({ id, profile }: Job, why: string, ms: number): MutantOutcome {
  return {
    id,
    profile,
    result: 'timeout',
    failed: [],
    warned: [],
    because: [why],
    requests: 0,
    seconds: Math.round(ms / 10) / 100,
    crashed: false,
  }
}
