import { isOfAnswer, isOfEndpointsFile } from '../judge/answered.ts'
import { isIntermittent, isSteady, type Finding, type RuleResult } from '../judge/record.ts'
import { factNames, flawNamed } from '../specification/flaws.ts'
import { areaOf, placeOfRule, specCatalogue, type Catalogue, type RuleId } from '../specification/rules.ts'
import { groupBy } from '../text/members.ts'
import { answerOf, byMistake, isServed, saysDocumented, sentenceOf, type Met } from './cause-sentence.ts'

/** Severities of causes, worst first. They are used only to sort causes. */
export const severities = ['security', 'failure', 'code', 'form'] as const

/**
 * In order: unauthorized access, a leaked credential, or an answer that shared caches may store; a failing service; a wrong
 * answer; an answer in the wrong form.
 */
export type Severity = (typeof severities)[number]

/** Findings from any rules that share one explanation. The explanation is not proven, because identical answers may hide two bugs. */
export type Cause = Readonly<{
  /** The request and its answer, in words. */
  sentence: string
  severity: Severity
  /** Whether it fails no rule, so that it cannot affect the verdict. */
  warning: boolean
  /** The case that shows it with the simplest request. */
  example: string
  rules: readonly RuleId[]
  cases: readonly string[]
  /** Fingerprints of its findings, without duplicates. */
  fingerprints: readonly string[]
}>

/** The fields of a judged rule that are needed to find causes. */
export type JudgedRule = Pick<RuleResult, 'id' | 'status' | 'findings'>

/**
 * Groups unwaived findings into causes, worst first, so that each finding belongs to exactly one cause; pure. The findings in a
 * cause share the endpoint, client, difference, answer and steadiness, as well as the smallest set of flaws and conditions found.
 * The empty set explains other sets only if plain valid requests fail in the same way.
 */
export function causesOf(
  rules: readonly JudgedRule[],
  catalogue: Catalogue = specCatalogue,
): readonly Cause[] {
  const met = rules.flatMap((rule) =>
    openFindings(rule).map((finding): Met => ({
      rule: rule.id,
      level: catalogue.get(rule.id)?.level ?? null,
      ownSays: specCatalogue.has(rule.id) ? null : (catalogue.get(rule.id)?.says ?? null),
      fails: rule.status === 'failed' && finding.warning !== true,
      finding,
      flaws: finding.sent?.flaws ?? [],
    })),
  )
  const groups = [...groupBy(met, keyOf).values()].flatMap(byExplanation)
  return byMistake(groups.map((own) => ({ met: own, simplest: simplestOf(own) })))
    .map(causeOf)
    .toSorted(
      (a, b) =>
        Number(a.warning) - Number(b.warning) ||
        severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
        b.cases.length - a.cases.length,
    )
}

/** The findings in a rule that no waiver covers. */
export function openFindings({ findings }: Pick<JudgedRule, 'findings'>): readonly Finding[] {
  return findings.filter(({ waived }) => waived === undefined)
}

/** Findings with the same key may have the same explanation. A finding with an unknown request gets a separate key. */
function keyOf({ rule, finding, flaws }: Met) {
  const { sent, difference = finding.fingerprint } = finding
  if (sent === undefined || sent.flaws === null || isOfEndpointsFile(finding))
    return JSON.stringify([rule, finding.fingerprint])
  const what = isOfAnswer(finding) ? 'answer' : difference
  // Without a known API key, the service cannot tell which client sent a request.
  const client = flaws.some((id) => flawNamed(id)?.part === 'apiKey') ? 'target' : sent.client
  return JSON.stringify([sent.endpoint, client, what, answerOf(finding), isIntermittent(finding)])
}

/**
 * Groups similar findings by the smallest subset of flaws and conditions found. A larger set is merged into its subset. If
 * several are equally small, the first in the catalogue wins.
 */
