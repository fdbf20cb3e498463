import { specCatalogue } from '../../specification/catalogue.ts'
import { vi } from 'vitest'
import type { Exchange } from '../../http/exchange.ts'
import type { Request } from '../../http/request.ts'
import type { Connection } from '../../http/transport.ts'
import { exchange, requestWith, served } from '../../judge/testing/exchanges.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { redactorFor } from '../../redact/redact.ts'
import { Availability } from '../send/trouble.ts'
import { Budget } from '../send/budget.ts'
import { openRecord, type RunRecord } from '../record/run-record.ts'
import { SuccessChecks } from '../record/checks.ts'
import { RateLimiter, type Layer, type SendOptions, type Unanswered } from '../send/pace.ts'
import { withCircuitBreaker, withRetries } from '../send/retry.ts'
import { RunLifecycle } from '../send/run-state.ts'
import { TestRequest, type RequestTraits } from '../plan/test-request.ts'

/** A rule to send for. */
export const anyRule = 'authentication/api-key-missing'

/** A request of the target client, no plain one, with these traits and parts. */
export function requestOf(traits: Partial<RequestTraits> = {}, parts: Partial<Request> = {}): TestRequest {
  return new TestRequest(requestWith(parts), {
    client: 'target',
    endpoint: 'GET /api/customizations/list',
    plain: false,
    observed: false,
    transportMayRefuse: false,
    mayRedirect: false,
    asksForQuota: false,
    ...traits,
  })
}

/** A model that knows no client and no endpoint. */
const noModel: TargetModel = { clients: [], endpoints: [], unsupportedVersion: '9' }

const noShapes = await SuccessChecks.of([])

/** A record that hides no credential and knows no client. */
export function recordOf({ model = noModel, isReplay = false } = {}): RunRecord {
  return openRecord({
    baseUrl: 'https://staging.example',
    settings: {
      baseline: null,
      ca: null,
      clientCertificate: null,
      seed: 7,
      replayFlags: [],
      strict: false,
      trace: false,
    },
    model,
    redactor: redactorFor([]),
    catalogue: specCatalogue,
    isReplay,
    successes: noShapes,
  })
}

/** What {@link layers} gives. */
export interface Layers {
  readonly run: RunLifecycle
  readonly limiter: RateLimiter
  readonly budget: Budget
  readonly send: (
    connection: Connection,
    request?: TestRequest,
    options?: Partial<SendOptions>,
  ) => Promise<Exchange | Unanswered>
  /** The bounds on connections that were asked for. */
  readonly fewer: readonly number[]
}

/** The layers below attribution, as a client stacks them, for eight requests at once. */
export function layers({ limit = 1_000, allotted = 0, signal = new AbortController().signal } = {}): Layers {
  const run = new RunLifecycle(signal)
  const limiter = new RateLimiter({ concurrency: 8, maxRps: null }, run)
  const budget = new Budget(limit, { [anyRule]: allotted })
  const fewer: number[] = []
  const spend: Layer = async ({ request }, { connection, purpose }) => {
    budget.take(anyRule, purpose)
    if (connection === undefined) throw new Error('no connection')
    return connection.send(request, signal)
  }
  const state = { run, limiter, availability: new Availability() }
  const breaker = withCircuitBreaker(spend, state, { useAtMost: (connections) => fewer.push(connections) })
  const next = withRetries(limiter.limit(breaker), state)
  return {
    run,
    limiter,
    budget,
    fewer,
    send: (connection, request = requestOf(), options = {}) =>
      next(request, { rule: anyRule, purpose: 'case', connection, ...options }),
  }
}

/** Sends a request that stays in flight, and gives the function that ends it. */
export function inFlight(limiter: RateLimiter, options: Partial<SendOptions> = {}): Promise<() => void> {
  return new Promise((began, reject) => {
    const next: Layer = () => new Promise((resolve) => began(() => resolve(exchange(served))))
    limiter
      .limit(next)(requestOf(), { rule: anyRule, purpose: 'case', ...options })
      .catch(reject)
  })
}

const turn = setImmediate

/** Lets hours of fake time pass until it ends, and gives the value or the error. */
export async function through<Value>(work: Promise<Value> | Value): Promise<Value | Error> {
  const outcome = Promise.resolve(work).catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  )
  for (;;) {
    await vi.advanceTimersByTimeAsync(3_600_000)
    const pending = new Promise<null>((resolve) => turn(() => resolve(null)))
    const came = await Promise.race([outcome.then((value) => ({ value })), pending])
    if (came !== null) return came.value
  }
}

/** The value, after as much fake time as it takes. */
export async function given<Value>(work: Promise<Value>): Promise<Value> {
  const outcome = await through(work)
  if (outcome instanceof Error) throw outcome
  return outcome
}
