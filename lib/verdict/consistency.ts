import type { FindingId, ShownExchange } from '../judge/record.ts'
import { packageVersion, unknownVersion } from '../settings/package-version.ts'
import { profiles } from '../settings/profiles.ts'
import { covers, utcDay, waiverReason, type Waivable } from '../settings/waivers.ts'
import { isRuleId, ruleIds, ruleOf, runWideRules } from '../specification/rules.ts'
import { beginning, printable } from '../text/printable.ts'
import { openFindings } from './causes.ts'
import { concludeAgain, statusOfBreach } from './conclude.ts'
import type { Verdict, VerdictRule } from './verdict.ts'

/** Maximum difference allowed between two clocks, in milliseconds. */
const mostAheadMs = 5 * 60_000

/**
 * Contradictions that no run would leave in a verdict, one clause each. Derives the conclusion from the rules again and checks
 * what it is based on. Cannot detect that findings have been removed if the rule's status was changed as well.
 */
export function inconsistencies(verdict: Verdict, now: Date): readonly string[] {
  const ahead = Date.parse(verdict.startedAt) - now.getTime()
  if (Number.isNaN(ahead)) return ['its start time is invalid']
  const { rules, selection, target, validUntil } = verdict
  const isWhole = isKnown(verdict) && verdict.verdict !== 'error' && selection.only === null
  const ids = new Set<string>(rules.map(({ id }) => id))
  const lacking = ruleIds.filter((id) => isWhole && !ids.has(id)).map((id) => ({ id }))
  const hasAddress = /^https?:\/\//.test(target.baseUrl ?? '')
  return [
    ...when(ahead > mostAheadMs, 'it began in the future'),
    ...conclusionMistakes(verdict),
    ...when(ids.size < rules.length, 'it contains a rule twice'),
    ...of(lacking, 'it lacks rules, although nothing was selected'),
    ...Object.entries(ruleMistakes).flatMap(([clause, isWrong]) =>
      of(
        rules.filter((rule) => isWrong(rule, verdict)),
        clause,
      ),
    ),
    ...when(
      rules.some(({ answers }) => answers > 0) && !hasAddress,
      'it judged answers, but names no address',
    ),
    ...when(
      validUntil !== undefined && Number.isNaN(Date.parse(validUntil)),
      'its end of validity is an invalid time',
    ),
    // If an error leaves no disk space, the verdict is written without its rules and waivers.
    ...(verdict.verdict === 'error' ? [] : [...findingMistakes(verdict), ...waiverMistakes(verdict)]),
    ...of(
      rules.filter(({ sample, findings }) =>
        [sample, ...findings.map(({ exchange }) => exchange)].some((one) => isElsewhere(one, verdict)),
      ),
      `it judges ${shown(target.baseUrl ?? 'no address')}, but exchanges are with another address`,
    ),
  ]
}

/** Whether this version knows which rules the verdict must contain. */
function isKnown({ suite }: Verdict): boolean {
  return unknownVersion(suite.version) === null
}

/** Contradictions in a rule, by clause. */
const ruleMistakes: Readonly<Record<string, (rule: VerdictRule, verdict: Verdict) => boolean>> = {
  'its suite version gives them a different level': ({ id, level }, verdict) =>
    isKnown(verdict) && isRuleId(id) && level !== ruleOf(id).level,
  'their status does not follow from their findings': (rule, verdict) => !hasDueStatus(rule, verdict),
  'nothing was sent, but answers were judged': ({ answers }, { requests }) =>
    answers > 0 && requests.sent === 0,
  'their answers showed breaches, but have no finding': (rule) =>
    showedBreaches(rule) && rule.findings.length + (rule.follows ?? []).length === 0,
}

/** Checks that the word, exit code and reasons follow from the rules. The failure behind an error is not recorded in the rules. */
function conclusionMistakes(verdict: Verdict): readonly string[] {
  const { verdict: word, exitCode, because, suite } = verdict
  const due = concludeAgain(verdict)
  const isError = exitCode === 4 || (exitCode === 2 && due.exitCode !== 4)
  if (word === 'error' && isError && because.length > 0) return []
  if (word !== due.verdict || exitCode !== due.exitCode) {
    const [reason] = due.because
    const why = reason === undefined ? '' : ` (${shown(reason)})`
    return [`it says ${word} with exit code ${exitCode}, but by its rules it is ${due.verdict}${why}`]
  }
  // Other versions may word their reasons differently.
  const isSame = because.length === due.because.length && because.every((one, at) => one === due.because[at])
  return when(suite.version === packageVersion() && !isSame, 'its reasons do not follow from its rules')
}

