import type { Signal } from '../http/abort-signal.ts'
import type { Exchange } from '../http/exchange.ts'
import type { TransportError } from '../http/transport-error.ts'
import { answeredBy, isQuotaRefusal, isSuccess, type Answered } from '../judge/answered.ts'
import { clientSetting } from '../settings/client-settings.ts'
import { isSelected } from '../settings/selection.ts'
import type { Settings } from '../settings/settings.ts'
import type { ClientName } from '../specification/client-rows.ts'
import type { Catalogue } from '../specification/rules.ts'
import { NoAnswer, noAnswer } from './plan/errors.ts'
import type { OnEvent } from './plan/plan.ts'
import { profileChoice } from './plan/suite-context.ts'
import {
  plainRequests,
  redactorOf,
  targetModel,
  type Context,
  type TestRequest,
} from './plan/test-request.ts'
import { openRecord, type RecordOptions } from './record/checks.ts'
import { isUnanswered, RunLifecycle, type Send, type SendOptions, type Unanswered } from './send/pace.ts'
import { openSender, openWrongCredentials, type SenderOptions } from './send/sender.ts'
import { isUnreadable } from './send/trouble.ts'

export interface CoreOptions extends RecordOptions, Pick<SenderOptions, 'allotment' | 'transport'> {
  /** They must name an address and a client. */
  readonly settings: Settings
  readonly catalogue: Catalogue
  readonly userAgent: string
  readonly signal: Signal
  readonly onEvent: OnEvent
}

/** What the core needs from what knows the clients. */
interface OfClients {
  readonly check: () => Promise<unknown>
  readonly answered: (request: TestRequest, exchange: Exchange) => void
}

/** The parts that all components of a run share. */
export type Core = Awaited<ReturnType<typeof openCore>>

export async function openCore(options: CoreOptions, clients: OfClients) {
  const { settings, signal, onEvent, catalogue, isReplay } = options
  const { baseUrl, client: target } = settings.target
  const model = targetModel(settings)
  const [list] = model.endpoints
  if (baseUrl === null || target === null || list === undefined)
    throw new TypeError('a run needs the address of the target and the credentials of a client')
  /** The plain valid request for each configured client. */
  const plains = plainRequests(model.clients, list, options.userAgent)
  const plain = plains.get('target')
  if (plain === undefined) throw new TypeError('the target client is always configured')

  const lifecycle = new RunLifecycle(signal)
  const input = { settings: settings.run, baseUrl, model, redactor: redactorOf(settings), catalogue }
  const record = await openRecord(input, options)
  const mayTakeLong = mayWait(settings, isReplay)
  const wrongCredentials = openWrongCredentials({ model, mayTakeLong, check: clients.check })
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
  const given = { settings, catalogue, baseUrl, model, target, plains, plain, isReplay, mayTakeLong }
  return { ...given, lifecycle, sender, wrongCredentials, record }
}

/** Whether the run may wait for minutes and measure what locks the client out. */
function mayWait({ run }: Settings, isReplay: boolean): boolean {
  if (isReplay || !isSelected(run.only, plainContext.rule)) return false
  return profileChoice(run, isReplay).byProfile({ all: true, gate: false, because: 'a gate does not wait' })
}

/** The rule and case for which plain valid requests are sent and judged. */
export const plainContext: Context = { rule: 'endpoints/list-succeeds', case: 'plain' }

export interface PlainAnswer {
  readonly kind: 'answered'
  readonly exchange: Exchange
  readonly answered: Answered
}

export interface PlainFailure {
  readonly kind: 'failed' | 'exhausted'
  readonly because: string
  readonly error?: TransportError
}

/** Sends a plain valid request. Throws if the run ends or the budget is spent. */
export async function sendPlain(
  send: Send,
  request: TestRequest,
  how: Partial<SendOptions> = {},
): Promise<PlainAnswer | PlainFailure> {
  try {
    const sent = await send(request, { rule: plainContext.rule, purpose: 'health-check', ...how })
    if (isUnanswered(sent)) return { kind: 'failed', because: sent.error.message, error: sent.error }
    const answered = answeredBy(sent.response)
    return isQuotaRefusal(answered)
      ? { kind: 'exhausted', because: quotaSentence('target') }
      : { kind: 'answered', exchange: sent, answered }
  } catch (error) {
    const { none, endsRun, message } = noAnswer(error)
    if (none === 'budget' || endsRun) throw error
    return { kind: 'failed', because: message }
  }
}

/** Whether the target client is served alone, on a new connection. */
export async function isServedAlone({ sender, plain }: Pick<Core, 'sender' | 'plain'>): Promise<boolean> {
  const outcome = await sendPlain(sender.alone, plain)
  return outcome.kind === 'answered' && isSuccess(outcome.answered)
}

/** Returns the exchange; throws `trouble` if there is none. */
export function exchangeOf(sent: Exchange | Unanswered): Exchange {
  if (isUnanswered(sent)) throw unanswered(sent)
  return sent
}

/** The reason for a missing response for which nobody is blamed. */
export function unanswered({ error, attempts: { length } }: Unanswered): NoAnswer {
  const what = isUnreadable(error.kind) ? 'no answer could be read' : 'no answer came'
  return new NoAnswer('trouble', `${what}, ${length} of ${length} times: ${error.message}`)
}

/** The sentence that reports use for a used-up quota. */
export function quotaSentence(client: ClientName): string {
  return `the daily quota of ${clientSetting(client)} is used up (429 / 1020, also for a plain valid request): run again after its reset, or with another client`
}

/** Makes concurrent calls with the same key share one result; `underWay` are the calls that have not ended. */
export function sharing<Key = void, Result = unknown>(work: (key: Key) => Promise<Result>) {
  const underWay = new Map<Key, Promise<Result>>()
  const shared = (key: Key): Promise<Result> => {
    const known = underWay.get(key) ?? work(key).finally(() => underWay.delete(key))
    underWay.set(key, known)
    return known
  }
  return Object.assign(shared, { underWay })
}
