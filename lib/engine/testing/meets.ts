import { pause } from '../../../tests/support/virtual-time.ts'
import type { Exchange, Response } from '../../http/exchange.ts'
import { TransportError } from '../../http/transport-error.ts'
import { exchange, refused } from '../../judge/testing/exchanges.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { CaseExchange } from '../record/baseline-watch.ts'
import type { Send, SendOptions, Unanswered } from '../send/send.ts'
import { RunLifecycle } from '../send/run-state.ts'
import { requestOf } from './layers.ts'

/** What no response comes to, after one attempt. */
export function unanswered(error: TransportError, before: readonly TransportError[] = []): Unanswered {
  return { kind: 'no response', error, attempts: [...before, error] }
}

export const failure = unanswered(
  new TransportError('connection-refused', 'nothing is listening on 127.0.0.1:1'),
)
export const quota = refused(429, '1020')
export const plain = requestOf({ plain: true }, { fields: [{ name: 'x-version', value: '3' }] })

/** What a request meets: a response, none, or an error. */
export type Met = Response | Unanswered | Error

export interface Meeting {
  readonly run: RunLifecycle
  readonly ask: { readonly send: Send; readonly alone: Send }
  /** What was sent, and how. */
  readonly sent: { readonly request: TestRequest; readonly options: SendOptions }[]
  readonly accuser: { readonly judge: (given: CaseExchange) => Promise<void> }
  /** The statuses of the judged responses. */
  readonly judged: number[]
  /** The sentence with which the run was ended, or null. */
  readonly ended: () => string | null
}

/** A service that meets requests with these outcomes in turn, the last one repeatedly, each after 10 ms of fake time. */
export function meets(outcomes: readonly Met[], signal = new AbortController().signal): Meeting {
  const run = new RunLifecycle(signal)
  const sent: Meeting['sent'] = []
  const judged: number[] = []
  const send: Send = async (request, options): Promise<Exchange | Unanswered> => {
    run.signal.throwIfAborted()
    const outcome = outcomes[Math.min(sent.length, outcomes.length - 1)]
    sent.push({ request, options })
    await pause(10)
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error('nothing to meet')
    return 'kind' in outcome ? outcome : exchange(outcome)
  }
  return {
    run,
    ask: { send, alone: send },
    sent,
    accuser: { judge: async ({ exchange: { response } }) => void judged.push(response.status) },
    judged,
    ended: () => (run.state.kind === 'ended' ? run.state.reason.message : null),
  }
}
