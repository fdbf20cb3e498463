import { type Exchange, nextOf, targetOf, traced } from '../../http/exchange.ts'
import { type Signal, openTransport, type Transport } from '../../http/transport.ts'
import {
  answeredBy,
  isQuotaRefusal,
  isSuccess,
  type AnswerFlaw,
  type Answered,
} from '../../judge/answered.ts'
import { clientSetting } from '../../settings/connection-settings.ts'
import { blamesClient, isDocumentedPair } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { type RuleId, isSelected } from '../../specification/rules.ts'
import { trouble, NoAnswer, noAnswer } from '../plan/cases.ts'
import { rejectionsBetween, type Allotment, type OnEvent } from '../plan/plan.ts'
import { plainRequest, type Purpose, type SuiteContext, type TestRequest } from '../plan/suite-context.ts'
import { Sums } from '../record/answers.ts'
import { openRecord } from '../record/record.ts'
import { isUnanswered, openLifecycle, openRateLimiter } from './pace.ts'
import type { Send, SendOptions, Unanswered } from './pace.ts'
import { isUnreadable, openAvailability, withRetries, type Spend } from './trouble.ts'

/** The hard limit on requests. Cases use their rule's allotment; retries and confirmations use the common remainder, never another rule's allotment. */
export function openBudget(limit: number, allotment: Allotment) {
  const allotted = new Sums(Object.entries(allotment))
  let common = [...allotted.values()].reduce((left, requests) => left - requests, limit)
  if (common < 0) throw new RangeError(`more was allotted than the budget of ${limit} holds`)
  /** The allotted requests that rules have returned. */
  let surplus = 0
  // Without health checks, nothing more could be judged.
  const healthChecks = Math.min(Math.ceil(limit / rejectionsBetween), Math.floor(common / 3))
  /** How many common requests each purpose must leave for other purposes. */
  const leaves: Readonly<Record<Purpose, number>> = {
    case: 0,
    'health-check': 0,
    retry: healthChecks,
    // Retries and unplanned requests of cases decide whether a rule is judged, but confirmations only decide how certain a finding is.
    confirming: healthChecks + Math.floor(common / 4),
    shrinking: healthChecks + Math.floor(common / 2),
  }
  let sent = 0
  const byPurpose = new Sums()
  const byRule = new Sums()
  const byClient = new Sums()

  /** Tops up a short allotment from the available requests; returns how many it takes. */
  const allot = (rule: RuleId, wanted: number, available: number) => {
    const given = Math.max(0, Math.min(wanted - allotted.of(rule), available))
    allotted.add(rule, given)
    return given
  }

  return {
    /** Books one request; throws `budget` if none are left for its purpose. */
    take(rule: RuleId, purpose: Purpose, client: ClientName = 'target') {
      if (purpose === 'case' && allotted.of(rule) > 0) allotted.add(rule, -1)
      else if (common + surplus <= leaves[purpose])
        throw new NoAnswer('budget', `the budget of ${limit} requests ${usedUp}`, { purpose })
      else if (common > 0) common -= 1
      else surplus -= 1

      sent += 1
      byPurpose.add(purpose)
      byRule.add(rule)
      byClient.add(client)
    },

    /** The number of requests so far. */
    sent: () => sent,

    allottedTo: (rule: RuleId) => allotted.of(rule),

    /** Tops up a short allotment from the common requests, as far as they are available. */
    restore(rule: RuleId, wanted: number) {
      common -= allot(rule, wanted, common)
    },

    /** Tops up a short allotment with the requests that other rules have returned. */
    topUp(rule: RuleId, wanted: number) {
      surplus -= allot(rule, wanted, surplus)
    },

    /** Returns a rule's unused allotment. */
    release(rule: RuleId) {
      surplus += allotted.of(rule)
      allotted.delete(rule)
    },

    spent: () => ({
      sent,
      retried: byPurpose.of('retry'),
      confirming: byPurpose.of('confirming') + byPurpose.of('shrinking'),
      byRule: Object.fromEntries(byRule),
      byClient: Object.fromEntries(byClient),
    }),
  }
}

const usedUp = 'was used up (RUN_MAX_REQUESTS; the command plan says how many a run may need)'

export type CoreOptions = Readonly<{
  allotment: Allotment
  /** Replaces the transport described in the settings. */
  transport?: Transport
  context: SuiteContext
  signal: Signal
  onEvent: OnEvent
}>

