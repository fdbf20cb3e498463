import { profiles } from '../../settings/profiles.ts'
import { utcDay, type Waiver } from '../../settings/waivers.ts'
import { groupBy } from '../../text/counts.ts'
import { printable } from '../../text/printable.ts'
import type { Cause } from '../../verdict/causes.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'

const daysOfDraft = 30
/** Maximum number of entries in a waivers file. */
const mostEntries = 1_000
/** Maximum length of an entry, in characters. No real entry is this long, so the limit only keeps a manipulated verdict from making a report endless. */
const longestEntry = 50_000

/** An entry for a waivers file, with its subject. */
export interface WaiverDraft {
  /** The cause's sentence, or why a rule was not judged. */
  readonly about: string
  /** The findings for a cause, a rule, or an endpoint. */
  readonly covered: Partial<Pick<Waiver, 'rule' | 'fingerprint' | 'fingerprints'>>
}

/** The entries that would cover causes. Warnings need no waiver, so they get no entry. */
function draftsOf(causes: readonly Cause[]): readonly WaiverDraft[] {
  return causes
    .filter(({ warning }) => !warning)
    .map(({ sentence, fingerprints }) => ({ about: sentence, covered: coveredBy(fingerprints) }))
}

function coveredBy(fingerprints: readonly string[]): WaiverDraft['covered'] {
  const [first = '', ...others] = fingerprints
  return others.length === 0 ? { fingerprint: first } : { fingerprints }
}

/** The entries that would cover everything that stops a run and can be waived: one per cause, followed by one per unjudged rule. */
export function waiverDrafts(verdict: Verdict): readonly WaiverDraft[] {
  return [...draftsOf(verdict.causes), ...draftsOfUnjudged(verdict)]
}

/** Documented rules whose status makes a run incomplete. */
function blocking({ rules, profile }: Verdict): readonly VerdictRule[] {
  const blocks = profiles[profile].demandsEveryRule ? ['inconclusive', 'untested'] : ['inconclusive']
  return rules.filter(({ level, status }) => level === 'documented' && blocks.includes(status))
}

/** Entries for unreported breaches that left other rules inconclusive, and for untested rules and endpoints that the profile requires. */
function draftsOfUnjudged(verdict: Verdict): readonly WaiverDraft[] {
  const rules = blocking(verdict)
  const known = new Set(verdict.causes.flatMap(({ warning, fingerprints }) => (warning ? [] : fingerprints)))
  const unreported = rules.flatMap(({ id, because, follows = [] }) =>
    follows.filter(({ fingerprint }) => !known.has(fingerprint)).map((one) => ({ ...one, id, because })),
  )
  const drafts = [...groupBy(unreported, ({ id }) => id)].map(([id, met]) => ({
    about: notJudged(id, met[0]?.because ?? null),
    covered: coveredBy([...new Set(met.map(({ fingerprint }) => fingerprint))]),
  }))
  const endpoints = verdict.target.notJudged
    .filter(({ waived }) => waived === undefined)
    .map(({ endpoint, because, fingerprint }) => ({
      about: notJudged(endpoint, because),
      covered: { rule: 'endpoints/list-succeeds' as const, fingerprint },
    }))
  return [
    ...new Map(drafts.map((draft) => [JSON.stringify(draft.covered), draft])).values(),
    ...rules
      .filter(({ status }) => status === 'untested')
      .map(({ id, because }) => ({ about: notJudged(id, because), covered: { rule: id } })),
    ...(profiles[verdict.profile].demandsEveryRule ? endpoints : []),
  ]
}

function notJudged(id: string, because: string | null) {
  return `${id} was not judged: ${because ?? 'no reason was given'}`
}

/** Rules that make a run incomplete and that no waiver can cover. */
export function unwaivable(verdict: Verdict): readonly VerdictRule[] {
  return blocking(verdict).filter(
    ({ status, follows = [] }) => status === 'inconclusive' && follows.length === 0,
  )
}

/** An entry as a line in a waivers file, valid for thirty days from the start of the run. */
export function waiverLine(
  { covered }: WaiverDraft,
  { startedAt }: Pick<Verdict, 'startedAt'>,
  { reason = '', owner = '' }: { readonly reason?: string; readonly owner?: string } = {},
): string {
  return JSON.stringify({
    ...covered,
    reason,
    owner,
    expires: utcDay(new Date(startedAt), daysOfDraft),
  })
}

/** The entry that would waive a cause, ready to paste; null for a warning, or if the entry is too long or contains unprintable characters. */
export function waiverOf(cause: Cause, verdict: Verdict): string | null {
  return linesOf(draftsOf([cause]), verdict)[0] ?? null
}

/** The entries for unlisted causes, followed by those for rules and endpoints that were not judged, with commas in between. */
export function otherWaivers(unlisted: readonly Cause[], verdict: Verdict): readonly string[] {
  const entries = linesOf([...draftsOf(unlisted), ...draftsOfUnjudged(verdict)], verdict)
  return entries.map((line, place) => (place < entries.length - 1 ? `${line},` : line))
}

/** Omits lines that would be escaped or truncated, because they would cover something different. */
function linesOf(drafts: readonly WaiverDraft[], verdict: Verdict) {
  return drafts
    .map((draft) => waiverLine(draft, verdict))
    .filter((line) => line.length <= longestEntry && printable(line) === line)
    .slice(0, mostEntries)
}
