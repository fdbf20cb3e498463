import type { Baseline } from '../drift/baseline.ts'
import type { Signal } from '../http/abort-signal.ts'
import { truncateBody, type Exchange } from '../http/exchange.ts'
import type { RunSnapshot } from '../judge/record.ts'
import { redactJson } from '../redact/redact.ts'
import { isSelected } from '../settings/selection.ts'
import type { Settings } from '../settings/settings.ts'
import type { Catalogue, RuleId } from '../specification/rules.ts'
import { openBreaches, type Breaches } from './breaches.ts'
import { openClients, type Clients } from './clients.ts'
import { plainContext, type Core } from './core.ts'
import type { OnEvent } from './events.ts'
import { sendFirst } from './first-request.ts'
import { openLockouts } from './lockouts.ts'
import type { SharedRequests } from './plan/cases.ts'
import { NoAnswer, noAnswer } from './plan/errors.ts'
import { redactorOf, targetModel } from './plan/model-of-settings.ts'
import { profileChoice, settingsForMore } from './plan/suite-context.ts'
import { plainRequests, type Context, type TestRequest } from './plan/test-request.ts'
import { JudgedAnswers, Observations, PowerRecord, type RunInput } from './record/answers.ts'
import { BaselineWatch } from './record/baseline-watch.ts'
import { passiveChecks, successChecks, type SuccessChecks } from './record/checks.ts'
import { FindingRecorder, Replay } from './record/findings.ts'
import { RunLifecycle, WrongCredentials } from './send/run-state.ts'
import { openSender, type SenderOptions } from './send/sender.ts'
import { openSilence, type Silence } from './silence.ts'

interface OpenRunOptions extends Pick<SenderOptions, 'allotment' | 'transport'> {
  /** They must name an address and a client. */
  readonly settings: Settings
  readonly catalogue: Catalogue
  readonly userAgent: string
  readonly signal: Signal
  readonly onEvent: OnEvent
  /** The requests that rules share. */
  readonly shared: SharedRequests
  /** The earlier baseline, or null. */
  readonly baseline: Baseline | null
  /** Whether one case is replayed; if so, nothing is confirmed, and its first exchanges are kept. */
  readonly isReplay: boolean
}

/** A run in progress against one target. */
export interface OpenRun extends Core, Pick<OpenRunOptions, 'shared' | 'onEvent'> {
  /** Sends the first request of the run, once. */
  readonly first: () => Promise<void>
  readonly silence: Silence
  readonly clients: Clients
  readonly breaches: Breaches
  /** Users' own rules that did not end with the run, and what the verdict says about them. */
  readonly abandoned: Map<RuleId, string>
}

/** Opens a run; sends nothing. */
export async function openRun(options: OpenRunOptions): Promise<OpenRun> {
  const { settings, signal, onEvent, shared, catalogue, isReplay } = options
  const { baseUrl, client: target } = settings.target
  const model = targetModel(settings)
  const [list] = model.endpoints
  if (baseUrl === null || target === null || list === undefined)
    throw new TypeError('a run needs the address of the target and the credentials of a client')
  const plains = plainRequests(model.clients, list, options.userAgent)
  const plain = plains.get('target')
  if (plain === undefined) throw new TypeError('the target client is always configured')

  const lifecycle = new RunLifecycle(signal)
  const input = { settings: settings.run, baseUrl, model, redactor: redactorOf(settings), catalogue }
  const record = openRecord(input, await successChecks(model.endpoints), options)
  const mayTakeLong = mayWait(settings, isReplay)
  const wrongCredentials = new WrongCredentials({ model, mayTakeLong, check: () => clients.check() })
  const sender = openSender({
    ...options,
    baseUrl,
    settings: settings.run,
    run: lifecycle,
    wrongCredentials,
    onAnswer: (request, exchange, rule) => {
      record.observations.took(rule, exchange.durationMs)
      onEvent({ kind: 'answered', request, exchange })
      clients.answered(request, exchange)
    },
    onDone: (sent) => onEvent({ kind: 'request-done', sent }),
  })
  const given = { settings, baseUrl, model, target, plains, plain, isReplay, mayTakeLong }
  const core: Core = { ...given, lifecycle, sender, wrongCredentials, record }
  const lockouts = openLockouts(core)
  const breaches = openBreaches(core, lockouts)
  const clients = openClients(core, lockouts, breaches)
  const silence = openSilence(core, clients)
  const measures = mayTakeLong && catalogue.has(plainContext.rule)
  let reached: Promise<void> | null = null
  const first = (): Promise<void> =>
    (reached ??= sendFirst(core, breaches, async () => {
      if (measures) await clients.measureSingleRefusal()
    }))
  return { ...core, shared, onEvent, first, silence, clients, breaches, abandoned: new Map() }
}