/** The parts that all components of a run share. */
export type Core = Awaited<ReturnType<typeof openCore>>

/** Sends within the rate and budget, retries, and holds requests back in an outage. Opening sends nothing. `clients` decides whose turn it is. */
export async function openCore(
  { context, allotment, signal, onEvent, ...options }: CoreOptions,
  clients: () => {
    readonly inTurn: (request: TestRequest, how: SendOptions, send: Send) => ReturnType<Send>
    readonly answered: (request: TestRequest, exchange: Exchange) => void
  },
) {
  const { settings, replayed, byProfile } = context
  const lifecycle = openLifecycle(signal)
  const record = await openRecord(context)
  /** Whether the run may wait for minutes and measure what locks the client out. */
  const mayTakeLong =
    replayed === null &&
    isSelected(settings.run.only, plainContext.rule) &&
    byProfile({ all: true, gate: false, because: 'a gate does not wait' })
  const budget = openBudget(settings.run.maxRequests, allotment)
  const limiter = openRateLimiter(settings.run, lifecycle)
  const availability = openAvailability(record.observations.note)

  /** A pool of connections to another address, otherwise as described in the settings. */
  const openAt = (address: string) => {
    const { concurrency: connections, ca } = settings.run
    return openTransport({ ...settings.run, connections, ca: ca?.pem ?? null, baseUrl: address })
  }
  const transport = options.transport ?? openAt(context.places.baseUrl)

  /** Books a request and sends it. */
  const spend: Spend = ({ request, traits }, { rule, purpose, case: name, connection = transport }) => {
    for (const _ of [request, ...nextOf(request)]) budget.take(rule, purpose, traits.client)
    const isTraced = settings.run.trace && name !== undefined
    const sent = isTraced ? traced(request, `${rule}:${settings.run.seed}:${name}`, purpose) : request
    return connection.send(sent, lifecycle.cancelled)
  }
  const sendUntilAnswered = withRetries(spend, lifecycle, limiter, availability, transport)

  const sendNow: Send = async (request, how) => {
    try {
      const sent = await sendUntilAnswered(request, how)
      if (isUnanswered(sent)) return sent
      record.observations.took(how.rule, sent.durationMs)
      onEvent({ kind: 'answered', request, exchange: sent })
      clients().answered(request, sent)
      return sent
    } finally {
      onEvent({ kind: 'request-done', sent: budget.sent() })
    }
  }

  /** Sends a request for a caller that decides whose fault a missing response is. */
  const attempt: Send = (request, how) => clients().inTurn(request, how, sendNow)

  /** Sends a request for a caller that never blames it, so a missing response counts as trouble. */
  const send: Send = async (request, how) => {
    const sent = await attempt(request, how)
    if (isUnanswered(sent)) availability.failed(sent.attempts)
    return sent
  }

  /** Like `send`, but with nothing else in flight and on a new connection. */
  const alone: Send = async (request, how) => {
    const connection = transport.connection()
    try {
      return await send(request, { ...how, connection, exclusive: true })
    } finally {
      await connection.close()
    }
  }

  // Not that of any case, whose breaches are confirmed separately.
  const plain = plainRequest(context.list, { name: 'target', credentials: context.target })

  /** Sends a plain valid request. Throws if the run ends or the budget is spent. */
  const sendPlain = async (by = send, request = plain, how: Partial<SendOptions> = {}) => {
    try {
      const sent = await by(request, { rule: plainContext.rule, purpose: 'health-check', ...how })
      if (isUnanswered(sent))
        return { kind: 'failed', because: sent.error.message, error: sent.error } as const
      const answered = answeredBy(sent.response)
      if (!isQuotaRefusal(answered)) return { kind: 'answered', exchange: sent, answered } as const
      return { kind: 'exhausted', because: quotaSentence('target') } as const
    } catch (error) {
      const { none, endsRun, message } = noAnswer(error)
      if (none === 'budget' || endsRun) throw error
      return { kind: 'failed', because: message, error: null } as const
    }
  }

  /** Whether the target client is served alone, on a new connection. */
  const isServedAlone = async () => {
    const outcome = await sendPlain(alone)
    return outcome.kind === 'answered' && isSuccess(outcome.answered)
  }

  const sender = { budget, limiter, availability, transport, openAt, attempt, send, alone }
  return { ...context, plain, mayTakeLong, onEvent, lifecycle, sender, record, sendPlain, isServedAlone }
}

