import type { IncomingMessage, ServerResponse } from 'node:http'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { describeIssues, judge, readSettings, type Verdict } from '../../lib/doors/library/library.ts'
import { startReference } from '../../lib/serve/reference/service.ts'

/** How often runs noticed a service that is wrong at random. */
export interface Noticed {
  /** Answers of a run that could have shown a breach, as the verdict of a service without fault says. */
  readonly answers: number
  /** The rate of wrong answers, as a multiple of one in `answers`. */
  readonly times: number
  readonly runs: number
  readonly noticed: number
}

/** Shares of runs that are to notice one, three and five wrong answers in as many as a run judges: 1 − e^−times. */
export const expectedShares = { 1: 0.632, 3: 0.95, 5: 0.993 } as const

/** Judges a service that is wrong at one, three and five times one in as many answers as a run judges, `runs` times each. */
export async function noticedAtRandom(
  flags: Readonly<Record<string, string>>,
  runs: number,
  draw: () => number,
  told: (text: string) => void,
): Promise<readonly Noticed[]> {
  let rate = 0
  return withWrongAnswers(
    flags,
    () => draw() < rate,
    async (judged) => {
      const answers = answersOf(await judged())
      const all: Noticed[] = []
      for (const times of Object.keys(expectedShares).map(Number)) {
        rate = times / answers
        let noticed = 0
        for (let run = 0; run < runs; run += 1) if ((await judged()).exitCode !== 0) noticed += 1
        all.push({ answers, times, runs, noticed })
        told(`${times} in ${answers}: noticed by ${noticed} of ${runs}\n`)
      }
      return all
    },
  )
}

/** Judges a service once for each of its requests, that one being answered wrongly. */
export async function answersNoticed(
  flags: Readonly<Record<string, string>>,
): Promise<{ readonly answers: number; readonly sent: number; readonly noticed: number }> {
  let [arrived, wrong] = [0, -1]
  return withWrongAnswers(
    flags,
    () => arrived++ === wrong,
    async (judged) => {
      const without = await judged()
      const { sent } = without.requests
      let noticed = 0
      for (wrong = 0; wrong < sent; wrong += 1) {
        arrived = 0
        if ((await judged()).exitCode !== 0) noticed += 1
      }
      return { answers: answersOf(without), sent, noticed }
    },
  )
}

function answersOf({ exitCode, because, power }: Verdict): number {
  if (exitCode !== 0 || power === undefined) throw new Error(`without a fault: ${because.join('; ')}`)
  return power.answers
}

/** Calls back with a function that judges a service whose answers are now and then an error that is documented nowhere. */
async function withWrongAnswers<Result>(
  flags: Readonly<Record<string, string>>,
  isWrong: () => boolean,
  work: (judged: () => Promise<Verdict>) => Promise<Result>,
): Promise<Result> {
  const intervene = (_: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const wrong = isWrong()
    if (wrong) response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"internal"}')
    return Promise.resolve(wrong)
  }
  const service = await startReference({ intervene })
  try {
    const read = await readSettings({ env: { ...settingsOf(service), ...flags } })
    if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
    const { settings, suites } = read
    return await work(async () => (await judge(settings, suites)).verdict)
  } finally {
    await service.close()
  }
}
