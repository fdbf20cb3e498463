import { join } from 'node:path'
import { verdictWith } from '../../lib/verdict/verdict.testing.ts'
import { verdictJson } from '../../lib/verdict/verdict.ts'
import { filled } from './program.ts'

/** The conformant verdict of an earlier run. */
export const yesterdays = verdictJson(verdictWith({ verdict: 'conformant', exitCode: 0, because: [] }))

/** Creates a folder with the reports of that run. Default name: `reports`. */
export function withYesterdays(cwd: string, name = 'reports'): Promise<string> {
  const others = { 'junit.xml': '<yesterday/>', 'allure-results/a-result.json': '{}' }
  return filled(join(cwd, name), { 'verdict.json': yesterdays, ...others })
}
