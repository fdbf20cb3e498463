import {
  scenario,
  type JudgedExchange,
  type RequestsByClient,
  type Scenario,
  type Untestable,
} from '../lib/engine/plan/cases.ts'
import { Inconclusive, preconditionBreach, type PreconditionBreach } from '../lib/engine/plan/errors.ts'
import type { Stage } from '../lib/engine/plan/cases.ts'
import type { SuiteContext } from '../lib/engine/plan/suite-context.ts'
import type { TestRequest } from '../lib/engine/plan/test-request.ts'
import type { Exchange } from '../lib/http/exchange.ts'
import { answeredBy, isServed } from '../lib/judge/answered.ts'
import { describeAnswered } from '../lib/judge/explain.ts'
import {
  isRefused,
  judgeExhaustion,
  quotaOverrun,
  answers,
  succeeds,
  withHint,
  type Judgement,
} from '../lib/judge/judge.ts'
import type { Refusal } from '../lib/specification/answers.ts'
import { area, rule } from '../lib/suite/rule.ts'
import { quotaClients, type Certainty, type QuotaClient } from './cases/quota-clients.ts'

export const quota = area('Quota', [
  rule('quota/exhausted', (context) =>
    forEachClient(context, (client) => {
      let wasOverrun = false
      const play: Scenario['play'] = async (stage) => {
        const certainty = await client.exhaust(stage)
        if (wasOverrun) throw new Inconclusive('a quota is used up once a day')
        const first = await client.ask(stage)
        if (isRefused(first)) return [judged(client, [first])]

        // A success is not yet a breach: the quota may have been reset, or may be about to run out.
        if (certainty !== 'declared')
          return [judged(client, [first, ...(await inTurn(stage, formsOf(client, context, 2)))])]

        const declared = client.quota ?? 0
        const tooMany = await servedBeyond(stage, client.request, declared)
        if (tooMany < declared) {
          wasOverrun = true
          const served = declared + tooMany
          stage.observations.observe(quotaOverrun, { quota: declared, served })
          if (!context.quotaWasOverrun) throw new Inconclusive(overrunOnce(client, served))
        }
        const judgement = orElse(usedUp.judge(first), 'FIXTURE_DISPOSABLE_QUOTA is not its quota')
        return [{ request: client.request, exchange: first, judgement }]
      }
      const requests = client.requests('quota/exhausted', 1)
      return scenario(client.name, requests, play, {
        wants: client.wants,
        byClient: byOwn(client, requests.most),
      })
    }),
  ),

  rule('quota/stays-exhausted', (context) =>
    forEachClient(context, (client) => {
      const times = context.times('quota/stays-exhausted', client.name)
      const forms = formsOf(client, context, times)
      const play: Scenario['play'] = async (stage) => {
        const certainty = await client.exhaust(stage)
        const exchanges = await inTurn(stage, forms)
        const last = exchanges.at(-1)
        if (last !== undefined && isRefused(last)) return [judged(client, exchanges)]

        // Lasting success means a reset; a refusal after it means a quota that does not hold.
        const more = await inTurn(stage, formsOf(client, context, 4))
        const all = judged(client, [...exchanges, ...more])
        const { judgement } = all
        if (judgement.kind !== 'unclear') return [all]
        throw new Inconclusive(judgement.because, notRefused(client, all.exchange, certainty))
      }
      const provides = forms.map(({ request }) => request).filter((request) => request !== client.request)
      const requests = client.requests('quota/stays-exhausted', times)
      return scenario(client.name, requests, play, { provides, byClient: byOwn(client, requests.most) })
    }),
  ),

  rule('quota/per-client', (context) =>
    forEachClient(context, (client) => {
      const { list, sends } = context
      const isSecondAsked = sends('quota/per-client', 'the second client')
      const isAskedAtTheEnd = sends('quota/per-client', 'once more at the end')
      const others = [list.request, ...(isSecondAsked ? list.of('second') : [])]
      // Clients served before are asked once more when the first 1020 comes.
      const times = isAskedAtTheEnd ? 3 : 2
      const requests = client.requests('quota/per-client', 1 + times * others.length)

      const play: Scenario['play'] = async (stage) => {
        const before = await Promise.all(others.map((other) => stage.servedKnown(other)))
        const certainty = await client.exhaust(stage)
        const asked = await client.ask(stage)
        if (!isRefused(asked))
          throw new Inconclusive(notExhausted(client, asked), notRefused(client, asked, certainty))

        // The client itself asks once more after the first 1020.
        if (!isAskedAtTheEnd) return before
        const again = others.map((other) => other.trait({ asksForQuota: true, plain: false }))
        return [...before, ...(await Promise.all(again.map((other) => stage.judge(other, succeeds()))))]
      }
      const own = byOwn(client, requests.most - times * others.length)
      return scenario(client.name, requests, play, {
        wants: [...others, ...client.wants],
        byClient: { ...own, target: times, ...(others.length > 1 ? { second: times } : {}) },
      })
    }),
  ),
])

