import { profiles } from '../../settings/profiles.ts'
import { utcDay, type Waiver } from '../../settings/waivers.ts'
import { countedRules, type Level } from '../../specification/rules.ts'
import { groupBy } from '../../text/members.ts'
import { andMore, capitalised, plural, printable, beginning } from '../../text/printable.ts'
import { withCodeNames } from '../../verdict/cause-sentence.ts'
import { type Cause, causesOf, type Severity } from '../../verdict/causes.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { findingView, shownText } from './finding-view.ts'

const daysOfDraft = 30
/** Maximum number of entries in a waivers file. */
const mostEntries = 1_000
/** Maximum length of an entry, in characters. No real entry is this long, so the limit only keeps a manipulated verdict from making a report endless. */
const longestEntry = 50_000

/** An entry for a waivers file, with its subject. */
type WaiverDraft = Readonly<{
  /** The cause's sentence, or why a rule was not judged. */
  about: string
  /** The findings for a cause, a rule, or an endpoint. */
  covered: Partial<Pick<Waiver, 'rule' | 'fingerprint' | 'fingerprints'>>
}>

/** The entries that would cover causes. Warnings need no waiver, so they get no entry. */
function draftsOf(causes: readonly Cause[]) {
  return causes
    .filter(({ warning }) => !warning)
    .map(({ sentence, fingerprints }) => ({ about: sentence, covered: coveredBy(fingerprints) }))
}

function coveredBy(fingerprints: readonly string[]) {
  const [first = '', ...others] = fingerprints
  return others.length === 0 ? { fingerprint: first } : { fingerprints }
}

/** The entries that would cover everything that stops a run and can be waived: one per cause, followed by one per unjudged rule. */
export function waiverDrafts(verdict: Verdict, causes = verdict.causes): readonly WaiverDraft[] {
  return [...draftsOf(causes), ...draftsOfUnjudged(verdict)]
}

/** Documented rules whose status makes a run incomplete. */
function blocking({ rules, profile }: Verdict) {
  const blocks = profiles[profile].demandsEveryRule ? ['inconclusive', 'untested'] : ['inconclusive']
  return rules.filter(({ level, status }) => level === 'documented' && blocks.includes(status))
}

/** Entries for unreported breaches that left other rules inconclusive, and for untested rules and endpoints that the profile requires. */
function draftsOfUnjudged(verdict: Verdict) {
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
  { reason = '', owner = '' }: Readonly<{ reason?: string; owner?: string }> = {},
) {
  return JSON.stringify({
    ...covered,
    reason,
    owner,
    expires: utcDay(new Date(startedAt), daysOfDraft),
  })
}

/** The entries for unlisted causes, followed by those for rules and endpoints that were not judged, with commas in between. */
export function otherWaivers(unlisted: readonly Cause[], verdict: Verdict): readonly string[] {
  const entries = linesOf(waiverDrafts(verdict, unlisted), verdict)
  return entries.map((line, place) => (place < entries.length - 1 ? `${line},` : line))
}

/** Omits lines that would be escaped or truncated, because they would cover something different. */
function linesOf(drafts: readonly WaiverDraft[], verdict: Verdict) {
  return drafts
    .map((draft) => waiverLine(draft, verdict))
    .filter((line) => line.length <= longestEntry && printable(line) === line)
    .slice(0, mostEntries)
}

/** A cause as shown in reports: findings that a single mistake in the service explains. */
export type CauseView = ReturnType<typeof causeView>

/** Maximum number of findings shown in total, so that a page with 10,000 opens within a second. */
const mostFindings = 180
/** Maximum number of rules and fingerprints named next to a cause. */
const mostNames = 3
const longestFingerprint = 40

/** The causes in a verdict: violations first, then warnings, then waived causes. */
export function causeViews(verdict: Verdict): readonly CauseView[] {
  const all = [...verdict.causes, ...waivedCauses(verdict)]
  const findingsOf = findingsByCause(verdict.rules)
  const most = Math.max(1, Math.floor(mostFindings / Math.max(1, all.length)))
  return all.map((cause, place) => {
    const isWaived = place >= verdict.causes.length
    const status = isWaived ? 'waived' : cause.warning ? 'warned' : 'failed'
    return causeView(cause, verdict, { id: `cause-${place + 1}`, status, most, found: findingsOf(cause) })
  })
}

type Found = Readonly<{
  /** Its position among all causes. */
  id: string
  status: 'failed' | 'warned' | 'waived'
  most: number
  found: ReturnType<ReturnType<typeof findingsByCause>>
}>

