import { setTimeout as delay } from 'node:timers/promises'
import type { Exchange } from '../../lib/http/exchange.ts'
import { isServed } from '../../lib/judge/answered.ts'
import { isRefused, answers } from '../../lib/judge/judge.ts'
import { scenario, type Case } from '../../lib/engine/cases.ts'
import type { Stage } from '../../lib/engine/stage.ts'
import type { TestRequest } from '../../lib/engine/test-request.ts'
import { Inconclusive } from '../../lib/engine/errors.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/engine/suite-context.ts'

/** Longer than answers are mostly kept that ought not to be kept at all. */
const pauseMs = 1_500
const notToday = 'the client of FIXTURE_EXHAUSTED_API_KEY is not exhausted today'

/**
 * The exhausted client right after another's success for the same URL. Its quota may have been reset, so a success counts only
 * between two refusals. Who was served before the first refusal must be served after it, too: the session watches that.
 */
export function exhaustedAfterASuccess(context: SuiteContext, endpoint: JudgedEndpoint): readonly Case[] {
  const { exhausted, second } = context.fixtures
  if (exhausted === null) return []

  const stimulus = endpoint.as('exhausted', exhausted).trait({ asksForQuota: true })
  const check = answers({ status: 429, errorCode: '1020' })
  const others = second === null ? [] : [endpoint.as('second', second)]
  return [
    scenario(endpoint.named('client-exhausted'), others.length + 5, async (stage) => {
      const same = stage.connection()
      const another = stage.connection()
      const earlier = await Promise.all([endpoint.request, ...others].map((plain) => stage.served(plain)))
      if (isServed(await refusedOrServed(stage, stimulus))) throw new Inconclusive(notToday)

      const success = await stage.served(endpoint.request, same)
      const [onTheSame, onAnother] = await Promise.all([
        stage.judge(stimulus, check, same),
        stage.judge(stimulus, check, another),
      ])
      const wasServed = isServed(onTheSame.exchange) || isServed(onAnother.exchange)
      if (wasServed && !isRefused(await refusedOrServed(stage, stimulus))) throw new Inconclusive(notToday)
      return [...earlier, success, onTheSame, onAnother]
    }),
  ]
}

/** The answer to a client that should be refused; asked again, after a pause, where it is served. */
async function refusedOrServed(stage: Stage, stimulus: TestRequest): Promise<Exchange> {
  const first = await stage.send(stimulus)
  if (!isServed(first)) return first

  await delay(pauseMs)
  return stage.send(stimulus)
}