/** Areas whose rules may have breaches that only warn: breaches inferred only from HTTP or from a name, and deviations from a baseline. */
const warningAreas = /^(?:fuzz|quota|tolerance|versioning)\//

/** Whether a rule has the status that follows from its unwaived findings. */
function hasDueStatus(rule: VerdictRule, { strict }: Verdict): boolean {
  const { id, level, status, findings } = rule
  const mayWarn = !isRuleId(id) || warningAreas.test(id) || runWideRules.some((one) => one === id)
  if (!mayWarn && findings.some(({ warning }) => warning === true)) return false
  const open = openFindings(rule)
  if (open.length > 0) return status === statusOfBreach(level, open, strict)
  return status !== 'failed' && status !== 'warned'
}

function showedBreaches({ power }: Pick<Verdict, 'power'> | Pick<VerdictRule, 'power'>): boolean {
  return (power?.faulty ?? 0) > 0
}

/** Signs that findings have been removed. */
function findingMistakes(verdict: Verdict): readonly string[] {
  const { rules, causes } = verdict
  const found = new Set(rules.flatMap(({ findings }) => findings.map(({ fingerprint }) => fingerprint)))
  return [
    ...when(
      showedBreaches(verdict) && found.size === 0,
      'its answers showed breaches, but it has no finding',
    ),
    ...when(
      causes.some(({ fingerprints }) => !fingerprints.every((one) => found.has(one))),
      'it names a cause without a finding',
    ),
  ]
}

function isDay(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && utcDay(new Date(time)) === text
}

/** Checks that each exception is covered by a listed waiver on the day of the run. */
function waiverMistakes(verdict: Verdict): readonly string[] {
  const { rules, waivers, target, profile, selection } = verdict
  const day = utcDay(new Date(verdict.startedAt))
  const isAgreed = (text: string | null, waivable: Waivable): boolean =>
    waivers.some(
      (one) =>
        one.used &&
        !one.expired &&
        isDay(one.expires) &&
        covers(one, waivable, day) &&
        text?.includes(waiverReason(one)),
    )
  // If a rule was not selected, it is not listed.
  const isFound = ({ rule, fingerprint }: FindingId): boolean => {
    const found = rules.find(({ id }) => id === rule)
    return found?.findings.some((one) => one.fingerprint === fingerprint) ?? selection.only !== null
  }
  const isUnagreed = ({ id: rule, level, status, because, findings, follows = [] }: VerdictRule): boolean => {
    const waived = findings.filter((one) => one.waived !== undefined)
    if (waived.some((one) => !isAgreed(one.waived ?? null, { ...one, rule }))) return true
    if (status !== 'waived') return false
    if (waived.length + follows.length > 0)
      return follows.some((one) => !isFound(one) || !isAgreed(because, one))
    const mayBeUntested = level === 'documented' && profiles[profile].demandsEveryRule
    return !mayBeUntested || !isAgreed(because, { rule, fingerprint: null })
  }
  const endpoints = target.notJudged.flatMap(({ endpoint, waived, fingerprint }) =>
    waived === undefined || isAgreed(waived, { rule: 'endpoints/list-succeeds', fingerprint })
      ? []
      : [{ id: endpoint }],
  )
  const says = 'no listed waiver covers its exceptions on the day of the run'
  return [...of(rules.filter(isUnagreed), says), ...of(endpoints, says)]
}

/** Whether an exchange was with something other than the target. This cannot be determined if a credential has been masked in the URL. */
function isElsewhere(exchange: ShownExchange | null, { target: { baseUrl } }: Verdict): boolean {
  if (exchange === null) return false
  const { url } = exchange.request
  const isMasked = url
    .split('/')
    .slice(0, (baseUrl ?? '').split('/').length)
    .some((part) => /<(?:part of )?[A-Z][A-Z\d]*_[^<>]+>/.test(part))
  return (
    !isMasked && (baseUrl === null || !/^[/ ]/.test(url.slice(baseUrl.length)) || !url.startsWith(baseUrl))
  )
}

function when(isWrong: boolean, clause: string): readonly string[] {
  return isWrong ? [clause] : []
}

/** A clause together with its subjects. */
function of([first, ...others]: readonly { readonly id: string }[], clause: string): readonly string[] {
  if (first === undefined) return []
  return [`${clause} (${shown(first.id)}${others.length === 0 ? '' : ` and ${others.length} more`})`]
}

/** Makes text from the file safe to display, whatever its length and content. */
function shown(text: string): string {
  return printable(beginning(text, 100))
}