/** An empty record; `baseline` is the earlier one. */
function openRecord(
  input: RunInput,
  successes: SuccessChecks,
  { isReplay, baseline: known }: Pick<OpenRunOptions, 'isReplay' | 'baseline'>,
): Core['record'] {
  const { settings, model, redactor } = input
  const answers = new JudgedAnswers(input)
  const power = new PowerRecord(model)
  const baseline = settings.baseline === null ? null : new BaselineWatch(known)
  const records = { answers, observations: new Observations(), power, baseline }
  return {
    ...records,
    findings: new FindingRecorder(input, answers, power),
    checks: passiveChecks(input, records, successes),
    replay: isReplay ? new Replay() : null,
    redactor,
  }
}

/** Whether the run may wait for minutes and measure what locks the client out. */
function mayWait({ run }: Settings, isReplay: boolean): boolean {
  if (isReplay || !isSelected(run.only, plainContext.rule)) return false
  return profileChoice(run, isReplay).byProfile({ all: true, gate: false, because: 'a gate does not wait' })
}

/** Why nothing more is sent; null while the run goes on or if it was cancelled. */
export function endOf({ lifecycle: { signal } }: Pick<OpenRun, 'lifecycle'>): NoAnswer | null {
  return signal.reason instanceof NoAnswer ? signal.reason : null
}

/** The state of the run, for the verdict. */
export function snapshotOf(run: OpenRun): RunSnapshot {
  const { settings, sender, record } = run
  const { observations, power } = record
  const redactor = record.redactor.ofAnswer()
  const end = endOf(run)
  const { byKind, notJson } = sender.availability
  for (const [what, body] of notJson) observations.note('not-json', what, body)
  return {
    ...sender.budget.spent(),
    power: power.power(settingsForMore(settings.run)),
    blamed: power.blamed,
    latencyMs: observations.latencyMs(),
    msByRule: observations.msByRule(),
    observations: observations.all().map(({ id, value }) => ({ id, value: redactJson(value, redactor) })),
    retriedFor: Object.fromEntries(byKind),
    ended: end === null ? null : redactor.redact(end.message),
  }
}

/** Sends a request of a case and returns its exchange, judged by the run-wide rules. Throws `NoAnswer` if there is none. */
export async function send(run: OpenRun, request: TestRequest, context: Context): Promise<Exchange> {
  const { lifecycle, record, shared, first, silence, clients, breaches } = run
  await first()
  await silence.endOfTrial()
  lifecycle.signal.throwIfAborted()
  await clients.beforeSend(request)

  const exchange = await silence.send(request, context)
  if (await clients.isVoid(request, exchange)) return send(run, request, context)
  const given = { request, exchange, context }
  record.checks.observe(given)
  record.replay?.answered(record.answers.shown(request, exchange))
  // A row is refined before it accuses.
  if (request.traits.conditions === undefined) await breaches.judge(given)
  if (await clients.recoversAfter(exchange)) return send(run, request, context)
  return shared.isReadWhole(request, context) ? exchange : truncateBody(exchange)
}

/** Like {@link send}, but only once per run for all planned cases that share the request. */
export function sendOnce(run: OpenRun, request: TestRequest, context: Context): Promise<Exchange> {
  const known = run.shared.take(request)
  if (known !== null) return known
  const sent = send(run, request, context)
  run.shared.keep(request, sent, context)
  return sent
}

/** Like {@link sendOnce}. If an answer from a scenario breaks the check, the order may be why, so the request is then sent alone if the budget allows. */
export async function sendShared(
  run: OpenRun,
  request: TestRequest,
  context: Context,
  holds: (exchange: Exchange) => boolean,
): Promise<Exchange> {
  const exchange = await sendOnce(run, request, context)
  if (holds(exchange) || !run.shared.isOfScenario(exchange)) return exchange
  try {
    return await send(run, request, context)
  } catch (error) {
    if (noAnswer(error).none === 'budget') return exchange
    throw error
  }
}
