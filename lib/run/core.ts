import type { Exchange } from '../http/exchange.ts'
import type { TransportError } from '../http/transport-error.ts'
import { answeredBy, isQuotaRefusal, isSuccess, type Answered } from '../judge/answered.ts'
import type { TargetModel } from '../judge/target-model.ts'
import type { Credentials } from '../redact/secret.ts'
import { clientSetting } from '../settings/client-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { ClientName } from '../specification/client-rows.ts'
import { NoAnswer, noAnswer } from './plan/errors.ts'
import type { Context, TestRequest } from './plan/test-request.ts'
import type { RunInput } from './record/answers.ts'
import type { PassiveChecks, Records } from './record/checks.ts'
import type { FindingRecorder, Replay } from './record/findings.ts'
import { isUnanswered, type Send, type SendOptions, type Unanswered } from './send/pace.ts'
import type { RunLifecycle, WrongCredentials } from './send/run-state.ts'
import type { Sender } from './send/sender.ts'
import { isUnreadable } from './send/trouble.ts'

/** The parts that all components of a run share. */
export interface Core {
  readonly settings: Settings
  readonly baseUrl: string
  readonly model: TargetModel
  /** The credentials of the target client. */
  readonly target: Credentials
  /** The plain valid request for each configured client. */
  readonly plains: ReadonlyMap<ClientName, TestRequest>
  /** The plain valid request for the target client. */
  readonly plain: TestRequest
  readonly lifecycle: RunLifecycle
  readonly sender: Sender
  readonly wrongCredentials: WrongCredentials
  readonly record: RunRecord
  /** Whether a single case is sent again, with nothing confirmed or left out. */
  readonly isReplay: boolean
  /** Whether the run may wait for minutes. */
  readonly mayTakeLong: boolean
}

/** What a run records, without credentials. */
interface RunRecord extends Records, Pick<RunInput, 'redactor'> {
  readonly findings: FindingRecorder
  readonly checks: PassiveChecks
  /** The replayed case; null in a normal run. */
  readonly replay: Replay | null
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
