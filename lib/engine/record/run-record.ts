import type { Baseline } from '../../drift/baseline.ts'
import type { FindingId, Reason, Replayed, RunSnapshot, ShownExchange } from '../../judge/record.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { redactJson, type Redactor } from '../../redact/redact.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { Catalogue } from '../../specification/catalogue.ts'
import type { RuleId } from '../../specification/rules.ts'
import { BaselineWatch } from './baseline-watch.ts'
import { FindingRecorder, JudgedAnswers } from './findings.ts'
import { Observations } from './observations.ts'
import { PassiveChecks, type SuccessChecks } from './checks.ts'
import { PowerRecord } from './power-record.ts'
import { settingsForMore } from '../plan/suite-context.ts'

/** What a run keeps of its exchanges. */
export interface RunRecord {
  readonly answers: JudgedAnswers
  readonly findings: FindingRecorder
  readonly observations: Observations
  readonly power: PowerRecord
  /** Null without a baseline. */
  readonly baseline: BaselineWatch | null
  readonly checks: PassiveChecks
  /** The one case that is sent again; null in a run. */
  readonly replay: Replay | null
  readonly redactor: Redactor
}

/** The settings that a record needs. */
type RecordSettings = Pick<
  RunSettings,
  'baseline' | 'ca' | 'clientCertificate' | 'seed' | 'replayFlags' | 'strict' | 'trace'
>

interface RecordOptions {
  readonly baseUrl: string
  readonly settings: RecordSettings
  readonly model: TargetModel
  readonly redactor: Redactor
  readonly catalogue: Catalogue
  readonly isReplay: boolean
  readonly successes: SuccessChecks
  /** What a baseline of before holds. */
  readonly known?: Baseline | null
}

/** A record of nothing yet. */
export function openRecord(options: RecordOptions): RunRecord {
  const { baseUrl, settings, model, redactor, catalogue, isReplay, successes, known = null } = options
  const observations = new Observations()
  const power = new PowerRecord(model)
  const baseline = settings.baseline === null ? null : new BaselineWatch(known)
  const shown = { ...settings, baseUrl, redactor, model }
  const answers = new JudgedAnswers(shown)
  const findings = new FindingRecorder({ ...shown, catalogue, power, answers })
  const places = { baseUrl, paths: model.endpoints.map(({ path }) => path) }
  const kept = { answers, observations, power, baseline }
  return {
    ...kept,
    findings,
    checks: new PassiveChecks({ ...kept, places, seed: settings.seed, model, successes }),
    replay: isReplay ? new Replay(findings) : null,
    redactor,
  }
}

/** What a verdict tells of the exchanges of a run, without credentials. */
export function recorded(
  { power, observations, redactor }: RunRecord,
  settings: RunSettings,
): Pick<RunSnapshot, 'power' | 'blamed' | 'latencyMs' | 'msByRule' | 'observations'> {
  return {
    power: power.power(settingsForMore(settings)),
    blamed: power.blamed,
    latencyMs: observations.latencyMs(),
    msByRule: observations.msByRule(),
    observations: observations.all().map(({ id, value }) => ({
      id,
      value: redactJson(value, redactor.ofAnswer()),
    })),
  }
}

/** Maximum exchanges kept: of all that were sent first, and of each finding. */
const keptExchanges = 3

interface Met {
  readonly times: Set<number>
  readonly exchanges: ShownExchange[]
}

/** A case that is sent again, perhaps many times: its exchanges, and how often each finding was seen. */
class Replay {
  readonly #findings: FindingRecorder
  readonly #exchanges: ShownExchange[] = []
  readonly #met = new Map<string, Met>()
  readonly #unjudged = new Set<string>()
  #sent = 0
  /** Times that were judged to their end. */
  #judged = 0

  constructor(findings: FindingRecorder) {
    this.#findings = findings
  }

  /** Whether the case was judged to its end each time so far. */
  get isJudged(): boolean {
    return this.#unjudged.size === 0
  }

  /** Notes an exchange of the case. */
  answered(exchange: ShownExchange): void {
    this.#sent += 1
    if (this.#sent <= keptExchanges) this.#exchanges.push(exchange)
  }

  /** Notes why the case could not be judged this time, if so. */
  left(reasons: readonly Reason[]): void {
    for (const { text } of reasons) this.#unjudged.add(text)
  }

  /** Notes the end of one time. */
  ended(): void {
    if (this.isJudged) this.#judged += 1
  }

  /** Notes that a finding was met. */
  met({ rule, fingerprint }: FindingId, exchange: ShownExchange): void {
    const key = keyOf(rule, fingerprint)
    const met = this.#met.get(key) ?? { times: new Set(), exchanges: [] }
    this.#met.set(key, met)
    met.times.add(this.#judged)
    if (met.exchanges.length < keptExchanges) met.exchanges.push(exchange)
  }

  /** What came of the case; a finding was reproduced in so many of the times. */
  replayed(rules: Iterable<RuleId>): Replayed {
    const all = Array.from(rules, (rule) =>
      this.#findings.of(rule).findings.map((finding) => ({ rule, finding })),
    ).flat()
    const found = all.map((one) => ({ ...one, ...this.#metBy(one.rule, one.finding.fingerprint) }))
    const wrong = new Set(found.flatMap(({ times }) => [...times]))
    // A breach counts, even if the rest of its time could not be judged.
    const times = this.#judged + (wrong.has(this.#judged) ? 1 : 0)
    return {
      times,
      wrong: wrong.size,
      sent: this.#sent,
      exchanges: this.#exchanges,
      found: found.map(({ rule, finding, times: { size: seen }, exchanges }) => ({
        rule,
        finding: { ...finding, reproduced: `${seen} of ${times}` },
        exchanges,
      })),
      unjudged: [...this.#unjudged],
    }
  }

  #metBy(rule: RuleId, fingerprint: string): Met {
    return this.#met.get(keyOf(rule, fingerprint)) ?? { times: new Set(), exchanges: [] }
  }
}

function keyOf(rule: RuleId, fingerprint: string): string {
  return `${rule} ${fingerprint}`
}
