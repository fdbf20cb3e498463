import type { Exchange } from '../lib/http/exchange.ts'
import { isRefused, judgeExhaustion, quotaOverrun } from '../lib/judge/exhaustion.ts'
import { answers, succeeds, withHint, type Judgement } from '../lib/judge/judge.ts'
import { scenario, type Judged, type Stage } from '../lib/engine/cases.ts'
import { Inconclusive } from '../lib/engine/inconclusive.ts'
import { exhaustible, type Exhaustible } from './cases/exhaustible.ts'
import { area, rule } from '../lib/suite/rule.ts'
import type { TestRequest } from '../lib/engine/test-request.ts'
import type { Refusal } from '../lib/spec/answers.ts'
import type { SuiteContext } from '../lib/engine/suite-context.ts'

export const quota = area('Quota', [
  rule('quota/exhausted', (context) => {
    /** The clients that were served too often until they were refused, which cannot be tried again today. */
    const overrun = new Set<string>()
    return overExhaustible(context, (client) =>
      scenario(client.name, client.requests('quota/exhausted', 1), async (stage) => {
        const certainty = await client.exhaust(stage)
        if (overrun.has(client.name)) throw new Inconclusive('a quota is used up once a day')
        const first = await stage.send(client.stimulus)
        if (isRefused(first)) return [judged(client, [first])]

        // A success is not yet a breach: the quota may have been reset, or is about to run out.
        if (certainty !== 'declared') {
          return [judged(client, [first, ...(await inTurn(stage, formsOf(client, context, 2)))])]
        }
        const declared = client.quota ?? 0
        const tooMany = await answersTooMany(stage, client.stimulus, declared)
        if (tooMany < declared) {
          overrun.add(client.name)
          stage.session.log.observe(quotaOverrun, { quota: declared, served: declared + tooMany })
          if (!context.quotaWasOverrun) throw new Inconclusive(overrunOnce(client, declared + tooMany))
        }
        const judgement = withHintAt(usedUp.judge(first), 'FIXTURE_DISPOSABLE_QUOTA is not its quota')
        return [{ stimulus: client.stimulus, exchange: first, judgement }]
      }),
    )
  }),

  rule('quota/stays-exhausted', (context) =>
    overExhaustible(context, (client) => {
      // A disposable client has been refused already, right after it was served.
      const inGate = client.name === 'disposable-client' ? 3 : 4
      const times = context.exhaustive ? 20 : inGate
      const afterASuccess = 4

      return scenario(client.name, client.requests('quota/stays-exhausted', times), async (stage) => {
        await client.exhaust(stage)
        const exchanges = await inTurn(stage, formsOf(client, context, times))
        // Success for good means a reset; a refusal after it means a quota that does not hold.
        const last = exchanges.at(-1)
        const more =
          last !== undefined && isRefused(last)
            ? []
            : await inTurn(stage, formsOf(client, context, afterASuccess))

        return [judged(client, [...exchanges, ...more])]
      })
    }),
  ),

  rule('quota/per-client', (context) =>
    overExhaustible(context, (client) => {
      const { second } = context.fixtures
      const others = [context.list.request, ...(second === null ? [] : [context.list.as('second', second)])]

      return scenario(
        client.name,
        // Those served before are asked once more when the first 1020 comes.
        client.requests('quota/per-client', 1 + 3 * others.length),
        async (stage) => {
          const before = await Promise.all(others.map((other) => stage.served(other)))
          await client.exhaust(stage)
          if (!isRefused(await stage.send(client.stimulus)))
            throw new Inconclusive(`${client.setting} is not exhausted today`)

          const after = others.map((other) => other.trait({ asksForQuota: true, plain: false }))
          return [...before, ...(await Promise.all(after.map((other) => stage.judge(other, succeeds()))))]
        },
      )
    }),
  ),
])

function overExhaustible(
  context: SuiteContext,
  make: (client: Exhaustible) => ReturnType<typeof scenario>,
): readonly ReturnType<typeof scenario>[] | { readonly untested: string } {
  const clients = exhaustible(context)
  if (clients.length > 0) return clients.map(make)
  return {
    untested:
      'neither FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY nor FIXTURE_DISPOSABLE_API_KEY and FIXTURE_DISPOSABLE_SECRET_KEY are given',
  }
}

/** A request of a client whose quota is used up, and how else it may be refused. */
interface Form {
  readonly stimulus: TestRequest
  readonly orElse: Refusal | null
}

/** Requests that no counter may take for another client's, nor for a reason to give a request back. */
function formsOf(
  { stimulus }: Exhaustible,
  { list, fixtures }: SuiteContext,
  times: number,
): readonly Form[] {
  const plain: Form = { stimulus, orElse: null }
  const invalidInput = { status: 400, errorCode: '1030' } as const
  const noEndpoint = { status: 400, errorCode: '1010' } as const
  const { invalidQuery, path } = list
  const forms: readonly Form[] = [
    plain,
    { stimulus: stimulus.withQuery('x=1'), orElse: invalidInput },
    { stimulus: stimulus.without('accept'), orElse: null },
    plain,
    ...(invalidQuery === null
      ? []
      : [{ stimulus: stimulus.to(`${path}?${invalidQuery}`), orElse: invalidInput }, plain]),
    { stimulus: stimulus.with('x-version', fixtures.unsupportedVersion), orElse: noEndpoint },
    plain,
    { stimulus: stimulus.with('accept', '*/*'), orElse: null },
  ]
  return Array.from({ length: times }, (_, index) => forms[index % forms.length] ?? plain)
}

/** One request after the other; what was refused for another flaw says nothing of the quota. */
async function inTurn(stage: Stage, forms: readonly Form[]): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  for (const { stimulus, orElse } of forms) {
    const exchange = await stage.send(stimulus)
    if (orElse === null || answers(orElse).judge(exchange).kind !== 'holds') exchanges.push(exchange)
  }
  return exchanges
}

/**
 * How many more answers came, the first one included, until a refusal: at most as many again as the declared quota, since after a reset
 * in the middle it would be used up by then.
 */
async function answersTooMany(stage: Stage, stimulus: TestRequest, declared: number): Promise<number> {
  for (let served = 1; served < declared; served += 1) {
    if (isRefused(await stage.send(stimulus))) return served
  }
  return declared
}

function overrunOnce(client: Exhaustible, served: number): string {
  return `${client.setting} was served ${served} times, its quota is declared as ${client.quota}: it was reset in the middle, or is larger than declared; where a later run with the same history, at another time of day, sees it again, that is a violation`
}

function judged({ stimulus, setting }: Exhaustible, exchanges: readonly Exchange[]): Judged {
  const { judgement, about } = judgeExhaustion(exchanges, setting)
  return { stimulus, exchange: about, judgement: withHintAt(judgement, `${setting} is not such a client`) }
}

function withHintAt(judgement: Judgement, orElse: string): Judgement {
  if (judgement.kind !== 'violates') return judgement
  return { kind: 'violates', breach: withHint(judgement.breach, orElse) }
}

const usedUp = answers({ status: 429, errorCode: '1020' })
