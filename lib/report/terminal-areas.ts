import { areaOf } from '../spec/rules.ts'
import { groupBy } from '../spec/group-by.ts'
import { countOf, outcomes } from './outcomes.ts'
import { statuses } from '../verdict/verdict.ts'
import { usableWidth, type Line, type Tone } from './terminal-lines.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'

const indent = 2
const none = '·'

/**
 * The rules by area and status: a table, or where the terminal is too narrow for it a line for each area. Areas in which every rule
 * passed share a line where not all did. A nonconformant verdict has causes in its place, which say which rules are violated.
 */
export function areaLines({ verdict, rules }: Verdict, width: number): readonly Line[] {
  if (rules.length === 0 || verdict === 'nonconformant') return []

  const all = [...groupBy(rules, ({ id }) => areaOf(id))]
  const open = all.filter(([, members]) => countOf(members, 'passed') < members.length)
  const areas = open.length === 0 ? all : open
  const passed = all.filter((one) => !areas.includes(one)).map(([area]) => area)
  const others: readonly Line[] =
    passed.length === 0 ? [] : [{ indent, label: 'all passed: ', text: passed.join(', ') }]
  const first = Math.max(...areas.map(([area]) => area.length))
  const header = row('area', statuses, first)
  if (header.length + indent > usableWidth(width)) return [...areas.map(narrow), ...others]

  const body = areas.map(([area, members]): Line => {
    const counts = statuses.map((status) => `${countOf(members, status) || none}`)
    return { indent, text: row(area, counts, first), tone: toneOf(members), whole: true }
  })
  return [{ indent, text: header, tone: 'faint', whole: true }, ...body, ...others]
}

function row(area: string, cells: readonly string[], first: number): string {
  const columns = cells.map((cell, index) => cell.padStart((statuses[index] ?? '').length + 2))
  return `${area.padEnd(first)}${columns.join('')}`
}

function narrow([area, members]: readonly [string, readonly VerdictRule[]]): Line {
  return { indent, label: `${area}: `, text: outcomes(members), tone: toneOf(members) }
}

function toneOf(rules: readonly VerdictRule[]): Tone {
  if (countOf(rules, 'failed') > 0) return 'bad'
  return countOf(rules, 'warned') + countOf(rules, 'inconclusive') > 0 ? 'warning' : 'plain'
}
