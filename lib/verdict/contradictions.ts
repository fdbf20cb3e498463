import { isObject } from '../json/json-value.ts'
import type { FindingId, RuleStatus } from '../judge/record.ts'
import { beginning, printable } from '../text/printable.ts'
import { profiles } from '../settings/profiles.ts'
import { covers, utcDay, waiverReason, type Waivable } from '../settings/waivers.ts'
import { unknownVersion } from '../settings/package-version.ts'
import { isRuleId, ruleIds, ruleOf } from '../specification/rules.ts'
import { troubleGrade } from './retries.ts'
import { isPartial, type ExitCode, type Verdict, type VerdictRule, type VerdictWord } from './verdict.ts'

const exitCodes: Readonly<Record<VerdictWord, readonly ExitCode[]>> = {
  conformant: [0],
  nonconformant: [1],
  incomplete: [3],
  error: [2, 4],
}

/** Whether an exit code is one of the verdict's word. */
export function fitsExitCode({ verdict, exitCode }: Pick<Verdict, 'verdict' | 'exitCode'>): boolean {
  return exitCodes[verdict].includes(exitCode)
}

/**
 * What a verdict says better than its own rules, or against them: a clause each; none for what a run leaves. It asks nothing that
 * makes verdicts, so that a mistake there shows here. It does not see findings that were removed together with the status of their rule.
 */
export function contradictionsIn(verdict: Verdict, now: Date): readonly string[] {
  const untimely = timeContradictions(verdict, now)
  if (untimely.length > 0) return untimely
  return [
    ...wordContradictions(verdict),
    ...(verdict.verdict === 'conformant' ? unfitToConform(verdict) : []),
    ...ruleContradictions(verdict),
    ...verdict.rules.flatMap((rule) => statusContradictions(rule, verdict)),
    // An error that leaves no room on the disk is written without its waivers.
    ...(verdict.verdict === 'error' ? [] : waiverContradictions(verdict)),
    ...addressContradictions(verdict),
  ]
}

/** Clocks differ by less. */
const mostAheadMs = 86_400_000

function timeContradictions({ startedAt }: Verdict, now: Date): readonly string[] {
  const ahead = Date.parse(startedAt) - now.getTime()
  if (Number.isNaN(ahead)) return ['it began at a time that is none']
  return ahead > mostAheadMs ? ['it began more than 24 hours from now'] : []
}

function wordContradictions(verdict: Verdict): readonly string[] {
  const { verdict: word, exitCode, because, rules } = verdict
  const failed = rules.filter(({ status }) => status === 'failed')
  const violated = failed.filter(({ level }) => level !== 'expectation')
  const wrong = word === 'error' ? [] : failed.filter(({ level }) => level === 'expectation')
  const isWorse = word === 'nonconformant' || word === 'error'
  return [
    ...when(!fitsExitCode(verdict), `it says ${word} with exit code ${exitCode}`),
    ...when(word === 'conformant' && because.length > 0, 'it says conformant, and why it is not'),
    ...when(word !== 'conformant' && because.length === 0, `it says ${word}, and not why`),
    ...when(word === 'nonconformant' && violated.length === 0, 'it says nonconformant, and no rule failed'),
    ...of(isWorse ? [] : violated, (ids) => `it says ${word} over failed rules (${ids})`),
    ...of(wrong, (ids) => `it says ${word} over failed expectations (${ids}), which are an error`),
  ]
}

/** What keeps a run from being conformant, besides failed rules. */
function unfitToConform(verdict: Verdict): readonly string[] {
  const { rules, waivers, profile, target, requests } = verdict
  const says = 'it says conformant'
  const documented = (wanted: RuleStatus): readonly VerdictRule[] =>
    rules.filter(({ level, status }) => level === 'documented' && status === wanted)
  const isJudged = ({ status, findings }: VerdictRule): boolean =>
    status === 'passed' || status === 'warned' || findings.length > 0
  const clauses = [
    ...when(!rules.some(isJudged), `${says}, and judged no rule`),
    ...of(documented('inconclusive'), (ids) => `${says} over inconclusive rules (${ids})`),
    ...when(troubleGrade(requests) === 'incomplete', `${says}, and too many requests got no answer`),
  ]
  if (!profiles[profile].demandsEveryRule) return clauses
  const isLeftOut = target.notJudged.some(({ waived }) => waived === undefined)
  return [
    ...clauses,
    ...of(documented('untested'), (ids) => `${says} in ${profile} over untested rules (${ids})`),
    ...when(isLeftOut, `${says} in ${profile}, and an endpoint was not judged`),
    ...when(
      waivers.some(({ gone }) => gone === true),
      `${says} in ${profile}, and a waiver is not needed any more`,
    ),
    ...when(isPartial(verdict), `${says} in ${profile}, and only a part was selected`),
  ]
}