function causeView(cause: Cause, verdict: Verdict, { id, status, most, found }: Found) {
  const byRule = groupBy(found, ({ rule }) => rule.id)
  const shown = [...byRule.values()].flat().slice(0, most)
  const findings = shown.map(({ finding, rule }) => findingView(finding, rule))
  const [first] = findings
  const sentence = withCodeNames(shownText(cause.sentence))
  // Reports show the outcome separately.
  const request = sentence.replace(outcome, `: ${severityWords[cause.severity]}$1`)
  // Another cause may fail a rule that this one only affects.
  const isAffected = (rule: VerdictRule) =>
    rule.status === 'failed' || (cause.warning && rule.status === 'warned')
  const affected = countedRules(verdict.rules).filter(
    (rule) => cause.rules.includes(rule.id) && isAffected(rule),
  )
  const counted = status === 'waived' ? cause.rules : affected.map((rule) => rule.id).toSorted()
  const verb = {
    failed: 'Breaks',
    warned: 'Warns in',
    waived: 'Waived in',
  }[status]
  const breaks =
    counted.length === 0 ? 'Breaks no rule about the service' : `${verb} ${plural(counted.length, 'rule')}`
  return {
    /** `cause-1`. */
    id,
    status,
    /** The request in words if `expected` and `got` say the rest, otherwise the whole sentence. */
    title: first === undefined ? sentence : request,
    /** The whole sentence. */
    sentence,
    severity: cause.severity,
    /** `Security, contract`. */
    nature: capitalised(natureOf(cause, verdict.rules)),
    expected: first?.expected ?? 'see verdict.json',
    got: first?.got ?? 'see verdict.json',
    /** `Breaks 6 rules`, `Warns in 1 rule`, `Waived in 2 rules`. */
    breaks,
    /** The same, with the first few rules by name. */
    named: `${breaks}: ${listedNames(counted.length === 0 ? cause.rules : counted, mostNames)}`,
    /** Names of its rules that are counted. */
    broken: counted,
    /** Its rules, with the number of findings for each. */
    rules: cause.rules.map((rule) => ({ id: rule, count: byRule.get(rule)?.length ?? 0 })),
    /** The findings that are shown, simplest first, and the number of those that are not. */
    findings,
    hidden: found.length - findings.length,
    fingerprints: listedNames(
      cause.fingerprints.map((one) => beginning(one, longestFingerprint)),
      mostNames,
    ),
    /** The waiver entry for it, ready to paste; null for a warning, a waived cause, or an entry that is too long or not printable. */
    waiver: (status === 'failed' ? linesOf(draftsOf([cause]), verdict)[0] : null) ?? null,
    /** The reasons given in its waivers. */
    agreed: [...new Set(found.flatMap(({ finding: { waived } }) => waived ?? []))]
      .slice(0, mostNames)
      .map((reason) => shownText(reason)),
  } as const
}

/** The end of a sentence, `: 404 with HTML, documented 400 / 1010 (…)`, and how often it holds. */
const outcome = /: (?:(?!: ).)*, documented .*?( \(only sometimes\))?$/s

/** The word for each severity. */
export const severityWords: Readonly<Record<Severity, string>> = {
  security: 'security',
  failure: 'failure of the service',
  code: 'wrong answer',
  form: 'wrong form',
}

/** The kind of promise behind each level, most severe first. */
const bonds: Readonly<Record<Level, string>> = {
  documented: 'contract',
  requested: 'baseline',
  implied: 'convention',
  expectation: 'expectation of the suite, not of the service',
}

/**
 * The severity of a cause and what it breaks, as in `security, contract`. The second part is `contract` if a documented rule is
 * involved, otherwise `baseline`, `convention` or `expectation …`.
 */
export function natureOf(
  { severity, rules: named }: Pick<Cause, 'severity' | 'rules'>,
  rules: readonly VerdictRule[],
) {
  const levels = new Set<string>(rules.filter(({ id }) => named.includes(id)).map(({ level }) => level))
  const bond = Object.entries(bonds).find(([level]) => levels.has(level))?.[1] ?? bonds.documented
  return `${severityWords[severity]}, ${bond}`
}

/** Causes of waived findings, most severe first. A waiver turns a run green but does not make its causes less severe. */
export function waivedCauses({ rules }: Pick<Verdict, 'rules'>): readonly Cause[] {
  const covered = rules.map((rule) => ({
    ...rule,
    status: 'failed' as const,
    findings: rule.findings.flatMap(({ waived, ...open }) => (waived === undefined ? [] : [open])),
  }))
  return causesOf(covered.filter(({ findings }) => findings.length > 0))
}

/** Returns a function that looks up the findings for a cause, with its example first. All findings are indexed by case only once. */
function findingsByCause(rules: readonly VerdictRule[]) {
  const all = rules.flatMap((rule) => rule.findings.map((finding) => ({ rule, finding })))
  const byCase = groupBy(all, ({ finding }) => finding.case)
  return ({ cases, fingerprints, rules: named, example }: Cause) => {
    const ids = new Set<string>(named)
    const names = new Set(fingerprints)
    return [...new Set([example, ...cases])]
      .flatMap((name) => byCase.get(name) ?? [])
      .filter(({ rule, finding }) => ids.has(rule.id) && names.has(finding.fingerprint))
  }
}

/** `a, b and 3 more`. */
export function listedNames(names: readonly string[], most: number) {
  const more = names.length - most
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` ${andMore(more)}` : ''}`
}
