import { Option } from 'commander'
import { resolve } from 'node:path'
import { rulesJson, rulesMarkdown, rulesText } from '../../report/render/rules-list.ts'
import { describeIssues } from '../../settings/issue.ts'
import { catalogueOf, specCatalogue } from '../../specification/catalogue.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { loadSuites } from '../own-suites.ts'
import type { Declare } from './command.ts'
import type { Console } from './console.ts'

/** `rules`: prints the rules of the specification, and those of a folder of the user's own. */
export const rulesCommand: Declare = (program, acts) =>
  program
    .command('rules')
    .description('list the rules: id, level, sentence, where the specification says so')
    .addOption(new Option('--format <format>', 'how').choices(['text', 'json', 'markdown']).default('text'))
    .option('--suites <folder>', 'a folder with rules of your own, which are listed, too')
    .action(acts(listRules))

const lists = { json: rulesJson, markdown: rulesMarkdown, text: rulesText }

interface RulesFlags {
  readonly format: keyof typeof lists
  readonly suites?: string
}

async function listRules(console: Console, { format, suites }: RulesFlags): Promise<ExitCode> {
  const folder = suites === undefined ? null : resolve(console.cwd, suites)
  const { value: own, issues } = await loadSuites(folder)
  if (issues.length > 0) {
    console.err(describeIssues(issues))
    return 2
  }
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own)])
  console.out(lists[format](catalogue))
  return 0
}
