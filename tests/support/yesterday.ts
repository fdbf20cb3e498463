import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verdictJson } from '../../lib/verdict/verdict-json.ts'
import { verdictWith } from '../../lib/verdict/verdict.testing.ts'

/** The conformant verdict of an earlier run. */
export const yesterdays = verdictJson(verdictWith({ verdict: 'conformant', exitCode: 0, because: [] }))

/** Creates a folder with the reports of that run. Default name: `reports`. */
export async function withYesterdays(cwd: string, name = 'reports'): Promise<string> {
  const folder = join(cwd, name)
  await mkdir(join(folder, 'allure-results'), { recursive: true })
  await writeFile(join(folder, 'verdict.json'), yesterdays)
  await writeFile(join(folder, 'junit.xml'), '<yesterday/>')
  await writeFile(join(folder, 'allure-results', 'a-result.json'), '{}')
  return folder
}
