import { causesOf, type Cause, type Severity } from '../../verdict/causes.ts'
import type { Finding, RuleStatus } from '../../judge/record.ts'
import type { Level } from '../../specification/rules.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { andMore, groupBy, plural } from '../../text/counts.ts'

/** What each severity says of a service, in a word. */
export const severityWords: Readonly<Record<Severity, string>> = {
  security: 'security',
  failure: 'failure of the service',
  code: 'wrong answer',
  form: 'wrong form',
}

/** What breaks with a rule of each level, the gravest first. */
const bonds: Readonly<Record<Level, string>> = {
  documented: 'contract',
  requested: 'baseline',
  implied: 'convention',
  expectation: 'expectation of the suite, not of the service',
}

/** `security, contract`: how grave a cause is, and whether the specification or a convention says so. */
export function natureOf(cause: Pick<Cause, 'severity' | 'rules'>, rules: readonly VerdictRule[]): string {
  return `${severityWords[cause.severity]}, ${bondOf(cause, rules)}`
}

/** `contract` where a documented rule is among those of a cause, else `baseline`, `convention` or `expectation …`. */
export function bondOf({ rules: named }: Pick<Cause, 'rules'>, rules: readonly VerdictRule[]): string {
  const levels = new Set<string>(rules.filter(({ id }) => named.includes(id)).map(({ level }) => level))
  return Object.entries(bonds).find(([level]) => levels.has(level))?.[1] ?? bonds.documented
}

/** Causes of the findings that waivers cover, gravest first: a waiver ends a run green, and makes nothing less grave. */
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

/** A finding with its rule. */
export interface RuleFinding {
  readonly rule: VerdictRule
  readonly finding: Finding
}

/** Gives the findings of a cause, its example first, then in the order of the rules; looks all of them up by their cases once. */
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

/** `2 causes, 5 rules, 30 findings`: the rules with the status that these causes give, as every other count of them. */
export function countsOf(causes: readonly Cause[], { rules }: Pick<Verdict, 'rules'>): string {
  const named = rulesOf(causes, countedRules(rules)).length
  const findings = causes.reduce((sum, { cases }) => sum + cases.length, 0)
  const ofRules = named === 0 ? [] : [plural(named, 'rule')]
  return [plural(causes.length, 'cause'), ...ofRules, plural(findings, 'finding')].join(', ')
}

/** The rules that fail by causes, and those that warn by causes that are warnings, by name. */
export function rulesOf(causes: readonly Cause[], rules: readonly VerdictRule[]): readonly string[] {
  const wanted = new Set<RuleStatus>(causes.map(({ warning }) => (warning ? 'warned' : 'failed')))
  const named = new Set(causes.flatMap((cause) => cause.rules))
  return rules
    .filter(({ id, status }) => wanted.has(status) && named.has(id))
    .map(({ id }) => id)
    .toSorted()
}
