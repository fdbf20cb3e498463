import { areaOf, ruleIds, type RuleId } from '../spec/rules.ts'
import { didYouMean, issue, type Parsed, type SettingIssue } from './issue.ts'
import { nearestOf } from './nearest.ts'
import type { RunSettings } from './settings.ts'

/** Reads a comma-separated list of rule ids and globs, each kept once, in which `*` stands for any characters. */
export function readOnly(text: string | undefined): Parsed<Pick<RunSettings, 'only' | 'selected'>> {
  if (text === undefined) return { value: { only: null, selected: ruleIds }, issues: [] }

  const only = [...new Set(text.split(',').map((glob) => glob.trim()))].filter((glob) => glob !== '')
  const selected = ruleIds.filter((id) => only.some((glob) => matches(glob, id)))
  const wrong = only.filter((glob) => !ruleIds.some((id) => matches(glob, id)))
  return { value: { only, selected }, issues: (only.length === 0 ? [text] : wrong).map(matchesNothing) }
}

/** Piece by piece: many stars make a regular expression slow without bound. */
function matches(glob: string, id: RuleId): boolean {
  const [first = '', ...others] = glob.split('*')
  const last = others.pop()
  if (last === undefined) return glob === id
  if (!id.startsWith(first)) return false

  let from = first.length
  for (const piece of others) {
    const found = id.indexOf(piece, from)
    if (found < 0) return false
    from = found + piece.length
  }
  return id.endsWith(last) && id.length - last.length >= from
}

function matchesNothing(glob: string): SettingIssue {
  const expected = 'the id of a rule, or a glob such as authentication/* that matches at least one'
  return issue('RUN_ONLY', { given: glob, expected, hint: ruleHint(glob) })
}

/** Hint at the rules that an unknown id probably means. */
export function ruleHint(text: string): string | null {
  const lower = text.toLowerCase()
  const [area = '', name] = lower.split('/')
  const areas = [...new Set(ruleIds.map(areaOf))]
  const sameName = ruleIds.filter((id) => id.endsWith(`/${name ?? area}`))
  const isWholeArea = name === undefined && areas.some((one) => one === area)
  if (isWholeArea) return didYouMean(`${area}/*`)
  if (sameName.length > 0) return didYouMean(sameName.join(' or '))
  if (text.includes('*')) return didYouMean(`${nearestOf(area, areas, 1).join('')}/*`)
  return `${didYouMean(nearestOf(lower, ruleIds, 3).join(' or '))} The command rules lists them all`
}
