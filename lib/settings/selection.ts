import { areaOf, ruleIds, type RuleId } from '../spec/rules.ts'
import type { Mistake, Part } from './mistake.ts'
import { nearestOf } from './nearest.ts'

/** Which rules are judged. */
export interface Selection {
  readonly only: readonly string[] | null
  readonly selected: readonly RuleId[]
}

/** Reads a comma-separated list of rule ids and globs; `*` stands for any characters. */
export function readOnly(text: string | undefined): Part<Selection> {
  if (text === undefined) return { value: { only: null, selected: ruleIds }, mistakes: [] }

  const only = [...new Set(text.split(',').map((glob) => glob.trim()))].filter((glob) => glob !== '')
  const selected = ruleIds.filter((id) => only.some((glob) => matches(glob, id)))
  const mistakes = only.filter((glob) => !ruleIds.some((id) => matches(glob, id))).map(matchesNothing)

  return { value: { only, selected }, mistakes: only.length === 0 ? [matchesNothing(text)] : mistakes }
}

/** Piece by piece rather than by a regular expression, which many stars would slow down without bound. */
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

function matchesNothing(glob: string): Mistake {
  return {
    setting: 'RUN_ONLY',
    given: glob,
    expected: 'the id of a rule, or a glob such as authentication/* that matches at least one',
    hint: ruleHint(glob),
  }
}

/** Which rules somebody probably meant by a text that is the id of none. */
export function ruleHint(text: string): string {
  const lower = text.toLowerCase()
  const [area = '', name] = lower.split('/')
  const areas = [...new Set(ruleIds.map(areaOf))]
  const wholeArea = areas.find((one) => one === area)
  const sameName = ruleIds.filter((id) => id.endsWith(`/${name ?? area}`))
  if (wholeArea !== undefined && name === undefined) return `did you mean ${wholeArea}/*?`
  if (sameName.length > 0) return `did you mean ${sameName.join(' or ')}?`
  const nearArea = nearestOf(area, areas, 1)[0] ?? ''
  if (text.includes('*')) return `did you mean ${nearArea}/*?`

  return `did you mean ${nearestOf(lower, ruleIds, 3).join(' or ')}? The command rules lists them all`
}
