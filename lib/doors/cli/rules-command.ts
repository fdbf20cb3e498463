import { resolve } from 'node:path'
import { rulesJson, rulesMarkdown, rulesText } from '../../report/render/rules-list.ts'
import { describeIssues } from '../../settings/issue.ts'
import { catalogueOf, specCatalogue } from '../../specification/catalogue.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import type { Console } from './console.ts'

/** The flags of `rules`. */
interface RulesFlags {
  readonly format: string
  readonly suites?: string
}

/** Prints the rules of the specification, and those of a folder of the user's own. */
export async function rulesCommand(console: Console, { format, suites }: RulesFlags): Promise<ExitCode> {
  const own = suites === undefined ? null : await loadFrom(resolve(console.cwd, suites))
  if (own !== null && own.issues.length > 0) {
    console.err(describeIssues(own.issues))
    return 2
  }
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own?.value ?? [])])
  const lists = { json: rulesJson, markdown: rulesMarkdown, text: rulesText }
  const list = format === 'json' || format === 'markdown' ? lists[format] : lists.text
  console.out(list(catalogue))
  return 0
}

async function loadFrom(folder: string) {
  const { loadSuites } = await import('../own-suites.ts')
  return loadSuites({ folder, given: [] })
}
