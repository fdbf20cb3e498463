import type { Baseline } from '../../drift/baseline.ts'
import type { Signal } from '../../http/abort-signal.ts'
import { sameShape } from '../../fuzz/seeded.ts'
import type { RunSnapshot } from '../../judge/record.ts'
import { isSelected } from '../../settings/selection.ts'
import type { Settings } from '../../settings/settings.ts'
import { specCatalogue, type Catalogue } from '../../specification/catalogue.ts'
import { RunEnded } from '../plan/errors.ts'
import { profileChoice } from '../plan/profile-choice.ts'
import { redactorOf } from '../plan/redactor-of.ts'
import { SharedAnswers } from '../plan/shared-requests.ts'
import { targetModel } from '../plan/model-of-settings.ts'
import { plainRequests } from '../plan/test-request.ts'
import { openRecord, recorded, type RunRecord } from '../record/run-record.ts'
import { SuccessChecks } from '../record/success-checks.ts'
import { RunLifecycle } from '../send/run-state.ts'
import { Sender, type SenderOptions } from '../send/sender.ts'
import { Accuser } from './accuser.ts'
import { Ask, plainContext } from './ask.ts'
import { Confirm } from './confirm.ts'
import { Driver } from './driver.ts'
import type { OnEvent } from './events.ts'
import { Guesses } from './guesses.ts'
import { Health } from './health.ts'
import { Lockouts } from './lockouts.ts'
import { OtherLockouts } from './other-lockouts.ts'
import { Attribution } from './no-response.ts'
import { Preflight } from './preflight.ts'
import { QuotaMonitor } from './quota-monitor.ts'
import { measureSingleRefusal } from './single-refusal.ts'

interface OpenRunOptions extends Pick<SenderOptions, 'allotment' | 'rawSocketUnavailable' | 'transport'> {
  /** They must name an address and a client. */
  readonly settings: Settings
  /** The rules of the run; those of the specification by default. */
  readonly catalogue?: Catalogue
  readonly userAgent: string
  readonly signal: Signal
  readonly onEvent?: OnEvent
  /** What rules share, as planned. */
  readonly shared?: SharedAnswers
  /** The baseline of before; null if there is none. */
  readonly baseline?: Baseline | null
  /** One case is sent again: nothing is confirmed, and its first exchanges are kept. */
  readonly isReplay?: boolean
  /** Pause for a client that was locked out or banned, in milliseconds. */
  readonly leaveAloneMs?: number
}

/** A run against one target, under way. */
export interface OpenRun {
  readonly settings: Settings
  readonly lifecycle: RunLifecycle
  readonly sender: Sender
  readonly record: RunRecord
  readonly shared: SharedAnswers
  readonly ask: Ask
  readonly driver: Driver
  readonly accuser: Accuser
  readonly confirm: Confirm
  readonly onEvent: OnEvent
}

/** Opens a run; sends nothing. */
export async function openRun(options: OpenRunOptions): Promise<OpenRun> {
  const { settings, signal, baseline: known = null, isReplay = false } = options
  const { onEvent = () => {}, shared = new SharedAnswers(), catalogue = specCatalogue } = options
  const { baseUrl, client: target } = settings.target
  const model = targetModel(settings)
  const [list] = model.endpoints
  if (baseUrl === null || target === null || list === undefined)
    throw new TypeError('a run needs the address of the target and the credentials of a client')
  const plains = plainRequests(model.clients, list, options.userAgent)
  const plain = plains.get('target')
  if (plain === undefined) throw new TypeError('the target client is always configured')

  const run = new RunLifecycle(signal)
  const sender = new Sender({ ...options, baseUrl, settings: settings.run, run })
  const redactor = redactorOf(settings)
  const successes = await SuccessChecks.of(model.endpoints)
  const ofTarget = { baseUrl, model, catalogue, successes }
  const record = openRecord({ ...ofTarget, settings: settings.run, redactor, isReplay, known })
  const { findings, observations } = record
  const { limiter, availability } = sender
  const mayTakeLong = mayWait(settings, isReplay)
  const guesses = new Guesses({ model, mayTakeLong, check: () => health.check() })
  const ask = new Ask({ sender, run, observations, target, guesses, onEvent })
  const pausesMs = options.leaveAloneMs === undefined ? pausesOf(mayTakeLong) : [options.leaveAloneMs]
  const lockouts = new Lockouts({ ask, run, limiter, availability, findings, guesses, plain, pausesMs })
  const confirm = new Confirm({ ask, plain, lockouts, isOff: isReplay })
  const accuser = new Accuser(record, confirm)
  const health = new Health({ ask, run, limiter, lockouts, accuser, plain })
  const attribution = new Attribution({ ask, health, lockouts, availability, model, plain, isReplay })
  const wrong = plain.with('x-secret-key', sameShape(target.secretKey.reveal(), settings.run.seed, 'alone'))
  const beforeCases = (): Promise<void> =>
    measureSingleRefusal({ run, ask, lockouts, guesses, accuser, plain, wrong })
  const preflight = new Preflight({
    ask,
    sender,
    run,
    accuser,
    plain,
    target: { ...settings.target, baseUrl },
    ...(mayTakeLong && catalogue.has(plainContext.rule) ? { beforeCases } : {}),
  })
  const quotas = new QuotaMonitor({ run, ask, plains, accuser, lockouts })
  const otherLockouts = new OtherLockouts({ ask, lockouts, guesses, model, plains })
  const kept = { record, shared, accuser }
  const driver = new Driver({ ...kept, run, preflight, lockouts, otherLockouts, quotas, attribution, health })
  return { ...kept, settings, lifecycle: run, sender, ask, driver, confirm, onEvent }
}

/** Pauses for a client that was locked out or banned, in milliseconds: many locks end within a minute. */
function pausesOf(mayTakeLong: boolean): readonly number[] {
  return mayTakeLong ? [15_000, 46_000] : [15_000]
}

/** Whether the run measures what locks the client. */
function mayWait({ run }: Settings, isReplay: boolean): boolean {
  if (isReplay || !isSelected(run.only, plainContext.rule)) return false
  return profileChoice(run, isReplay).byProfile({ all: true, gate: false, because: 'a gate does not wait' })
}

/** Why nothing more is sent; null while the run goes on, and if it was cancelled. */
export function endOf({ lifecycle: { state } }: Pick<OpenRun, 'lifecycle'>): RunEnded | null {
  return state.kind === 'ended' && state.reason instanceof RunEnded ? state.reason : null
}

/** What the run came to so far, as a verdict tells it. */
export function snapshotOf(run: OpenRun): RunSnapshot {
  const { settings, sender, record } = run
  const end = endOf(run)
  const { byKind, notJson } = sender.availability.summary
  for (const [what, body] of notJson) record.observations.note('not-json', what, body)
  return {
    ...recorded(record, settings.run),
    ...sender.budget.spent(),
    retriedFor: byKind,
    ended: end === null ? null : record.redactor.ofAnswer().redact(end.message),
  }
}
