import { describe } from 'vitest'
import type { Exchange } from '../lib/http/exchange.ts'
import { isRefused, judgeExhaustion } from '../lib/judge/exhaustion.ts'
import { answers, succeeds, withHint, type Judgement } from '../lib/judge/judge.ts'
import { scenario, type Judged, type Stage } from '../lib/session/cases.ts'
import { Unjudged } from '../lib/session/unjudged.ts'
import { exhaustible, type Exhaustible } from '../lib/suite/exhaustible.ts'
import { rule } from '../lib/suite/rule.ts'
import type { SuiteContext } from '../lib/suite/suite-context.ts'

describe('Quota', () => {
  rule('quota/exhausted', (context) =>
    overExhaustible(context, (client) =>
      scenario(client.name, client.requests('quota/exhausted', 3), async (stage) => {
        const certainty = await client.exhaust(stage)
        const first = await stage.send(client.stimulus)
        if (isRefused(first)) return [judged(client, [first])]

        // A success is not yet a breach: the quota may have been reset, or is about to run out.
        if (certainty !== 'declared') return [judged(client, [first, ...(await inTurn(stage, client, 2))])]
        await servedOnceMore(stage, client)
        return [{ stimulus: client.stimulus, exchange: first, judgement: usedUp.judge(first) }]
      }),
    ),
  )

  rule('quota/stays-exhausted', (context) =>
    overExhaustible(context, (client) => {
      // A disposable client has been refused already, right after it was served.
      const inGate = client.name === 'disposable-client' ? 3 : 5
      const times = context.exhaustive ? 20 : inGate
      const afterASuccess = 4

      return scenario(
        client.name,
        client.requests('quota/stays-exhausted', times + afterASuccess),
        async (stage) => {
          await client.exhaust(stage)
          const exchanges = await inTurn(stage, client, times)
          // Success for good means a reset; a refusal after it means a quota that does not hold.
          const last = exchanges.at(-1)
          const more = last !== undefined && isRefused(last) ? [] : await inTurn(stage, client, afterASuccess)

          return [judged(client, [...exchanges, ...more])]
        },
      )
    }),
  )

  rule('quota/per-client', (context) =>
    overExhaustible(context, (client) => {
      const { second } = context.fixtures
      const others = [context.list.request, ...(second === null ? [] : [context.list.as('second', second)])]

      return scenario(
        client.name,
        client.requests('quota/per-client', 1 + 2 * others.length),
        async (stage) => {
          const before = await Promise.all(others.map((other) => stage.served(other)))
          await client.exhaust(stage)
          if (!isRefused(await stage.send(client.stimulus)))
            throw new Unjudged(`${client.setting} is not exhausted today`)

          const after = others.map((other) => other.trait({ asksForQuota: true, plain: false }))
          return [...before, ...(await Promise.all(after.map((other) => stage.judge(other, succeeds()))))]
        },
      )
    }),
  )
})

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

/** One request after the other, every second one without `accept`. */
async function inTurn(stage: Stage, { stimulus }: Exhaustible, times: number): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = []
  for (let sent = 0; sent < times; sent += 1) {
    exchanges.push(await stage.send(sent % 2 === 0 ? stimulus : stimulus.without('accept')))
  }
  return exchanges
}

/** As many requests again as the declared quota: after a reset in the middle it would be used up by then. */
async function servedOnceMore(stage: Stage, { stimulus, setting, quota }: Exhaustible): Promise<void> {
  for (let sent = 1; sent < (quota ?? 0); sent += 1) {
    if (!isRefused(await stage.send(stimulus))) continue
    throw new Unjudged(`the quota of ${setting} was reset in the middle, or is larger than declared`)
  }
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
