import { areaOf, ruleIds, ruleOf, type Rule, type RuleId } from '../spec/rules.ts'
import { groupBy } from '../spec/group-by.ts'
import { plural } from './words.ts'

interface ListedRule {
  readonly id: RuleId
  readonly level: Rule['level']
  readonly section: string
  readonly says: string
  readonly phase: Rule['phase']
  readonly needs: string | null
}

const listed: readonly ListedRule[] = ruleIds.map((id) => {
  const { level, section, says, phase, needs = null } = ruleOf(id)
  return { id, level, section, says, phase, needs }
})

/** The catalogue for a person: a block for each rule, by area. */
export function rulesText(): string {
  const areas = [...groupBy(listed, ({ id }) => areaOf(id))]
  const blocks = areas.flatMap(([area, members]) => [
    `${area} (${plural(members.length, 'rule')})`,
    ...members.map(block),
  ])
  return `${blocks.join('\n\n')}\n`
}

function block({ id, level, section, says, needs }: ListedRule): string {
  const lines = [
    `${id} (${level})`,
    `  ${says}`,
    `  source  ${section}`,
    ...(needs === null ? [] : [`  needs   ${needs}`]),
  ]
  return lines.join('\n')
}

/** The catalogue for programs: an array of `{ id, level, section, says, phase, needs }`, `needs` null where nothing is needed. */
export function rulesJson(): string {
  return `${JSON.stringify(listed, null, 2)}\n`
}

/** The catalogue as the table in `docs/rules.md`. */
export function rulesMarkdown(): string {
  const rows = listed.map(({ id, level, says, section, needs }) => [
    `\`${id}\``,
    level,
    markdownCell(says),
    markdownCell(section),
    markdownCell(needs ?? ''),
  ])
  const header = ['rule', 'level', 'what must hold', 'specification', 'needs']
  const table = [header, header.map(() => '---'), ...rows]
  return `${table.map(markdownRow).join('\n')}\n`
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`.replaceAll(/ {2,}/g, ' ')
}

/** A text as a cell of a Markdown table: no character of it ends the cell or the row, or begins a tag. */
export function markdownCell(text: string): string {
  return text.replaceAll(/[\\|<]/g, String.raw`\$&`).replaceAll(/\s*\n\s*/g, ' ')
}