/** The rule and case for which plain valid requests are sent and judged. */
export const plainContext = { rule: 'endpoints/list-succeeds', case: 'plain' } as const

/** Returns the exchange; throws `trouble` if there is none. */
export function exchangeOf(sent: Exchange | Unanswered) {
  if (isUnanswered(sent)) throw unanswered(sent)
  return sent
}

/** The reason for a missing response for which nobody is blamed. */
export function unanswered({ error, attempts: { length } }: Unanswered) {
  const what = isUnreadable(error.kind) ? 'no answer could be read' : 'no answer came'
  return trouble(`${what}, ${length} of ${length} times: ${error.message}`)
}

/** The sentence that reports use for a used-up quota. */
export function quotaSentence(client: ClientName) {
  return `the daily quota of ${clientSetting(client)} is used up (429 / 1020, also for a plain valid request): run again after its reset, or with another client`
}

/** Ends the run if the answer to its first request shows that a setting is wrong or that a different service answers. */
export async function checkSettings(core: Core, answered: Answered) {
  const { lifecycle, settings } = core
  const { status, errorCode, flaw } = answered
  const isRefused = (code: string) => flaw === null && status === 400 && errorCode === code
  const refused = `the first valid request was refused with ${status} / ${errorCode}`
  if (flaw === null && isDocumentedPair(status, errorCode) && blamesClient(errorCode))
    throw lifecycle.end(
      `${refused}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that this client may use the endpoint`,
    )
  if (isRefused('1030')) {
    const hint =
      settings.target.query === null
        ? 'the list endpoint may need a query: set TARGET_QUERY, for example page=1'
        : 'TARGET_QUERY does not suit the list endpoint'
    throw lifecycle.end(`${refused} (invalid input parameters): ${hint}`)
  }
  if (isRefused('1010')) await checkPlace(core, `${refused} (endpoint not found for the specified version)`)
  if (isForeign(answered)) await checkAddress(core, status)
}

/** Ends the run unless the address and version are the specification's, because only there must the endpoint exist. */
async function checkPlace(core: Core, refused: string) {
  const { lifecycle, sender, places, settings, plain, sendPlain } = core
  const { origin, prefix } = targetOf(places.baseUrl)
  const versions = settings.target.version === '1' ? [null] : [null, '1']
  const tried: string[] = []
  for (const address of prefix === '' ? [null] : [null, origin])
    for (const version of versions) {
      const changes = [address && `TARGET_BASE_URL=${address}`, version && `TARGET_VERSION=${version}`]
      const says = changes.filter(Boolean).join(' and ')
      if (says === '') continue
      tried.push(says)
      const connection = address === null ? sender.transport.connection() : sender.openAt(address)
      try {
        const request = version === null ? plain : plain.with('x-version', version)
        const outcome = await sendPlain(sender.send, request, { connection })
        if (outcome.kind === 'answered' && isSuccess(outcome.answered))
          throw lifecycle.end(`${refused}, and is served with ${says}: change the settings`)
      } finally {
        await connection.close()
      }
    }
  if (tried.length === 0) return
  throw lifecycle.end(
    `${refused}, and is not served with ${tried.join('; ')} either: check TARGET_BASE_URL and TARGET_VERSION`,
  )
}

/** Ends the run if a different service answers; the right one refuses a request without credentials with a code. */
async function checkAddress({ sender, plain, lifecycle, sendPlain }: Core, status: number) {
  const outcome = await sendPlain(sender.send, plain.without('x-api-key', 'x-secret-key'))
  if (outcome.kind !== 'answered' || !isForeign(outcome.answered)) return

  throw lifecycle.end(
    `another service answers: a plain valid request was answered ${status} and a request without credentials ${outcome.answered.status}, neither as documented. Check TARGET_BASE_URL (host, port, path prefix), and whether a login page, a proxy or a portal is in between`,
  )
}

const foreign: ReadonlySet<AnswerFlaw> = new Set([
  'empty body',
  'body is not JSON',
  'body is not an object',
  'error_code is missing',
])

/** Whether an answer contains nothing documented. The service itself may send a 5xx, except a 511, which comes from a network. Source: RFC 6585, 6. */
function isForeign({ status, flaw }: Answered) {
  if (status >= 500 && status !== 511) return false
  return flaw !== null && foreign.has(flaw)
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
