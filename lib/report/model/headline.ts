import type { RuleStatus } from '../../judge/record.ts'
import { waiverSubject } from '../../settings/waivers.ts'
import { clientNames } from '../../specification/client-rows.ts'
import { countedRules, isRuleId, ruleOf } from '../../specification/rules.ts'
import { groupBy, membersNamed } from '../../text/members.ts'
import { plural, beginning, printable } from '../../text/printable.ts'
import { waiverName } from '../../verdict/conclude.ts'
import type { HistoryLine } from '../../verdict/history-line.ts'
import {
  isPartial,
  statuses,
  type Verdict,
  type VerdictRule,
  type VerdictWaiver,
  type VerdictWord,
} from '../../verdict/verdict.ts'
import { isUnjudged } from '../history/history.ts'
import { waivedCauses } from './cause-view.ts'
import { shownText } from './finding-view.ts'

/** The embedded service. If it passes, that must not be mistaken for a pass by the user's own service. */
export const embeddedSubject = 'EMBEDDED REFERENCE SERVICE'

/** First line in every report about the embedded service. */
export const embeddedNotice = `${embeddedSubject}: this verdict is about the suite's own service, not about yours`

/** The subject of a headline: a verdict, or a run in the history. */
type Headed = Pick<Verdict, 'verdict' | 'selection'> &
  Partial<Pick<Verdict, 'waivers'>> &
  Pick<HistoryLine, 'exceptions'>

/** A verdict's word with its qualifiers, as used in every headline: `partial, nonconformant`, `conformant with 1 agreed exception`. */
export function headlineWord(headed: Headed) {
  const count = exceptionCount(headed)
  const isExcepted = headed.verdict === 'conformant' && count > 0
  const exceptions = isExcepted ? ` with ${plural(count, 'agreed exception')}` : ''
  return `${isPartial(headed) ? 'partial, ' : ''}${headed.verdict}${exceptions}`
}

/** Number of waivers that cover anything. */
export function exceptionCount({ waivers = [], exceptions }: Omit<Headed, 'verdict' | 'selection'>) {
  return exceptions ?? waivers.filter((waiver) => waiver.used).length
}

/** The status that determines a verdict's appearance. A partial verdict, or one with a waived security breach, never gets a tick. */
export function lookOf(verdict: Verdict): RuleStatus {
  if (verdict.verdict === 'incomplete') return 'inconclusive'
  if (verdict.verdict !== 'conformant') return 'failed'
  if (isPartial(verdict)) return 'untested'
  return waivedCauses(verdict).some(({ severity }) => severity === 'security') ? 'warned' : 'passed'
}

/** Whether a waiver covers a rule or any of its findings. */
export function isCovered({ status, findings }: VerdictRule) {
  return status === 'waived' || findings.some(({ waived }) => waived !== undefined)
}

/** Maximum number of endpoints in a headline. */
const mostEndpoints = 3
/** Maximum length of the text in a headline about endpoints that were not judged. A verdict from elsewhere may exceed it. */
const longestText = 1_000

/** The URL that was judged, `https://host/prefix/api/customizations/list`, and any further endpoints; just the base URL if no endpoint was judged. */
export function askedAddress({ baseUrl, endpoints }: Verdict['target']) {
  if (baseUrl === null) return 'no target'
  const base = baseUrl.replace(/\/+$/, '')
  const [, verb = '', first = ''] = /^([A-Z-]+ )?(.*)$/s.exec(endpoints[0] ?? '') ?? []
  return someOf([`${verb}${base}${first}`, ...endpoints.slice(1)])
}

/** The URL of a target, or the name of the embedded service. */
export function baseOf({ embedded, baseUrl }: Pick<Verdict['target'], 'embedded' | 'baseUrl'>) {
  return embedded ? `the ${embeddedSubject}` : (baseUrl ?? 'no target')
}

