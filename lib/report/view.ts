import { packageVersion } from '../settings/package-version.ts'
import { areaOf, countedRules } from '../specification/rules.ts'
import { firstOf, groupBy } from '../text/members.ts'
import { capitalised, counted, duration, grouped, moment, plural, beginning } from '../text/printable.ts'
import { withCodeNames } from '../verdict/cause-sentence.ts'
import { endedEarly, troubleIn, violationOf } from '../verdict/conclude.ts'
import { partsOf, shownRules, type Verdict, type VerdictRule } from '../verdict/verdict.ts'
import { isJudged } from './history/history.ts'
import { causeViews, type CauseView, otherWaivers } from './model/cause-view.ts'
import { factsOf, findingView, shownText } from './model/finding-view.ts'
import * as words from './model/headline.ts'
import { powerView, rulePowerText } from './model/power.ts'

/** Everything that any report says about a verdict, as final unescaped strings. Reports only arrange these strings and add no wording of their own. */
export type View = ReturnType<typeof view>

/** A rule as shown in reports. */
export type RuleView = ReturnType<typeof ruleView>

/** Maximum number of causes per status that are listed in full. `otherWaivers` contains the entries for the rest. */
export const mostCauses = 60
const mostObserved = 60

/** Creates the view of a verdict. `since` says what has changed since the last run. */
export function view(
  verdict: Verdict,
  { digest = null, since = null }: Readonly<{ digest?: string | null; since?: string | null }> = {},
) {
  const { target, requests, rules, profile, strict, startedAt } = verdict
  const service = countedRules(rules)
  const causes = causeViews(verdict)
  const problems = causes.filter(({ status }) => status === 'failed')
  const isEnded = verdict.because.some((reason) => reason.startsWith(endedEarly))
  const isEmpty = verdict.verdict === 'incomplete' && isEnded && !isJudged(verdict)
  const address = words.askedAddress(target)
  const waivers = words.waiverViews(verdict)
  const word = words.headlineWord(verdict)
  const isError = verdict.verdict === 'error'
  const count = problems.length === 0 || isError ? '' : `: ${plural(problems.length, 'problem')}`
  const notice = target.embedded ? words.embeddedNotice : null
  const outcome = words.outcomeSentence(verdict)
  const exit = `exit ${verdict.exitCode}: ${word}: ${outcome}`
  const exceptions = isError ? '' : words.waivedNames(verdict)
  const sentence = `${outcome}${exceptions && `; waived: ${exceptions}`}`
  const ofProfile = `${profile}${strict ? ', strict' : ''}`
  const { baseline: compared, validUntil } = verdict
  const power = powerView(verdict)
  const maker = `card-switch-conformance ${packageVersion()}`
  const isOriginal = verdict.suite.version === packageVersion()
  const again = isOriginal ? null : `made again from verdict.json by ${maker}`
  const baseline = compared === undefined ? null : shownText(`${compared.did}: ${compared.file}`)
  return {
    /** The verdict itself, for machine-readable numbers and names. */
    of: verdict,
    /** SHA-256 of `verdict.json`; null if unknown. */
    digest,
    /** `partial, nonconformant`, `conformant with 1 agreed exception`. */
    word,
    /** Its appearance, as the status of a rule. A partial verdict, or one with a waived security breach, never gets a tick. */
    look: words.lookOf(verdict),
    /** `Nonconformant: 2 problems`. */
    headline: capitalised(`${word}${count}`),
    /** The verdict in a sentence, without its word. */
    sentence: withCodeNames(sentence),
    /** Set if the run judged the suite's own service. */
    notice,
    /** `https://… (vendor, build 42), through the proxy …`. */
    subject: [`${address}${words.inBrackets(target)}`, ...words.connectionTexts(verdict)].join(', '),
    /** `gate, strict`. */
    profile: ofProfile,
    /** Label or URL, and build. */
    brief: beginning(words.namesOfTarget({ ...target, label: target.label ?? address }).join(', '), 200),
    /** Profile, time and requests: the facts that readers want first. */
    line: [
      `profile ${ofProfile}`,
      moment(startedAt),
      `${counted(requests.sent, 'request')} in ${duration(verdict.durationMs)}`,
      `seed ${verdict.seed}`,
      ...(baseline === null ? [] : [`baseline ${baseline}`]),
    ],
    /** `40 rules: 38 passed, 0 failed, 2 untested`. */
    counts: `${plural(service.length, 'rule')}: ${words.outcomes(service)}`,
    /** Reasons for the verdict, except for violated rules. If nothing was judged, they also say what to do. */
    reasons: isEmpty ? whyNothing(verdict) : reasonsOf(verdict, problems.length),
    /** Whether the run itself stops a pipeline, so that its problems do not explain everything. */
    stops: verdict.exitCode !== 0 && (verdict.verdict !== 'nonconformant' || problems.length === 0),
    /** Whether the run ended before any rule was judged. */
    isEmpty,
    /** Warnings about the run itself: trouble with requests, a partial selection, endpoints that were not judged. */
    cautions: cautionsOf(verdict, isEmpty),
    /** Problems first, then warnings, then waived causes. */
    causes,
    /** The causes that violate rules. */
    problems,
    /** Waived rules without findings: rules that follow from waived breaches, and rules that cannot be tested. */
    excepted: exceptedOf(service, causes),
    /** The rules that reports list. */
    rules: shownRules(rules).map((rule) => ruleView(rule, causes, service.includes(rule))),
    /** Rules without a result, grouped by reason. */
    notJudged: needsOf(service),
    endpoints: target.notJudged.map(({ endpoint, because, waived }) => ({
      name: shownText(endpoint),
      because: shownText(because),
      waived: waived === undefined ? null : shownText(waived),
    })),
    /** Waivers that have expired or cover nothing. */
    alarms: waivers.flatMap(({ alarm }) => alarm ?? []),
    waivers,
    /** Waiver entries for everything that the listed causes do not cover. */
    otherWaivers: otherWaivers(verdict.causes.filter(({ warning }) => !warning).slice(mostCauses), verdict),
    power,
    facts: factsOf({
      Verdict: exit,
      Profile: ofProfile,
      ...factsOfRun(verdict),
      Power: power?.sentence ?? null,
      'Valid until': validUntil === undefined ? null : moment(validUntil),
      Baseline: baseline,
      Reports: again,
    }),
    /** The same and the verdict for programs, by name. */
    properties: words.propertiesOf(verdict, notice),
    notCovered: rules.length === 0 ? [] : verdict.notCovered.map((text) => shownText(text)),
    observations: verdict.observations
      .slice(0, mostObserved)
      .map(({ id, value }) => ({ id: shownText(id), lines: valueLines(value) })),
    /** Changes since the last run; null if unknown. */
    since,
    /** `exit 1: nonconformant: …`. */
    exit,
    /** `Made from verdict.json by …`. */
    made: `Made ${isOriginal ? '' : 'again '}from verdict.json, which contains every finding, by ${maker}.`,
  }
}

