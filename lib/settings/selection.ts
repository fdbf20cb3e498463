import { areaOf, type Catalogue, type RuleId } from '../specification/rules.ts'
import { hintFrom, issue, parsed, type Parsed } from './issue.ts'

/** Reads a comma-separated list of rule ids and globs, without duplicates; `*` matches any characters. */
export function readOnly(text: string | undefined, catalogue: Catalogue): Parsed<readonly string[] | null> {
  if (text === undefined) return parsed(null)

  const ids = [...catalogue.keys()]
  const only = [...new Set(text.split(',').map((glob) => glob.trim()))].filter((glob) => glob !== '')
  const wrong = only.filter((glob) => !ids.some((id) => matchesGlob(glob, id)))
  const expected = 'the id of a rule, or a glob that matches at least one rule, such as authentication/*'
  const mistakes = (only.length === 0 ? [text] : wrong).map((given) =>
    issue('RUN_ONLY', { given, expected, hint: ruleHint(given, ids) }),
  )
  return parsed(only, ...mistakes)
}

/** Whether ids and globs select a rule; null selects all. */
export function isSelected(only: readonly string[] | null, id: string) {
  return only === null || only.some((glob) => matchesGlob(glob, id))
}

/** Whether a name matches a glob; `*` matches any characters. */
export function matchesGlob(glob: string, id: string) {
  const pieces = glob.split(/\*+/)
  // Also limits the work for a glob with many stars.
  if (pieces.join('').length > id.length) return false
  const pattern = pieces.map((piece) => piece.replaceAll(/\W/g, String.raw`\$&`)).join('.*')
  return new RegExp(`^${pattern}$`, 's').test(id)
}

/** A hint for an unknown id or glob, with the rules that have a similar id or area, or the list of all rules. */
export function ruleHint(text: string, ids: readonly RuleId[]) {
  const areas = [...new Set(ids.map(areaOf))].map((area) => `${area}/*`)
  return hintFrom([...ids, ...areas], text) ?? 'the command rules lists all rules'
}
