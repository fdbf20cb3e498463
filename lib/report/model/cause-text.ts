import { causesOf, type Cause, type Severity } from '../../verdict/causes.ts'
import type { Finding, RuleStatus } from '../../judge/record.ts'
import type { Level } from '../../specification/rules.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { andMore, groupBy } from '../../text/counts.ts'

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
    findings: coveredFindings(rule),
  }))
  return causesOf(covered.filter(({ findings }) => findings.length > 0))
}

function coveredFindings({ findings }: VerdictRule): readonly Finding[] {
  return findings.flatMap(({ waived, ...open }) => (waived === undefined ? [] : [open]))
}

/** A finding together with its rule. */
export interface RuleFinding {
  readonly rule: VerdictRule
  readonly finding: Finding
}

/** Returns a function that looks up the findings for a cause, with its example first and the rest in rule order. All findings are indexed by case only once. */
export function findingsByCause(rules: readonly VerdictRule[]): (cause: Cause) => readonly RuleFinding[] {
  const all = rules.flatMap((rule) => rule.findings.map((finding) => ({ rule, finding })))
  const places = new Map(all.map((one, place) => [one, place]))
  const byCase = groupBy(all, ({ finding }) => finding.case)
  return ({ cases, fingerprints, rules: named, example }) => {
    const [ids, names] = [new Set<string>(named), new Set(fingerprints)]
    const order = (one: RuleFinding): number => (one.finding.case === example ? -1 : (places.get(one) ?? 0))
    return [...new Set(cases)]
      .flatMap((name) => byCase.get(name) ?? [])
      .filter(({ rule, finding }) => ids.has(rule.id) && names.has(finding.fingerprint))
      .toSorted((a, b) => order(a) - order(b) || (places.get(a) ?? 0) - (places.get(b) ?? 0))
  }
}

/** `a, b and 3 more`. */
export function listedNames(names: readonly string[], most: number): string {
  const more = names.length - most
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` ${andMore(more)}` : ''}`
}

/** The names of the rules that causes fail, and of the rules that warnings affect. */
export function rulesOf(causes: readonly Cause[], rules: readonly VerdictRule[]): readonly string[] {
  const wanted = new Set<RuleStatus>(causes.map(({ warning }) => (warning ? 'warned' : 'failed')))
  const named = new Set(causes.flatMap((cause) => cause.rules))
  return rules
    .filter(({ id, status }) => wanted.has(status) && named.has(id))
    .map(({ id }) => id)
    .toSorted()
}
