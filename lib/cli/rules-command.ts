import { rulesJson, rulesMarkdown, rulesText } from '../report/rules-list.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import type { Console } from './console.ts'

/** Lists the rules as text, JSON or Markdown; the README's table is the last one. */
export function rulesCommand(format: string, console: Console): ExitCode {
  const list = format === 'json' ? rulesJson() : format === 'markdown' ? rulesMarkdown() : rulesText()
  console.out(list.endsWith('\n') ? list : `${list}\n`)
  return 0
}