/** The names given to a target: label and build. */
export function namesOfTarget(target: Pick<Verdict['target'], 'label' | 'build'>): readonly string[] {
  const build = target.build === null ? null : `build ${target.build}`
  return [target.label, build].filter((name) => name !== null)
}

/** ` (vendor, build 42)`; empty if neither is given. */
export function inBrackets(target: Verdict['target']) {
  const names = namesOfTarget(target)
  return names.length === 0 ? '' : ` (${names.join(', ')})`
}

function someOf(endpoints: readonly string[]) {
  const more = endpoints.length - mostEndpoints
  const named = endpoints.slice(0, mostEndpoints).join(', ')
  return `${named}${more > 0 ? ` and ${plural(more, 'more endpoint')}` : ''}`
}

/** `not judged: POST /api/cards (why)`: endpoints that have no result; null if there are none. */
export function notJudgedText({ notJudged }: Verdict['target']) {
  if (notJudged.length === 0) return null
  const reasons = [...groupBy(notJudged, ({ because }) => because)].map(
    ([because, sharing]) => `${someOf(sharing.map(({ endpoint }) => endpoint))} (${because})`,
  )
  return beginning(`not judged: ${reasons.join(', ')}`, longestText)
}

const nouns = {
  TARGET_BASE_URL: 'address',
  HTTPS_PROXY: 'proxy',
  RUN_CA_FILE: 'certificate authority',
}

/** The proxy and certificates used between the suite and the target, as in every headline, and which of these came from a `.env` file. */
export function connectionTexts({ connection }: Pick<Verdict, 'connection'>): readonly string[] {
  if (connection === undefined) return []
  const { proxy, caFiles, certFile, fromEnvFile = [] } = connection
  const given = fromEnvFile.map((name) => nouns[name])
  const listed = [...given.slice(0, -2), given.slice(-2).join(' and ')].join(', ')
  return [
    ...(proxy === null ? [] : [`through the proxy ${proxy}`]),
    ...(caFiles.length === 0 ? [] : [`trusting the certificates of ${caFiles.join(' and ')}`]),
    ...(certFile === undefined ? [] : [`with the client certificate ${certFile}`]),
    ...(listed === '' ? [] : [`${listed} from .env`]),
  ]
}

/** The rules and endpoints that waivers cover, as a list. */
export function waivedNames({ rules, target }: Verdict) {
  const endpoints = target.notJudged.filter(({ waived }) => waived !== undefined)
  const covered = rules.filter(isCovered).map(({ id }) => id)
  return [...covered, ...endpoints.map(({ endpoint }) => endpoint)].join(', ')
}

/** The verdict in a few words: what is violated, or why nothing is known. */
export function outcomeSentence(verdict: Verdict) {
  const rules = countedRules(verdict.rules)
  const count = (status: RuleStatus) => statusCount(rules, status)
  const left = (['warned', 'untested', 'inconclusive'] as const)
    .filter((status) => count(status) > 0)
    .map((status) => `, ${plural(count(status), 'rule')} ${status}`)
  const are = count('failed') === 1 ? 'is' : 'are'
  const sentences: Readonly<Record<VerdictWord, string>> = {
    conformant: `nothing${exceptionCount(verdict) > 0 ? ' else' : ''} is violated, ${plural(count('passed'), 'rule')} passed${left.join('')}`,
    nonconformant: `${count('failed')} of ${plural(rules.length, 'rule')} ${are} violated`,
    incomplete: verdict.rules.length === 0 ? 'no rule was judged' : 'too little was judged for a verdict',
    error: verdict.exitCode === 2 ? mistaken : 'the suite itself failed',
  }
  return sentences[verdict.verdict]
}

const mistaken = "the settings, the command line or the user's files are wrong"

