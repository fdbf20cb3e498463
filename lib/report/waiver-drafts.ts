import { openFindings, type Cause } from '../judge/causes.ts'
import { utcDay } from '../settings/waivers.ts'
import { groupBy } from '../spec/group-by.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Fact, Fold } from './document.ts'
import { isCopyable } from './visible.ts'
import { plural } from './words.ts'

const daysOfDraft = 30
/** Maximum entries shown of one cause. */
const mostDrafts = 40

/** Fingerprints of the findings of a cause, each once. */
export function fingerprintsOf(cause: Cause, rules: Verdict['rules']): readonly string[] {
  return [...new Set(findingsOf(cause, rules).map(({ fingerprint }) => fingerprint))]
}

function findingsOf(
  { rules: named, cases }: Cause,
  rules: Verdict['rules'],
): readonly { readonly rule: string; readonly fingerprint: string }[] {
  const met = new Set(cases)
  return rules
    .filter(({ id }) => named.includes(id))
    .flatMap((rule) =>
      openFindings(rule)
        .filter((finding) => met.has(finding.case))
        .map(({ fingerprint }) => ({ rule: rule.id, fingerprint })),
    )
}

/** Entries of a waivers file that would cover a cause for thirty days, once their reason and owner are filled in. */
export function waiverDrafts(cause: Cause, { rules, startedAt }: Verdict): readonly string[] {
  const expires = utcDay(new Date(startedAt), daysOfDraft)
  const found = groupBy(findingsOf(cause, rules), ({ rule, fingerprint }) => `${rule} ${fingerprint}`)
  return [...found.values()].flatMap(([first]) =>
    first === undefined ? [] : [JSON.stringify({ ...first, reason: '', owner: '', expires })],
  )
}

/** `waive  {…}` for a terminal, if one entry is enough; none for a warning, which needs no waiver. */
export function waiverFacts(cause: Cause, verdict: Verdict): readonly Fact[] {
  const [draft, ...more] = cause.warning ? [] : waiverDrafts(cause, verdict)
  if (draft === undefined) return []
  if (more.length > 0) {
    return [{ label: 'waive', value: `${more.length + 1} entries, see summary.md or index.html` }]
  }
  return isCopyable(draft) ? [{ label: 'waive', value: draft, whole: true }] : []
}

/** Entries to paste, behind a line that unfolds them; none for a warning. */
export function waiverFold(cause: Cause, verdict: Verdict): readonly Fold[] {
  const drafts = cause.warning ? [] : waiverDrafts(cause, verdict)
  const shown = drafts.filter(isCopyable).slice(0, mostDrafts)
  if (shown.length === 0) return []
  const more = drafts.length - shown.length
  return [
    {
      fold: `Waive it: ${plural(shown.length, 'line')} for the file of RUN_WAIVERS${more === 0 ? '' : `, of ${drafts.length}`}`,
      lines: shown.map((draft, place) => (place < shown.length - 1 ? `${draft},` : draft)),
    },
  ]
}
