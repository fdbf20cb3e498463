import type { Finding } from '../../lib/judge/record.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { runInProcess } from '../../tests/support/in-process.ts'
import { hangsAfterMs, type ProgramOptions } from '../../tests/support/program.ts'
import { argumentsOf } from '../../tests/support/replayed.ts'

/** What came of the replay lines of a run: how many ended in each exit code, and what is wrong with it. */
interface Replays {
  readonly replays: Readonly<Record<string, number>>
  readonly shortcomings: readonly string[]
}

/** Follows the line of the first finding of each red rule, by the service and the settings of its run: none may acquit it. */
export async function followReplays(verdict: Verdict | null, options: ProgramOptions): Promise<Replays> {
  const red = verdict?.rules.filter(({ status }) => status === 'failed' || status === 'warned') ?? []
  const replays: Record<string, number> = {}
  const shortcomings: string[] = []
  for (const { id, findings } of red) {
    const finding = findings.find(({ replay }) => replay !== null)
    if (finding === undefined) continue
    const { code, stdout, stderr } = await followed(finding, options)
    // What was wrong only sometimes may be right 20 times, and the line says no more than that.
    const isUnseen = code === 0 && finding.replay?.includes(' --times ') === true
    const end = isUnseen ? 'not seen' : `${code}`
    replays[end] = (replays[end] ?? 0) + 1
    if (code !== 1 && code !== 3 && !isUnseen)
      shortcomings.push(`a replay of ${id} ends in ${code}: ${finding.replay}\n${stdout}${stderr}`)
  }
  return { replays, shortcomings }
}

async function followed(finding: Finding, options: ProgramOptions): ReturnType<typeof runInProcess> {
  return runInProcess(argumentsOf(finding), { ...options, limitMs: 2 * hangsAfterMs })
}
