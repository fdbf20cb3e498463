import { isIntermittent } from '../../judge/record.ts'
import { countedRules, type Level } from '../../specification/rules.ts'
import { andMore, capitalised, groupBy, plural } from '../../text/counts.ts'
import { beginning } from '../../text/printable.ts'
import { withCodeNames } from '../../verdict/cause-sentence.ts'
import { causesOf, type Cause, type Severity } from '../../verdict/causes.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { findingView, shownText } from './finding-view.ts'
import { waiverOf } from './waiver-drafts.ts'

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

interface Found {
  /** Its position among all causes. */
  readonly id: string
  readonly status: 'failed' | 'warned' | 'waived'
  readonly most: number
  readonly found: ReturnType<ReturnType<typeof findingsByCause>>
}

function causeView(cause: Cause, verdict: Verdict, { id, status, most, found }: Found) {
  const byRule = groupBy(found, ({ rule }) => rule.id)
  const shown = [...byRule.values()].flat().slice(0, most)
  const findings = shown.map(({ finding, rule }) => findingView(finding, rule))
  const [first] = findings
  const sentence = withCodeNames(shownText(cause.sentence))
  const often = found[0] !== undefined && isIntermittent(found[0].finding) ? ' (only sometimes)' : ''
  const title = first === undefined ? sentence : requestIn(sentence, severityWords[cause.severity], often)
  // Another cause may fail a rule that this one only affects.
  const isAffected = (rule: VerdictRule): boolean =>
    rule.status === 'failed' || (cause.warning && rule.status === 'warned')
  const affected = countedRules(verdict.rules).filter(
    (rule) => cause.rules.includes(rule.id) && isAffected(rule),
  )
  const counted = status === 'waived' ? cause.rules : affected.map((rule) => rule.id).toSorted()
  const verb = { failed: 'Breaks', warned: 'Warns in', waived: 'Waived in' }[status]
  const breaks =
    counted.length === 0 ? 'Breaks no rule about the service' : `${verb} ${plural(counted.length, 'rule')}`
  return {
    /** `cause-1`. */
    id,
    status,
    /** The request in words if `expected` and `got` say the rest, otherwise the whole sentence. */
    title,
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
    /** The waiver entry for it; null for a warning or a waived cause. */
    waiver: status === 'failed' ? waiverOf(cause, verdict) : null,
    /** The reasons given in its waivers. */
    agreed: [...new Set(found.flatMap(({ finding: { waived } }) => waived ?? []))]
      .slice(0, mostNames)
      .map((reason) => shownText(reason)),
  } as const
}

/** A sentence whose end, `: 404 with HTML, documented 400 / 1010 (…)`, is replaced by one word, because reports show it separately. */
function requestIn(sentence: string, wrong: string, often: string) {
  const end = sentence.indexOf(', documented ')
  const start = end < 0 ? -1 : sentence.lastIndexOf(': ', end)
  if (start < 0) return sentence
  return `${sentence.slice(0, start)}: ${wrong}${often}`
}

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
): string {
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
export function listedNames(names: readonly string[], most: number): string {
  const more = names.length - most
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` ${andMore(more)}` : ''}`
}
