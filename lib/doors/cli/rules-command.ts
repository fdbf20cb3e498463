import { resolve } from 'node:path'
import { rulesJson, rulesMarkdown, rulesText } from '../../report/render/rules-list.ts'
import { catalogueOf, specCatalogue } from '../../specification/rules.ts'
import { loadSuites } from '../own-suites.ts'
import { formatOption, refuse, type Declare } from './command.ts'
import type { Console } from './console.ts'

/** `rules`: prints the rules from the specification and from a user's folder. */
export const rulesCommand: Declare = (program, acts) =>
  program
    .command('rules')
    .description('list the rules: id, level, sentence and section of the specification')
    .addOption(formatOption('text', 'json', 'markdown'))
    .option('--suites <folder>', 'folder with your own rules, to list them also')
    .action(acts(listRules))

const lists = { json: rulesJson, markdown: rulesMarkdown, text: rulesText }

interface RulesFlags {
  readonly format: keyof typeof lists
  readonly suites?: string
}

async function listRules(console: Console, { format, suites }: RulesFlags) {
  const folder = suites === undefined ? null : resolve(console.cwd, suites)
  const { value: own, issues } = await loadSuites(folder)
  refuse(issues)
  const catalogue = new Map([...specCatalogue, ...catalogueOf(own)])
  console.out(lists[format](catalogue))
}
