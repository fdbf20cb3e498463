import { createHash } from 'node:crypto'
import type { Power, RulePower } from '../judge/power.ts'
import type { FindingId, Observation, RuleResult, RuleStatus, RunSnapshot } from '../judge/record.ts'
import type { RunSettings, TargetSettings } from '../settings/settings.ts'
import type { Waiver } from '../settings/waivers.ts'
import { countedRules, type Rule } from '../specification/rules.ts'
import { jsonText } from '../text/json.ts'
import type { Cause } from './causes.ts'

/** The format name of `verdict.json`. */
export const verdictFormat = 'card-switch-conformance/verdict/1'

/** The result of a run, in one word. */
export type VerdictWord = 'conformant' | 'nonconformant' | 'incomplete' | 'error'

/** The exit code of a run. */
export type ExitCode = 0 | 1 | 2 | 3 | 4

/** A rule in the verdict. */
export type VerdictRule = Pick<Rule, 'level' | 'section' | 'says'> &
  Pick<RuleResult, 'id' | 'status' | 'answers' | 'sample' | 'findings'> &
  Readonly<{
    /** Why it is untested, inconclusive or waived; otherwise null. */
    because: string | null
    /** The breaches that alone make it inconclusive, or that cause it to be waived; absent if there are none. */
    follows?: readonly FindingId[]
    /** The total latency of its requests, in milliseconds. */
    durationMs: number
    /** Its power; present only for documented and implied rules. */
    power?: RulePower
  }>

/** A waiver in the verdict, with its effect. */
export type VerdictWaiver = Omit<Waiver, 'rule'> &
  Readonly<{
    rule: string | null
    expired: boolean
    /** Whether it covers anything in this run. */
    used: boolean
    /** Set if its fault is certainly gone; absent if this is unknown. */
    gone?: true
    /** Its fingerprints whose fault is certainly gone; absent if no fault or every fault is gone. */
    goneFingerprints?: readonly string[]
  }>

/** The proxy and certificates used between the suite and the target, and which of these come from a `.env` file. */
export type TargetConnection = Readonly<{
  /** Scheme, host and port of the proxy, without user name and password; null if there is no proxy. */
  proxy: string | null
  /** Files with trusted certificate authorities, in addition to those that Node trusts. */
  caFiles: readonly string[]
  /** File that contains the client certificate; absent if there is none. */
  certFile?: string
  /** Settings that came only from an implicit `.env` file; absent if there are none. */
  fromEnvFile?: Readonly<TargetSettings['fromEnvFile']>
}>

/** The contents of `verdict.json`, from which all other reports are generated. */
export type Verdict = Pick<RunSettings, 'profile' | 'strict' | 'seed' | 'fuzzCases'> &
  Readonly<{
    format: typeof verdictFormat
    suite: { readonly version: string }
    /** The edition of the specification that the target was judged against, by the version in its text, if any, and the hash of its bytes. */
    specification: {
      readonly title: string
      readonly version: string | null
      readonly sha256: string
    }
    target: Pick<TargetSettings, 'baseUrl' | 'embedded' | 'version' | 'label' | 'build'> & {
      /** The endpoints with a judged answer, as the path from `/api/`, with the method unless it is GET, and with the version unless it is the target's. */
      readonly endpoints: readonly string[]
      /** The endpoints without a judged answer, in the same format. */
      readonly notJudged: readonly {
        readonly endpoint: string
        readonly because: string
        /** A waiver with this fingerprint covers exactly this endpoint. */
        readonly fingerprint: string
        /** The reason given in the waiver that covers it, if the profile requires every endpoint. */
        readonly waived?: string
      }[]
    }
    /** Absent for a direct connection. */
    connection?: TargetConnection
    selection: {
      readonly only: readonly string[] | null
      /** Whether only one case per rule was selected; absent in full runs. */
      readonly essential?: boolean
    }
    startedAt: string
    /** ISO date-time after which the verdict is no longer valid; absent if no number of days was set. */
    validUntil?: string
    durationMs: number
    verdict: VerdictWord
    exitCode: ExitCode
    /** One sentence for each reason why the run is not conformant. */
    because: readonly string[]
    /** The counted findings, grouped by cause, worst first. */
    causes: readonly Cause[]
    /** If the run failed, the number of requests by client, such as `target`, and the reasons for retries are absent. */
    requests: Pick<RunSnapshot, 'sent' | 'retried' | 'confirming' | 'byRule'> &
      Partial<Pick<RunSnapshot, 'byClient' | 'retriedFor'>> & { readonly budget: number }
    /** The baseline file requested and how it was used; absent if there is none. */
    baseline?: Readonly<{ file: string; did: string }>
    latencyMs: RunSnapshot['latencyMs']
    /** Its power; absent if no rule was judged. */
    power?: Power
    rules: readonly VerdictRule[]
    waivers: readonly VerdictWaiver[]
    observations: readonly Observation[]
    notCovered: readonly string[]
  }>

/** Every status, in the order used in reports. */
export const statuses: readonly RuleStatus[] = [
  'passed',
  'warned',
  'failed',
  'waived',
  'inconclusive',
  'untested',
]

/** The selection in a partial run, with each part in a few words. */
export function partsOf({
  selection: { only, essential = false },
}: Pick<Verdict, 'selection'>): readonly string[] {
  return [...(only === null ? [] : [`only ${only.join(', ')}`]), ...(essential ? ['one case per rule'] : [])]
}

/** Whether only some rules or cases were selected. */
export function isPartial(verdict: Pick<Verdict, 'selection'>) {
  return partsOf(verdict).length > 0
}

/** The listed rules: counted rules, and expectations that were not met. */
export function shownRules(rules: readonly VerdictRule[]): readonly VerdictRule[] {
  const counted = new Set(countedRules(rules))
  return rules.filter((rule) => counted.has(rule) || rule.status === 'failed' || rule.findings.length > 0)
}

/** A verdict as read back from its text, with well-formed strings. All reports are generated from it. */
export function asWritten(verdict: Verdict) {
  const text = verdictJson(verdict)
  if (!text.includes('\uFFFD')) return verdict
  const written: Verdict = JSON.parse(text)
  return written
}

/** SHA-256 of `verdict.json`, in hexadecimal. */
export function verdictDigest(verdict: Verdict) {
  return createHash('sha256').update(verdictJson(verdict)).digest('hex')
}

/** The text of `verdict.json` for a verdict. */
export function verdictJson(verdict: Verdict) {
  return `${jsonText(verdict, 2)}\n`
}