/** The effect of each waiver. A waiver raises an alarm if it has expired, covers nothing or covers too much, unless its rule was not judged. */
export function waiverViews(verdict: Verdict) {
  return verdict.waivers.map((waiver) => {
    const state = stateOf(waiver, verdict)
    const isQuiet = state === covering || state === unseen
    return {
      subject: shownText(waiverSubject(waiver)),
      reason: shownText(waiver.reason),
      owner: shownText(waiver.owner),
      expires: waiver.expires,
      state,
      alarm: isQuiet ? null : shownText(`${waiverName(waiver)} ${state}`),
    }
  })
}

const covering = 'covers what was found'
const unseen = 'its rules were not judged'

function stateOf(waiver: VerdictWaiver, { rules, selection, profile }: Verdict) {
  const { expires, goneFingerprints, rule: named } = waiver
  if (waiver.expired)
    return `EXPIRED on ${expires} and no longer covers anything: renew it or remove it from the RUN_WAIVERS file`
  if (goneFingerprints !== undefined)
    return `NAMES FAULTS THAT ARE GONE: remove the fingerprints ${goneFingerprints.join(', ')} from it in the RUN_WAIVERS file`
  if (waiver.used) return covering
  if (waiver.gone === true)
    return `COVERED NOTHING, and its fault is gone: remove it from the RUN_WAIVERS file${profile === 'acceptance' ? '; acceptance fails until then' : ''}`
  const isJudged = rules.some(({ id, status }) => id === named && !isUnjudged(status))
  return (named === null ? !isPartial({ selection }) : isJudged)
    ? 'COVERED NOTHING in this run: remove it from the RUN_WAIVERS file if its fault is fixed'
    : unseen
}

/** Machine-readable facts about the verdict, its target and the run that have a value, as text that is safe to print. */
export function propertiesOf(verdict: Verdict, notice: string | null) {
  const { target, connection, selection, requests } = verdict
  const facts = {
    notice,
    headline: headlineWord(verdict),
    ...membersNamed(verdict, ['verdict', 'exitCode']),
    target: target.baseUrl ?? 'none',
    asked: askedAddress(target),
    endpoints: notJudgedText(target),
    ...membersNamed(target, ['label', 'build']),
    proxy: connection?.proxy,
    caFiles: connection?.caFiles.join(', ') || null,
    certFile: connection?.certFile,
    fromEnvFile: connection?.fromEnvFile?.join(', '),
    version: target.version,
    ...membersNamed(verdict, ['profile', 'strict', 'seed', 'fuzzCases']),
    only: selection.only?.join(','),
    essential: selection.essential,
    suiteVersion: verdict.suite.version,
    requests: `${requests.sent} of ${requests.budget}`,
    notCovered: verdict.notCovered.join('; '),
  }
  const known = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(known.map(([name, value]) => [name, printable(`${value}`)]))
}

/** The sentence for a rule, from the verdict, safe to display. Runs in the history have no sentences. */
export function sentenceOf({ id, says }: Readonly<{ id: string; says?: string }>) {
  if (says !== undefined) return beginning(printable(says), longestSentence)
  return isRuleId(id) ? ruleOf(id).says : 'a rule that is not in the catalogue of this version'
}

/** Maximum length of a sentence, in characters. A verdict from elsewhere may exceed it. */
const longestSentence = 1_000

type Settled = readonly { readonly status: RuleStatus }[]

export function statusCount(rules: Settled, status: RuleStatus) {
  return rules.filter((rule) => rule.status === status).length
}

/** `21 passed, 0 failed, 2 untested`: passed and failed are always included, other statuses only if they occur. */
export function outcomes(rules: Settled) {
  const counts = statuses.map((status) => [statusCount(rules, status), status] as const)
  const told = counts.filter(([count, status]) => count > 0 || status === 'passed' || status === 'failed')
  return told.map((one) => one.join(' ')).join(', ')
}

/** `target 325, second 14`: maximum number of requests per client. */
export function clientCounts(byClient: Readonly<Record<string, number>>) {
  return clientNames
    .filter((client) => Object.hasOwn(byClient, client))
    .map((client) => `${client} ${byClient[client] ?? 0}`)
    .join(', ')
}
