import { fork, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A process that answers one question after the other. */
export interface Asked<Question, Answer> {
  readonly ask: (question: Question) => Promise<Answer>
  readonly end: () => void
}

/** A module of `lab/bench/`, relative to that folder, as it was compiled. */
export function moduleFile(name: string): string {
  return fileURLToPath(new URL(`../${name}.js`, import.meta.url))
}

/** Starts a module that calls `answering` in a process of its own. Questions wait for each other; throws where the process dies of one. */
export function startChild<Question, Answer>(module: string): Asked<Question, Answer> {
  const child = fork(moduleFile(module), { execArgv: [] })
  let earlier: Promise<unknown> = Promise.resolve()
  return {
    ask: (question) => {
      const answer = earlier.then(() => answerOf<Answer>(child, module, question))
      earlier = answer.catch(() => {})
      return answer
    },
    end: () => void child.kill(),
  }
}

/** Answers one question in a process of its own, which ends with it. */
export async function inOwnProcess<Answer>(module: string, question: unknown): Promise<Answer> {
  const child = startChild<unknown, Answer>(module)
  try {
    return await child.ask(question)
  } finally {
    child.end()
  }
}

interface Told<Answer> {
  readonly answer?: Answer
  readonly error?: string
}

function answerOf<Answer>(child: ChildProcess, module: string, question: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const died = (code: number | null): void => reject(new Error(`${module} ended with ${code}`))
    child.once('exit', died)
    child.once('message', ({ answer, error }: Told<Answer>) => {
      child.off('exit', died)
      if (answer === undefined) reject(new Error(`${module}: ${error}`))
      else resolve(answer)
    })
    child.send({ question })
  })
}

type Answerer<Question, Answer> = (question: Question) => Promise<Answer>

/** The other side of `startChild`: answers every question that this process is asked. */
export function answering<Question, Answer>(answer: Answerer<Question, Answer>): void {
  process.on('message', ({ question }: { readonly question: Question }) => {
    answer(question).then(
      (given) => process.send?.({ answer: given }),
      (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
    )
  })
}

/** The largest resident memory of this process so far, in MiB. Elsewhere than on Linux a forked process may be told its parent's. */
export function peakMiB(): number {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return Number(kilobytes) / 1024
  } catch {
    return process.resourceUsage().maxRSS / 1024
  }
}
