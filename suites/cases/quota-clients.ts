import type { Exchange } from '../../lib/http/exchange.ts'
import type { Connection } from '../../lib/http/transport.ts'
import { answeredBy, isSuccessStatus, describeAnswered } from '../../lib/judge/answered.ts'
import { answersOneOf, isRefused } from '../../lib/judge/judge.ts'
import { judgeLasting, quotaAnswer, type QuotaAnswer, type QuotaTurn } from '../../lib/judge/quota-walk.ts'
import { NoAnswer, trouble, notServed, wrongSecret } from '../../lib/run/plan/cases.ts'
import type { RequestsByClient, Stage } from '../../lib/run/plan/cases.ts'
import { oncePerRun } from '../../lib/run/plan/suite-context.ts'
import type { JudgedEndpoint, SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'
import { refusalOf, type ErrorCode } from '../../lib/specification/answers.ts'
import type { ClientName } from '../../lib/specification/client-rows.ts'
import type { RuleId } from '../../lib/specification/rules.ts'

/** A client whose quota has been used up or will be. */
export type QuotaClient = Readonly<{
  name: 'exhausted-client' | 'disposable-client'
  /** Its name in sentences. */
  setting: string
  request: TestRequest
  /** Its declared quota, or null. */
  quota: number | null
  /** The cost of a rule's scenario with `own` requests, including those that use up the quota if this rule pays for them. */
  cost: (rule: RuleId, own: number) => QuotaCost
  walk: QuotaWalk
  /** Uses up the quota and sends one more request on its own. Done once per run, for all rules. */
  useUp: (stage: Stage) => Promise<void>
  /** Whether another exhausted client was refused before and after the quota ran out. */
  noReset: () => boolean
}>

/** The number of requests in a scenario, in total and by client, and the requests that reuse earlier answers. */
type QuotaCost = Readonly<{
  requests: Readonly<{ least: number; most: number }>
  byClient: RequestsByClient
  wants: readonly TestRequest[]
}>

/** The rules that need a used-up quota, in catalogue order. The first selected rule uses it up. */
const quotaRules = ['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client'] as const

/** The clients whose quota has been or may be used up, the same for every rule in a run. */
export const quotaClients = oncePerRun((context): readonly QuotaClient[] => {
  const payer = quotaRules.find((rule) => context.selects(rule))
  return [...exhaustedClient(context, payer), ...disposableClient(context, payer)]
})

type Payer = (typeof quotaRules)[number] | undefined

/** A request from the client, and how it is sent. */
type QuotaRequest = Readonly<{
  request: TestRequest
  /** Whether an answer refuses for a reason other than the quota. */
  isOther?: (exchange: Exchange) => boolean
  connection?: Connection
  /** Reuses an earlier answer. */
  isKnown?: true
}>

/** All requests from a client in a run, one after another, from any rule. */
class QuotaWalk {
  readonly turns: QuotaTurn[] = []
  #last: Promise<unknown> = Promise.resolve()

  /** Sends requests concurrently after all previous turns and, if given, after a silence in milliseconds. */
  ask(stage: Stage, asked: readonly QuotaRequest[], silenceMs = 0): Promise<readonly QuotaAnswer[]> {
    const turn = this.#last.then(() => this.#turn(stage, asked, silenceMs))
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Sends one request while no other request from the client is in flight. */
  async alone(stage: Stage, asked: QuotaRequest, silenceMs = 0): Promise<QuotaAnswer['kind'] | undefined> {
    const [answer] = await this.ask(stage, [asked], silenceMs)
    return answer?.kind
  }

  /** The number of successes so far. */
  get served(): number {
    return this.turns.flatMap((turn) => turn.answers).filter(({ kind }) => kind === 'served').length
  }

  async #turn(
    stage: Stage,
    asked: readonly QuotaRequest[],
    silenceMs: number,
  ): Promise<readonly QuotaAnswer[]> {
    if (silenceMs > 0) await stage.silence(silenceMs)
    const [client] = asked.map(({ request }) => request.traits.client)
    const sent = (): number => (client === undefined ? 0 : stage.sentAs(client))
    const before = sent()
    const answers = await Promise.all(
      asked.map(async ({ request, connection, isKnown, isOther = () => false }) => {
        const exchange = await (isKnown === true ? stage.known(request) : stage.send(request, connection))
        return quotaAnswer(exchange, isOther)
      }),
    )
    const unanswered = Math.max(0, sent() - before - answers.length)
    this.turns.push({ answers, unanswered, settled: silenceMs > 0 })
    return answers
  }
}

/** The time in milliseconds after which separate counters have been merged and forgotten counters are gone. */
const silenceMs = 300

/** The request that uses a client's quota. */
function askingOf(client: ClientName, { of }: JudgedEndpoint): readonly TestRequest[] {
  return of(client).map((made) => made.trait({ asksForQuota: true }))
}

function exhaustedClient({ list }: SuiteContext, payer: Payer): readonly QuotaClient[] {
  return askingOf('exhausted', list).map((request) => {
    const walk = new QuotaWalk()
    const useUp = once(async (stage) => {
      // A client that is served may be about to run out of quota.
      for (const isKnown of [true, false, false])
        if ((await walk.alone(stage, isKnown ? { request, isKnown } : { request })) !== 'served') return
    })
    return {
      name: 'exhausted-client',
      setting: 'the client of FIXTURE_EXHAUSTED_API_KEY',
      request,
      quota: null,
      cost: (rule, own) => {
        const all = rule === payer ? own + 1 : own
        const wants = rule === payer ? [request] : []
        return { requests: { least: all, most: all }, byClient: { exhausted: all }, wants }
      },
      walk,
      useUp,
      noReset: () => false,
    }
  })
}

function disposableClient({ fixtures, list, settings }: SuiteContext, payer: Payer): readonly QuotaClient[] {
  const quota = fixtures.disposableQuota
  const { maxExhaust, concurrency } = settings.run
  const most = quota ?? maxExhaust
  const witnesses = quota === null ? [] : askingOf('exhausted', list)
  return askingOf('disposable', list).map((request) => {
    const walk = new QuotaWalk()
    const refusals: boolean[] = []
    const useUp = once(async (stage) => {
      if (most > maxExhaust) {
        throw new NoAnswer(
          'unavailable',
          `FIXTURE_DISPOSABLE_QUOTA is ${quota}, but a run may send only so many requests to use up a quota (RUN_MAX_EXHAUST is ${maxExhaust})`,
        )
      }
      const before = Promise.all(witnesses.map((witness) => stage.known(witness)))
      await Promise.all([before, spend({ stage, walk, request, quota, most, concurrency })])
      for (const exchange of await before) refusals.push(isRefused(exchange))
      if ((await walk.alone(stage, { request })) !== 'served' || quota === null) return
      await goOn({ stage, walk, request, quota, most: maxExhaust, concurrency })
      for (const witness of witnesses) refusals.push(isRefused(await stage.send(witness)))
    })
    return {
      name: 'disposable-client',
      setting: 'the client of FIXTURE_DISPOSABLE_API_KEY',
      request,
      quota,
      cost: (rule, own) => {
        if (rule !== payer)
          return { requests: { least: own, most: own }, byClient: { disposable: own }, wants: [] }
        const all = own + 1 + (most <= maxExhaust ? most : 0)
        const known = witnesses.length
        return {
          requests: { least: own + 1 + known, most: all + known },
          byClient: { disposable: all, exhausted: known },
          wants: witnesses,
        }
      },
      walk,
      useUp,
      noReset: () => refusals.length === 2 && refusals.every(Boolean),
    }
  })
}

function once(use: (stage: Stage) => Promise<void>): QuotaClient['useUp'] {
  let used: Promise<void> | null = null
  return (stage) => (used ??= use(stage))
}

type Spending = Pick<QuotaClient, 'request' | 'quota' | 'walk'> &
  Readonly<{
    stage: Stage
    most: number
    concurrency: number
  }>

/** Sends as many requests as the declared quota concurrently, or until the first refusal. */
async function spend({ stage, walk, request, quota, most, concurrency }: Spending): Promise<void> {
  const { affordable } = stage
  if (quota !== null && most > affordable) {
    throw new NoAnswer(
      'unavailable',
      `the budget is too small to use up the quota of ${quota} requests (FIXTURE_DISPOSABLE_QUOTA)`,
    )
  }
  const limit = Math.min(most, affordable)
  const unserved = await sideBySide({ stage, walk, request, concurrency }, limit)
  if (unserved !== null) {
    const answered = answeredBy(unserved.response)
    if (!isSuccessStatus(answered.status)) return
    throw trouble(
      `the disposable client was answered ${describeAnswered(answered)} before its quota was used up`,
      { follows: notServed({ request, exchange: unserved }) },
    )
  }
  if (quota !== null) return

  const sentence = `the disposable client was still served after ${limit} requests, and FIXTURE_DISPOSABLE_QUOTA is not given`
  if (limit < most) throw new NoAnswer('unavailable', `${sentence}: more did not fit into the budget`)
  throw trouble(sentence)
}

/** Sends this many requests, a few at a time, until the first refusal. Returns that answer, or null. */
async function sideBySide(
  { stage, walk, request, concurrency }: Omit<Spending, 'quota' | 'most'>,
  limit: number,
): Promise<Exchange | null> {
  // If the answer is anything else, the next request, sent alone, shows why.
  const one: QuotaRequest = { request, isOther: () => true }
  for (let sent = 0; sent < limit; sent += concurrency) {
    const batch = Array.from({ length: Math.min(concurrency, limit - sent) }, () => one)
    const answers = await walk.ask(stage, batch)
    const unserved = answers.find(({ kind }) => kind !== 'served')
    if (unserved !== undefined) return unserved.exchange
  }
  return null
}

/** Continues beyond a declared quota until a refusal, or until more than twice the quota has been served: half concurrently, half one by one. */
async function goOn(spending: Spending & { readonly quota: number }): Promise<void> {
  const { stage, walk, request, quota, most } = spending
  const limit = Math.min(2 * quota + 1, most) - walk.served
  if ((await sideBySide(spending, Math.min(limit, Math.ceil(quota / 2)))) !== null) return
  let pauseMs = silenceMs
  while (walk.served < Math.min(2 * quota + 1, most)) {
    if ((await walk.alone(stage, { request }, pauseMs)) !== 'served') return
    pauseMs = 0
  }
}

/** A further request from a client whose quota is used up. */
type Way = Pick<QuotaRequest, 'request' | 'isOther'> &
  Readonly<{
    silenceMs?: number
    onNewConnection?: true
    /** The number of concurrent requests; one by default. */
    copies?: number
  }>

/** For a request that may be refused for other reasons, only a success counts. */
const isOther = (): boolean => true

/** The maximum number of requests after a success, if no quota is declared, to see whether the quota was reset. */
const afterSuccess = 6

/** The time in milliseconds after which counters kept for one second are gone. */
const longSilenceMs = 1_500

/** Sends requests for a client with a used-up quota in every way, one after another, until a breach appears. */
export async function stayRefusedForQuota(
  client: QuotaClient,
  context: SuiteContext,
  stage: Stage,
): Promise<void> {
  const { walk, request, quota, setting: whose } = client
  const kind = (): string => judgeLasting(walk.turns, { quota, whose }).judgement.kind
  for (const { silenceMs: pauseMs = 0, onNewConnection, copies = 1, ...way } of waysOf(client, context)) {
    const connection = onNewConnection === true ? { connection: stage.connection() } : {}
    const asked = Array.from({ length: copies }, () => ({ ...way, ...connection }))
    const given = await walk.ask(stage, asked, pauseMs)
    if (given.some(({ kind: one }) => one === 'served') && quota !== null)
      await useUpAgain(client, quota, stage)
    if (kind() === 'violates') return
  }
  for (let asked = 0; asked < afterSuccess && kind() === 'unclear'; asked += 1)
    await walk.alone(stage, { request })
}

/** The requests that are sent if the client stays refused. */
export function refusedForQuota(client: QuotaClient, context: SuiteContext): readonly TestRequest[] {
  return waysOf(client, context).flatMap(({ request, copies = 1 }) =>
    Array.from({ length: copies }, () => request),
  )
}

/** After a success that a reset may explain, continues until the next refusal and sends once more, or until no reset explains it. */
async function useUpAgain({ walk, request }: QuotaClient, quota: number, stage: Stage): Promise<void> {
  for (let served = 1; served <= quota + 1; served += 1) {
    if ((await walk.alone(stage, { request }, served > quota ? silenceMs : 0)) === 'served') continue
    await walk.alone(stage, { request })
    return
  }
}

function waysOf(client: QuotaClient, context: SuiteContext): readonly Way[] {
  const { name, request } = client
  const { byProfile } = context
  const asked = byProfile({
    all: 20,
    gate: 3,
    essential: 1,
    because: 'a gate runs often, and a disposable client was already refused once',
  })
  const forms = formsOf(client, context, asked)
  if (name !== 'disposable-client') return forms

  const round = [...afterSilence(client), { request }]
  // Sent last, since it may lock the client out. Its own answer then proves nothing else.
  const wrong = request.with('x-secret-key', wrongSecret(context))
  const last = [wrong, request, wrong, request].map((one) => ({ request: one, isOther }))
  const because = 'a gate does not wait, nor lock the client'
  return [...forms, ...byProfile({ all: [...round, ...round, ...last], gate: [], because })]
}

/** Ways around a counter that is forgotten, locked while read, kept per connection or address, or that counts only GET. */
function afterSilence({ request }: QuotaClient): readonly Way[] {
  const tolerated = { transportMayRefuse: true, observed: true } as const
  return [
    { request, silenceMs },
    { request, copies: 4 },
    { request: request.method('HEAD').trait(tolerated), isOther },
    { request, onNewConnection: true },
    { request, onNewConnection: true },
    { request, onNewConnection: true },
    { request: request.with('x-forwarded-for', '192.0.2.77').trait(tolerated), isOther },
    { request: request.with('x-forwarded-for', '10.0.0.7').trait(tolerated), isOther },
    // Evaluated only if the request would be served (RFC 9110, 13.2.1).
    { request: request.with('if-none-match', '*') },
    { request, silenceMs: longSilenceMs },
  ]
}

/** Requests that no counter may attribute to another client or refund. */
function formsOf({ request }: QuotaClient, { list, fixtures }: SuiteContext, times: number): readonly Way[] {
  const plain: Way = { request }
  const or = (code: ErrorCode): Pick<Way, 'isOther'> => ({
    isOther: (exchange) => answersOneOf([refusalOf(code)]).judge(exchange).kind === 'holds',
  })
  const { invalidQuery, path } = list
  const forms: readonly Way[] = [
    plain,
    { request: request.withQuery('x=1'), ...or('1030') },
    { request: request.without('accept') },
    plain,
    ...(invalidQuery === null
      ? []
      : [{ request: request.to(`${path}?${invalidQuery}`), ...or('1030') }, plain]),
    { request: request.with('x-version', fixtures.unsupportedVersion), ...or('1010') },
    plain,
    { request: request.with('accept', '*/*') },
  ]
  return Array.from({ length: times }, (_, index) => forms[index % forms.length] ?? plain)
}