function byExplanation(alike: readonly Met[]): readonly (readonly Met[])[] {
  const plainFails = alike.some((one) => one.finding.sent?.plain === true)
  const placeOf = ({ flaws: [first = ''] }: Met) => {
    const fact = flawNamed(first)?.fact
    return factNames.findIndex((name) => name === fact)
  }
  const sets = [...groupBy(alike, (one) => traitsOf(one).join()).values()]
    .flatMap(([first]) => first ?? [])
    .toSorted((a, b) => traitsOf(a).length - traitsOf(b).length || placeOf(a) - placeOf(b))
    .map(traitsOf)
  const explanationOf = (one: Met) => {
    const traits = traitsOf(one)
    const explains = (set: readonly string[]) =>
      set.every((trait) => traits.includes(trait)) && (set.length > 0 || plainFails || one.flaws.length === 0)
    return (sets.find(explains) ?? traits).join()
  }
  return [...groupBy(alike, explanationOf).values()]
}

/** The flaws in a request and its conditions, by name. */
function traitsOf({ finding, flaws }: Met) {
  return [...flaws, ...(finding.sent?.conditions ?? [])]
}

function causeOf({ groups, sentence }: ReturnType<typeof byMistake>[number]): Cause {
  const met = groups.flatMap((group) => group.met)
  const simplest = simplestOf(met)
  const grave = groups.map((group) => severities.indexOf(severityOf(group.simplest)))
  return {
    sentence: sentence ?? sentenceOf(simplest, met),
    severity: severities[Math.min(...grave)] ?? severityOf(simplest),
    warning: !met.some(({ fails }) => fails),
    example: simplest.finding.case,
    rules: [...new Set(met.map(({ rule }) => rule))].toSorted((a, b) => placeOfRule(a) - placeOfRule(b)),
    cases: met.map((one) => one.finding.case),
    fingerprints: [...new Set(met.map((one) => one.finding.fingerprint))],
  }
}

/** Criteria for a good example, most important first. False sorts before true, and less before more. */
const simpler: readonly ((one: Met) => boolean | number)[] = [
  ({ fails }) => !fails,
  // Steady findings come first, because the others are reported along with them.
  ({ finding }) => !isSteady(finding),
  // A request whose flaws are unknown shows less.
  ({ finding }) => finding.sent?.flaws === null,
  ({ finding }) => finding.sent?.client !== 'target',
  ({ flaws }) => flaws.length,
  ({ finding }) => finding.sent?.conditions?.length ?? 0,
  ({ ownSays }) => ownSays !== null,
  ({ finding }) => finding.sent?.requests ?? 1,
  ({ finding, flaws }) => !isSubjectOf(finding.case, flaws),
  ({ rule }) => areaOf(rule) === 'fuzz',
  ({ finding }) => !saysDocumented(finding),
  ({ level }) => level !== 'documented',
]

function simplestOf(met: readonly Met[]) {
  const ofRule = groupBy(met, ({ rule }) => rule)
  // A rule with few findings is more likely to be about exactly this problem.
  const few = ({ rule }: Met) => ofRule.get(rule)?.length ?? 0
  const order = [...simpler, few, ({ finding }: Met) => finding.case]
  return met.reduce((best, one) => {
    const weight = order.find((by) => by(best) !== by(one))
    return weight !== undefined && weight(one) < weight(best) ? one : best
  })
}

/** Whether a case belongs to the rule about exactly these flaws. */
function isSubjectOf(name: string, [flaw, ...others]: Met['flaws']) {
  const rule = flaw === undefined ? 'endpoints/list-succeeds' : flawNamed(flaw)?.rule
  return others.length === 0 && rule !== undefined && name.startsWith(`${rule}:`)
}

/** A success is a security breach only if the request certainly has a flaw in its credentials. */
function severityOf({ rule, finding, flaws }: Met) {
  const { answered } = finding
  const parts = flaws.map((id) => flawNamed(id)?.part)
  const isLetIn = isServed(finding) && (parts.includes('apiKey') || parts.includes('secretKey'))
  if (areaOf(rule) === 'security' || isLetIn) return 'security'
  if (answered === null || answered.status >= 500) return 'failure'
  return isOfAnswer(finding) ? 'code' : 'form'
}