/** Only a success says that a quota is not used up. */
function notExhausted({ setting }: QuotaClient, exchange: Exchange): string {
  if (isServed(exchange)) return `${setting} is not exhausted today`
  const answered = describeAnswered(answeredBy(exchange.response))
  return `${setting} was answered ${answered} where 429 / 1020 is documented (see quota/exhausted)`
}

function byOwn({ request }: QuotaClient, requests: number): RequestsByClient {
  return { [request.traits.client]: requests }
}

const usedUp = answers({ status: 429, errorCode: '1020' })

/** The breach of a client that is not refused as it should be; none if it is served and its quota may have been reset. */
function notRefused(
  { request }: QuotaClient,
  exchange: Exchange,
  certainty: Certainty,
): readonly PreconditionBreach[] {
  if (isServed(exchange) && certainty === 'likely') return []
  return preconditionBreach('quota/exhausted', { request, exchange }, usedUp)
}

function forEachClient(
  context: SuiteContext,
  make: (client: QuotaClient) => Scenario,
): readonly Scenario[] | Untestable {
  const clients = quotaClients(context)
  if (clients.length > 0) return clients.map(make)
  return {
    untested:
      'neither FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY nor FIXTURE_DISPOSABLE_API_KEY and FIXTURE_DISPOSABLE_SECRET_KEY are given',
  }
}

/** A request of a client whose quota is used up, and how else it may be refused. */
interface Form {
  readonly request: TestRequest
  readonly mayBe: Refusal | null
}

/** Requests that no counter may attribute to another client, nor refund. */
function formsOf({ request }: QuotaClient, { list, fixtures }: SuiteContext, times: number): readonly Form[] {
  const plain: Form = { request, mayBe: null }
  const invalidInput = { status: 400, errorCode: '1030' } as const
  const noEndpoint = { status: 400, errorCode: '1010' } as const
  const { invalidQuery, path } = list
  const forms: readonly Form[] = [
    plain,
    { request: request.withQuery('x=1'), mayBe: invalidInput },
    { request: request.without('accept'), mayBe: null },
    plain,
    ...(invalidQuery === null
      ? []
      : [{ request: request.to(`${path}?${invalidQuery}`), mayBe: invalidInput }, plain]),
    { request: request.with('x-version', fixtures.unsupportedVersion), mayBe: noEndpoint },
    plain,
    { request: request.with('accept', '*/*'), mayBe: null },
  ]
  return Array.from({ length: times }, (_, index) => forms[index % forms.length] ?? plain)
}

/** Sends one request after the other; an answer that refuses another flaw says nothing of the quota. */
async function inTurn(stage: Stage, forms: readonly Form[]): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  for (const { request, mayBe } of forms) {
    const exchange = await stage.send(request)
    if (mayBe === null || answers(mayBe).judge(exchange).kind !== 'holds') exchanges.push(exchange)
  }
  return exchanges
}

/** Counts answers beyond the declared quota until a refusal, including the first; stops at twice the quota, which covers a reset. */
async function servedBeyond(stage: Stage, request: TestRequest, declared: number): Promise<number> {
  for (let served = 1; served < declared; served += 1) {
    if (isRefused(await stage.send(request))) return served
  }
  return declared
}

function overrunOnce({ setting, quota: declared }: QuotaClient, served: number): string {
  return `${setting} was served ${served} times, its quota is declared as ${declared}: it was reset in the middle, or is larger than declared; where a later run with the same history, at another time of day, sees it again, that is a violation`
}

function judged({ request, setting }: QuotaClient, exchanges: readonly Exchange[]): JudgedExchange {
  const { judgement, about } = judgeExhaustion(exchanges, setting)
  return { request, exchange: about, judgement: orElse(judgement, `${setting} is not such a client`) }
}

function orElse(judgement: Judgement, explanation: string): Judgement {
  if (judgement.kind !== 'violates') return judgement
  return { kind: 'violates', breach: withHint(judgement.breach, explanation) }
}