/** Each rule is there once; those of the specification are all there, with their levels. What a newer version judges is not known. */
function ruleContradictions({ suite, verdict, rules, selection }: Verdict): readonly string[] {
  const ids = new Set<string>(rules.map(({ id }) => id))
  const isKnown = unknownVersion(suite.version) === null
  const isWhole = isKnown && verdict !== 'error' && selection.only === null
  const missing = ruleIds.filter((id) => isWhole && !ids.has(id)).map((id) => ({ id }))
  const other = rules.filter(({ id, level }) => isKnown && isRuleId(id) && level !== ruleOf(id).level)
  return [
    ...when(ids.size < rules.length, 'it holds a rule twice'),
    ...of(missing, (named) => `it lacks rules (${named}), and nothing was selected`),
    ...of(other, (named) => `it gives rules (${named}) another level than its version of the suite does`),
  ]
}

/** What the findings that no waiver covers make of a rule. */
function statusContradictions(rule: VerdictRule, { strict }: Verdict): readonly string[] {
  const { id, level, status, findings } = rule
  const open = findings.filter(({ waived }) => waived === undefined)
  const mayOnlyWarn = level === 'implied' && !strict
  const due = mayOnlyWarn || open.every(({ warning }) => warning === true) ? 'warned' : 'failed'
  const isBreach = status === 'failed' || status === 'warned'
  if (open.length === 0 ? !isBreach : status === due) return []
  return [`${shown(id)} is ${status}, and by its findings ${open.length === 0 ? 'is not' : `is ${due}`}`]
}

/** What is waived names a waiver of the list that covers it on the day of the run. */
function waiverContradictions(verdict: Verdict): readonly string[] {
  const { rules, waivers, target, startedAt, profile, selection } = verdict
  const day = utcDay(new Date(startedAt))
  const isNamed = (text: string | null, waivable: Waivable): boolean =>
    waivers.some((one) => !one.expired && covers(one, waivable, day) && text?.includes(waiverReason(one)))
  const found = new Set(
    rules.flatMap(({ id, findings }) => findings.map((one) => `${id} ${one.fingerprint}`)),
  )
  // A rule that was not selected is not listed.
  const isFound = ({ rule, fingerprint }: FindingId): boolean =>
    found.has(`${rule} ${fingerprint}`) || (selection.only !== null && rules.every(({ id }) => id !== rule))
  const isUnnamed = ({ id: rule, level, status, because, findings, follows = [] }: VerdictRule): boolean => {
    const waived = findings.filter((one) => one.waived !== undefined)
    if (waived.some((one) => !isNamed(one.waived ?? null, { ...one, rule }))) return true
    if (status !== 'waived') return false
    if (follows.some((one) => !isFound(one))) return true
    if (waived.length + follows.length > 0) return follows.some((one) => !isNamed(because, one))
    const mayBeUntested = level === 'documented' && profiles[profile].demandsEveryRule
    return !mayBeUntested || !isNamed(because, { rule, fingerprint: null })
  }
  const endpoints = target.notJudged
    .filter(({ waived }) => waived !== undefined)
    .filter((one) => !isNamed(one.waived ?? null, { ...one, rule: 'endpoints/list-succeeds' }))
  return [
    ...of(
      rules.filter(isUnnamed),
      (ids) => `no listed waiver covers what is waived on the day of the run (${ids})`,
    ),
    ...when(endpoints.length > 0, 'no listed waiver covers an endpoint that is waived'),
  ]
}

/** Exchanges are with the target. Where a credential was masked in the address, nobody can tell. */
function addressContradictions({ rules, target }: Verdict): readonly string[] {
  const due = originIn(target.baseUrl ?? '')
  const isElsewhere = (exchange: unknown): boolean => {
    const url = urlOf(exchange)
    return url !== null && !/</.test(url.split('/', 3).join('/')) && originIn(url) !== due
  }
  const elsewhere = rules.filter(({ sample, findings }) =>
    [sample, ...findings.map(({ exchange }) => exchange)].some(isElsewhere),
  )
  const judged = due === '' ? 'no address' : shown(due)
  return of(elsewhere, (ids) => `it judges ${judged}, and exchanges (${ids}) are with another address`)
}

function urlOf(exchange: unknown): string | null {
  const request = isObject(exchange) ? exchange['request'] : null
  const url = isObject(request) ? request['url'] : null
  return typeof url === 'string' ? url : null
}

/** Scheme, host and port, as they are written. */
function originIn(url: string): string {
  return /^[^/]*\/\/[^/?# ]*/.exec(url)?.[0] ?? ''
}

function when(isWrong: boolean, clause: string): readonly string[] {
  return isWrong ? [clause] : []
}

function of(
  [first, ...others]: readonly { readonly id: string }[],
  clause: (ids: string) => string,
): readonly string[] {
  if (first === undefined) return []
  return [clause(others.length === 0 ? shown(first.id) : `${shown(first.id)} and ${others.length} more`)]
}

/** The file's own words, of any length and kind. */
function shown(text: string): string {
  return printable(beginning(text, 100))
}
