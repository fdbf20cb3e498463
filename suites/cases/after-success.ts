import { setTimeout as delay } from 'node:timers/promises'
import { scenario, type Scenario } from '../../lib/engine/cases.ts'
import { Inconclusive } from '../../lib/engine/errors.ts'
import type { Stage } from '../../lib/engine/stage.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/engine/suite-context.ts'
import type { TestRequest } from '../../lib/engine/test-request.ts'
import { derivedSecret } from '../../lib/generate/mutated-value.ts'
import type { Exchange } from '../../lib/http/exchange.ts'
import { isServed } from '../../lib/judge/answered.ts'
import { answers, answersOneOf, isRefused } from '../../lib/judge/judge.ts'
import { onEachEndpoint } from '../../lib/suite/rule.ts'
import { flawedRequests, type FlawedRequest } from '../../lib/suite/flawed-requests.ts'

/** Requests that must be refused right after a success for the same URL, which a cache may have kept. */
export const afterASuccess = onEachEndpoint((endpoint, context) => [
  ...flawedRequests(context, endpoint)
    .filter(({ name }) => name !== 'endpoint-unknown')
    .map((flawed) => flawedAfterASuccess(flawed, endpoint, context)),
  keyAndSecretJoined(context, endpoint),
  ...exhaustedAfterASuccess(endpoint),
])

function flawedAfterASuccess(
  { name, request, check }: FlawedRequest,
  endpoint: JudgedEndpoint,
  { exhaustive }: SuiteContext,
): Scenario {
  // A gate also asks on another connection if a shared cache would let somebody in.
  const isOnBoth = exhaustive || !/-absent$|^version-|^input-|^client-/.test(name)
  return scenario(name, isOnBoth ? 3 : 2, async (stage) => {
    const same = stage.connection()
    const before = await stage.served(endpoint.request, same)
    const connections = isOnBoth ? [same, stage.connection()] : [same]
    const after = connections.map((connection) => stage.judge(request, check, connection))
    return [before, ...(await Promise.all(after))]
  })
}

/** Moves the key's last character before the secret: a cache that joins them unseparated finds the success. No part of the secret enters the key. */
function keyAndSecretJoined({ target, documented }: SuiteContext, endpoint: JudgedEndpoint): Scenario {
  const key = target.apiKey.reveal()
  const secret = key.slice(-1) + target.secretKey.reveal()
  const request = endpoint.request
    .with('x-api-key', derivedSecret(target.apiKey, 'without its last character', key.slice(0, -1)))
    .with(
      'x-secret-key',
      derivedSecret(target.secretKey, 'with the last character of the key before it', secret),
    )
  const check = answersOneOf(documented(request))

  return scenario('key-and-secret-joined', 2, async (stage) => [
    await stage.served(endpoint.request),
    await stage.judge(request, check),
  ])
}

/** Longer than most caches keep answers that they should not keep at all. */
const pauseMs = 1_500
const notToday = 'the client of FIXTURE_EXHAUSTED_API_KEY is not exhausted today'

/** The exhausted client right after another's success. A success counts only between two refusals, since its quota may be reset. */
function exhaustedAfterASuccess({ request: plain, of }: JudgedEndpoint): readonly Scenario[] {
  const check = answers({ status: 429, errorCode: '1020' })
  const others = [plain, ...of('second')]
  return of('exhausted').map((exhausted) => {
    const request = exhausted.trait({ asksForQuota: true })
    return scenario('client-exhausted', others.length + 4, async (stage) => {
      const same = stage.connection()
      const another = stage.connection()
      const earlier = await Promise.all(others.map((other) => stage.served(other)))
      if (isServed(await refusedOrServed(stage, request))) throw new Inconclusive(notToday)

      const success = await stage.served(plain, same)
      const [onTheSame, onAnother] = await Promise.all([
        stage.judge(request, check, same),
        stage.judge(request, check, another),
      ])
      const wasServed = isServed(onTheSame.exchange) || isServed(onAnother.exchange)
      if (wasServed && !isRefused(await refusedOrServed(stage, request))) throw new Inconclusive(notToday)
      return [...earlier, success, onTheSame, onAnother]
    })
  })
}

/** The answer to a client that should be refused; if it is served, asks again after a pause. */
async function refusedOrServed(stage: Stage, request: TestRequest): Promise<Exchange> {
  const first = await stage.send(request)
  if (!isServed(first)) return first

  await delay(pauseMs)
  return stage.send(request)
}
