import type { Baseline } from '../../drift/baseline.ts'
import type { FindingId, Reason, Replayed, RunSnapshot, ShownExchange } from '../../judge/record.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { redactJson, type Redactor } from '../../redact/redact.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { Catalogue } from '../../specification/catalogue.ts'
import type { RuleId } from '../../specification/rules.ts'
import { settingsForMore } from '../plan/suite-context.ts'
import { BaselineWatch } from './baseline-watch.ts'
import { PassiveChecks, type SuccessChecks } from './checks.ts'
import { FindingRecorder, JudgedAnswers } from './findings.ts'
import { Observations } from './observations.ts'
import { PowerRecord } from './power-record.ts'

export interface RunRecord {
  readonly answers: JudgedAnswers
  readonly findings: FindingRecorder
  readonly observations: Observations
  readonly power: PowerRecord
  /** Null without a baseline. */
  readonly baseline: BaselineWatch | null
  readonly checks: PassiveChecks
  /** The replayed case; null in a normal run. */
  readonly replay: Replay | null
  readonly redactor: Redactor
}

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
  /** The earlier baseline. */
  readonly known?: Baseline | null
}

/** An empty record. */
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

/** The facts in the verdict about the exchanges of a run, without credentials. */
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

/** Maximum number of exchanges kept for a replay, and for each finding. */
const keptExchanges = 3

interface Met {
  readonly times: Set<number>
  readonly exchanges: ShownExchange[]
}

/** A replayed case: its exchanges, and how many times each finding was seen. */
class Replay {
  readonly #findings: FindingRecorder
  readonly #exchanges: ShownExchange[] = []
  readonly #met = new Map<string, Met>()
  readonly #unjudged = new Set<string>()
  #sent = 0
  /** The number of repetitions that were judged completely. */
  #judged = 0

  constructor(findings: FindingRecorder) {
    this.#findings = findings
  }

  /** Whether every repetition so far has been judged completely. */
  get isJudged(): boolean {
    return this.#unjudged.size === 0
  }

  /** Notes an exchange of the case. */
  answered(exchange: ShownExchange): void {
    this.#sent += 1
    if (this.#sent <= keptExchanges) this.#exchanges.push(exchange)
  }

  /** Notes why a repetition could not be judged. */
  left(reasons: readonly Reason[]): void {
    for (const { text } of reasons) this.#unjudged.add(text)
  }

  /** Notes the end of a repetition. */
  ended(): void {
    if (this.isJudged) this.#judged += 1
  }

  /** Notes a finding. */
  met({ rule, fingerprint }: FindingId, exchange: ShownExchange): void {
    const key = keyOf(rule, fingerprint)
    const met = this.#met.get(key) ?? { times: new Set(), exchanges: [] }
    this.#met.set(key, met)
    met.times.add(this.#judged)
    if (met.exchanges.length < keptExchanges) met.exchanges.push(exchange)
  }

  /** The result of the replay, with the number of repetitions that show each finding. */
  replayed(rules: Iterable<RuleId>): Replayed {
    const all = Array.from(rules, (rule) =>
      this.#findings.of(rule).findings.map((finding) => ({ rule, finding })),
    ).flat()
    const found = all.map((one) => ({ ...one, ...this.#metBy(one.rule, one.finding.fingerprint) }))
    const wrong = new Set(found.flatMap(({ times }) => [...times]))
    // A breach counts even if its repetition was not judged completely.
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