function exceptedOf(service: readonly VerdictRule[], causes: readonly CauseView[]) {
  const waived = causes.filter(({ status }) => status === 'waived')
  const shown = waived.flatMap(({ rules }) => rules.map(({ id }) => id))
  return service
    .filter((rule) => words.isCovered(rule) && !shown.includes(rule.id))
    .map(({ id, because }) => `${id}: ${told(because ?? 'no reason was given')}`)
}

function told(text: string) {
  return withCodeNames(shownText(text))
}

/**
 * Reasons other than violated rules, which their findings explain better. If there are problems, unjudged rules are also omitted, because
 * they have a separate list.
 */
function reasonsOf({ because: reasons, rules }: Verdict, problems: number) {
  const listed = rules.flatMap((rule) => {
    if (rule.status === 'failed') return violationOf(rule)
    return problems > 0 && rule.status === 'inconclusive' ? (rule.because ?? []) : []
  })
  return reasons.filter((reason) => !listed.some((because) => reason.endsWith(because))).map(told)
}

/** Why nothing could be judged, and what to do about it. */
function whyNothing({ because }: Verdict) {
  const reasons = because.flatMap((reason) =>
    reason.startsWith(endedEarly) ? [reason.slice(endedEarly.length)] : [],
  )
  // If something external ended the run, the settings are not to blame.
  const isOutside = reasons.some((reason) => reason.startsWith('the run '))
  const remedy = 'Run doctor with the same settings. It says what is wrong and how to fix it.'
  return [...reasons.map((reason) => told(capitalised(reason))), ...(isOutside ? [] : [remedy])]
}

