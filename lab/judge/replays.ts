import type { Verdict } from '../../lib/verdict/verdict.ts'
import { runInProcess } from '../../tests/support/in-process.ts'
import { rulesThat, type ProgramOptions } from '../../tests/support/program.ts'
import { argumentsOf } from '../../tests/support/replayed.ts'

/** Faults whose lines may all the same find nothing: where a scene of several cases gets no answer, each is blamed, and is sent again by itself. */
const exempt: ReadonlySet<string> = new Set([
  'inactive-endpoint-drips',
  'unauthorized-client-never-answered',
  'errors-cut-where-the-connection-closes',
  'invalid-parameters-body-cut',
])

/** What the replay line of the first finding of each red rule ends in, by the service and the settings of its run: none may acquit it. */
export async function followReplays(
  service: string,
  verdict: Verdict | null,
  options: ProgramOptions,
): Promise<{ readonly replays: readonly string[]; readonly acquitted: readonly string[] }> {
  const replays: string[] = []
  const acquitted: string[] = []
  for (const rule of rulesThat(verdict, 'failed', 'warned')) {
    const { findings = [] } = verdict?.rules.find(({ id }) => id === rule) ?? {}
    const finding = findings.find(({ replay }) => replay !== null)
    if (finding === undefined) continue
    const { code, stdout, stderr } = await runInProcess(argumentsOf(finding), options)
    // What was wrong only sometimes may be right 20 times, and no more than that is said of it.
    const isUnseen = code === 0 && stdout.includes(': not seen. ')
    replays.push(isUnseen ? 'not seen' : String(code))
    if (code !== 1 && code !== 3 && !isUnseen && !exempt.has(service))
      acquitted.push(`a replay of ${rule} ends in ${code}: ${finding.replay}\n${stdout}${stderr}`)
  }
  return { replays, acquitted }
}
