import type { Verdict } from '../../lib/verdict/verdict.ts'
import { runInProcess } from '../../tests/support/in-process.ts'
import { argumentsOf, rulesThat, type ProgramOptions } from '../../tests/support/program.ts'

/**
 * Faults whose replay lines may find nothing. If a scene of several cases gets no answer, each case is blamed
 * and sent again on its own. Other faults need what the run sent before: a success within the last second, or
 * several requests on one connection.
 */
const exempt: ReadonlySet<string> = new Set([
  'inactive-endpoint-drips',
  'unauthorized-client-never-answered',
  'errors-cut-where-the-connection-closes',
  'invalid-parameters-body-cut',
  'list-fails-late-on-connection',
  'secret-key-not-compared-late-on-connection',
  'success-cached-by-url',
  'success-cached-by-url-and-key',
  'success-cached-by-url-and-secret',
  'success-cached-for-other-connections',
])

/**
 * The results of replaying the first finding of each red rule, given the service and the settings of its run.
 * None may acquit the service.
 */
export async function followReplays(service: string, verdict: Verdict | null, options: ProgramOptions) {
  const replays: string[] = []
  const acquitted: string[] = []
  for (const rule of rulesThat(verdict, 'failed', 'warned')) {
    const { findings = [] } = verdict?.rules.find(({ id }) => id === rule) ?? {}
    const finding = findings.find(({ replay }) => replay !== null)
    if (finding === undefined) continue
    const { code, stdout, stderr } = await runInProcess(argumentsOf(finding), options)
    // An intermittent fault may be right 20 times, and the replay claims no more than that.
    const isUnseen = code === 0 && stdout.includes(': not seen. ')
    replays.push(isUnseen ? 'not seen' : String(code))
    if (code !== 1 && code !== 3 && !isUnseen && !exempt.has(service))
      acquitted.push(`a replay of ${rule} ends in ${code}: ${finding.replay}\n${stdout}${stderr}`)
  }
  return { replays, acquitted }
}
