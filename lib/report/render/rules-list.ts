import { areaOf, countedRules, type Catalogue } from '../../specification/rules.ts'
import { groupBy } from '../../text/members.ts'
import { plural } from '../../text/printable.ts'

function listed(catalogue: Catalogue) {
  const all = [...catalogue].map(([id, { level, section, says, phase, needs = null }]) => {
    return { id, level, section, says, phase, needs }
  })
  return countedRules(all)
}

/** The rule catalogue as text, by area. */
export function rulesText(catalogue: Catalogue) {
  const areas = [...groupBy(listed(catalogue), ({ id }) => areaOf(id))]
  const blocks = areas.flatMap(([area, members]) => [
    `${area} (${plural(members.length, 'rule')})`,
    ...members.map(({ id, level, section, says, needs }) => {
      const more = needs === null ? '' : `\n  needs   ${needs}`
      return `${id} (${level})\n  ${says}\n  source  ${section}${more}`
    }),
  ])
  return `${blocks.join('\n\n')}\n`
}

/** The rule catalogue as JSON: an array of `{ id, level, section, says, phase, needs }`, where `needs` is null if nothing is needed. */
export function rulesJson(catalogue: Catalogue) {
  return `${JSON.stringify(listed(catalogue), null, 2)}\n`
}

/** The rule catalogue as the table in `docs/rules.md`. */
export function rulesMarkdown(catalogue: Catalogue) {
  const rows = listed(catalogue).map(({ id, level, says, section, needs }) => [
    `\`${id}\``,
    level,
    markdownCell(says),
    markdownCell(section),
    markdownCell(needs ?? ''),
  ])
  const header = ['rule', 'level', 'what must hold', 'specification', 'needs']
  const table = [header, header.map(() => '---'), ...rows]
  const lines = table.map((cells) => `| ${cells.join(' | ')} |`.replaceAll(/ {2,}/g, ' '))
  return `${lines.join('\n')}\n`
}

/** Escapes text for a cell in a Markdown table, so that it cannot end the cell or row, or begin a tag. */
export function markdownCell(text: string) {
  return text.replaceAll(/[\\|<]/g, String.raw`\$&`).replaceAll(/\s*\n\s*/g, ' ')
}