/** If nothing was judged, the reason says everything else. */
function cautionsOf({ because, requests, selection, target }: Verdict, isEmpty: boolean) {
  const parts = partsOf({ selection }).map((part) => shownText(`Only a part: ${part}`))
  if (isEmpty) return parts
  const isReason = (text: string) => because.some((reason) => reason.includes(text))
  const isNamed = target.notJudged.some(({ endpoint }) => isReason(endpoint))
  const unjudged = isNamed ? [] : (words.notJudgedText(target) ?? [])
  const cautions = [unjudged, troubleIn(requests).says ?? []].flat().filter((text) => !isReason(text))
  return [...parts, ...cautions.map((text) => shownText(capitalised(text)))]
}

function ruleView(rule: VerdictRule, causes: readonly CauseView[], isCounted: boolean) {
  const { id, level, section, status, because, answers, power, durationMs } = rule
  const powerText = power === undefined ? null : rulePowerText(power)
  return {
    id,
    area: areaOf(id),
    status,
    level,
    section,
    says: words.sentenceOf(rule),
    because: because === null ? null : told(because),
    /** `1,200 answers, fewer than one in 23 faulty`. */
    answers: `${counted(answers, 'answer')}${powerText === null ? '' : `, ${powerText}`}`,
    findings: rule.findings.map((finding) => findingView(finding, rule)),
    /** The ID of its most severe cause, or null. */
    cause: causes.find(({ rules }) => rules.some((one) => one.id === id))?.id ?? null,
    /** The total time of its requests. Requests run in parallel, so the sum exceeds the duration of the run. */
    durationMs,
    /** Whether it is about the service and therefore counted. */
    isCounted,
  }
}

/** Rules without a result, by reason: `No baseline is given (RUN_BASELINE): 1 rule`. */
function needsOf(service: readonly VerdictRule[]) {
  return (['inconclusive', 'untested'] as const).flatMap((status) => {
    const open = service.filter((rule) => rule.status === status)
    return [...groupBy(open, ({ because }) => because ?? 'no reason was given')].map(([because, own]) => ({
      status,
      title: `${told(capitalised(because))}: ${plural(own.length, 'rule')}`,
      because: told(because),
      rules: own.map(({ id }) => id),
    }))
  })
}

function factsOfRun(verdict: Verdict) {
  const { startedAt, durationMs, seed, fuzzCases, suite, requests, target, specification } = verdict
  const { retried, confirming, byClient } = requests
  const counts = [[retried, 'retried'] as const, [confirming, 'to confirm'] as const]
  const extra = counts.flatMap(([count, what]) => (count > 0 ? [`${grouped(count)} ${what}`] : []))
  const sent = `${grouped(requests.sent)} of at most ${grouped(requests.budget)}`
  return {
    Started: `${moment(startedAt)}, took ${duration(durationMs)}`,
    Seed: `${seed}, ${counted(fuzzCases, 'fuzz case')} per rule`,
    Requests: `${sent}${extra.length === 0 ? '' : ` (${extra.join(', ')})`}`,
    Latency: latencyText(verdict),
    'Daily quota used': byClient === undefined ? null : `at most ${words.clientCounts(byClient)}`,
    'x-version': shownText(target.version),
    Suite: `card-switch-conformance ${suite.version}`,
    Specification: specification.title,
    'Specification version': specification.version ?? 'its text names no version',
    'SHA-256 of the specification': specification.sha256,
  }
}

/** `median 3 ms, 95 % at most 9 ms, …`; null if nothing was answered. */
function latencyText({ latencyMs }: Verdict) {
  if (latencyMs === null) return null
  const { p50, p95, p99, max } = latencyMs
  const all = {
    median: p50,
    '95 % at most': p95,
    '99 % at most': p99,
    slowest: max,
  }
  const texts = Object.entries(all).map(([name, ms]) => `${name} ${grouped(Math.round(ms * 10) / 10)} ms`)
  return texts.join(', ')
}

function valueLines(value: unknown) {
  const text = (one: unknown) => shownText(typeof one === 'string' ? one : (JSON.stringify(one) ?? ''))
  if (typeof value !== 'object' || value === null) return [text(value)]
  const lines = Array.isArray(value)
    ? value.map(text)
    : Object.entries(value).map(([name, one]) => `${shownText(name)}: ${text(one)}`)
  if (lines.length === 0) return ['none']
  return firstOf(lines, mostObserved, (more) => `${more} more in verdict.json`)
}
