import type { RunSnapshot } from '../../judge/record.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { redactJson, type Redactor } from '../../redact/redact.ts'
import type { RunSettings } from '../../settings/settings.ts'
import type { Catalogue } from '../../specification/catalogue.ts'
import { BaselineWatch } from './baseline-watch.ts'
import { FindingRecorder } from './finding-recorder.ts'
import { JudgedAnswers } from './judged-answers.ts'
import { Observations } from './observations.ts'
import { PassiveChecks } from './passive-checks.ts'
import { PowerRecord } from './power-record.ts'
import { settingsForMore } from '../plan/profile-choice.ts'
import { Replay } from './replay.ts'
import type { SuccessChecks } from './success-checks.ts'

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
}

/** A record of nothing yet. */
export function openRecord(options: RecordOptions): RunRecord {
  const { baseUrl, settings, model, redactor, catalogue, isReplay, successes } = options
  const observations = new Observations()
  const power = new PowerRecord(model)
  const baseline = settings.baseline === null ? null : new BaselineWatch()
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
