import { setTimeout as delay } from 'node:timers/promises'
import type { Exchange } from '../../lib/http/exchange.ts'
import { isServed } from '../../lib/judge/answered.ts'
import { answers, answersOneOf, isRefused, succeeds } from '../../lib/judge/judge.ts'
import {
  countByClient,
  type FlawedRequest,
  flawedRequests,
  inScene,
  trouble,
  onEachEndpoint,
  scenario,
  type Scenario,
  type Scene,
  type Stage,
  type Step,
} from '../../lib/run/plan/cases.ts'
import { oncePerEndpoint, only } from '../../lib/run/plan/suite-context.ts'
import type { JudgedEndpoint, SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'
import { formsOfValid } from './header-forms.ts'

/** Requests that must be refused right after a success for the same URL, which a cache may have kept. */
export const afterASuccess = onEachEndpoint((endpoint, context) => [
  ...scenesOf(endpoint, context).flatMap(({ scene, flawed }) =>
    flawed.map(({ name, steps }) => inScene(name, scene, steps)),
  ),
  ...exhaustedAfterASuccess(endpoint, context),
])

/** Scenes in which a request for a different version comes between two requests for the served version, on the same connection. */
export function versionBetween(endpoint: JudgedEndpoint, context: SuiteContext): readonly Scenario[] {
  return scenesOf(endpoint, context).flatMap(({ scene, flawed, successes }) =>
    flawed
      .filter(({ of }) => of === 'version')
      .map(({ how, steps }) => inScene(`${how}-between`, scene, [...successes, ...steps.slice(0, 1)])),
  )
}

/** A success, flawed requests right after it, and, in some scenes, a second success. */
type AfterSuccess = Readonly<{
  scene: Scene
  successes: readonly Step[]
  /** The steps for each flaw, the first on the same connection as the success. */
  flawed: readonly (Pick<Flaw, 'of' | 'how' | 'name'> & { readonly steps: readonly Step[] })[]
}>

type Flaw = Pick<FlawedRequest, 'request' | 'check'> &
  Readonly<{
    how: string
    of: FlawedRequest['of'] | 'key-and-secret'
    name: FlawedRequest['name'] | 'key-and-secret-joined'
  }>

const scenesOf = oncePerEndpoint((endpoint, context): readonly AfterSuccess[] => {
  const { byProfile } = context
  const { request } = endpoint
  const isPlain = byProfile({
    all: true,
    gate: false,
    because: 'any form of a valid request succeeds: a gate must send some anyway',
  })
  const forms = isPlain ? [] : formsOfValid(context).map(({ inForm }) => inForm(request))
  const success = (form = request): Step => ({
    request: form,
    check: succeeds(),
    connection: 'same',
    fallback: request,
  })
  const flawed = flawedRequests(context, endpoint).filter(({ of }) => of !== 'endpoint')
  const all: readonly Flaw[] = [...flawed, keyAndSecretJoined(context, endpoint)]
  const single = byProfile({
    all,
    gate: only(all, 'version-absent', 'api-key-wrong', 'secret-key-wrong', 'version-unsupported'),
    because:
      'other flaws share a success: the first is sent on its connection, the others on a different one',
  })
  const onBoth = byProfile({
    all,
    gate: only(all, 'api-key-wrong', 'secret-key-wrong'),
    because: 'a cache overlooks these',
  })
  const others = all.filter((one) => !single.includes(one))
  // Flaws in the request share one success, and flaws in the client share another.
  const together = [others.filter(({ of }) => of !== 'client'), others.filter(({ of }) => of === 'client')]

  return [...single.map((one) => [one]), ...together]
    .filter((group) => group.length > 0)
    .map((group): AfterSuccess => {
      const isOnBoth = group.some((one) => onBoth.includes(one))
      const between = group.some(({ of }) => of === 'version')
      const before = success(forms.shift())
      // Not sent in another form, because a failure is exactly what this looks for.
      const after = between ? [{ request, check: succeeds(), connection: 'same' }] : []
      const steps = group.map(({ of, how, name, request: sent, check }, at) => ({
        of,
        how,
        name,
        steps: [
          { request: sent, check, connection: at === 0 ? 'same' : 'another' },
          ...(isOnBoth ? [{ request: sent, check, connection: 'another' }] : []),
        ],
      }))
      return {
        scene: [[before], steps.flatMap((one) => one.steps), ...after.map((one) => [one])],
        successes: [before, ...after],
        flawed: steps,
      }
    })
})

/**
 * Moves the key's last character to the front of the secret. A cache that joins the two without a separator finds the success. No part of
 * the secret enters the key.
 */
function keyAndSecretJoined({ target, documented }: SuiteContext, endpoint: JudgedEndpoint): Flaw {
  const key = target.apiKey.reveal()
  const secret = key.slice(-1) + target.secretKey.reveal()
  const request = endpoint.request
    .with('x-api-key', target.apiKey.derived('without its last character', key.slice(0, -1)))
    .with('x-secret-key', target.secretKey.derived('with the last character of the key before it', secret))
  const check = answersOneOf(documented(request))
  return {
    of: 'key-and-secret',
    how: 'joined',
    name: 'key-and-secret-joined',
    request,
    check,
  }
}

/** Longer than most faulty caches keep answers. */
const pauseMs = 1_500
const notToday = 'the client of FIXTURE_EXHAUSTED_API_KEY is not exhausted today'

/** The exhausted client right after another client's success. A success counts only between two refusals, because the quota may be reset. */
function exhaustedAfterASuccess(
  { request: plain, of }: JudgedEndpoint,
  { byProfile }: SuiteContext,
): readonly Scenario[] {
  const check = answers({ status: 429, errorCode: '1020' })
  const second = of('second')
  const isBesides = byProfile({
    all: true,
    gate: false,
    because: 'the second client was also served before',
  })
  const others = isBesides || second.length === 0 ? [plain, ...second] : second
  return of('exhausted').map((exhausted) => {
    const request = exhausted.trait({ asksForQuota: true })
    const play: Scenario['play'] = async (stage) => {
      const same = stage.connection()
      const another = stage.connection()
      const earlier = await Promise.all(others.map((other) => stage.served(other)))
      if (isServed(await refusedOrServed(stage, request))) throw trouble(notToday)

      const success = await stage.served(plain, same)
      const [onTheSame, onAnother] = await Promise.all([
        stage.judge(request, check, same),
        stage.judge(request, check, another),
      ])
      const wasServed = isServed(onTheSame.exchange) || isServed(onAnother.exchange)
      if (wasServed && !isRefused(await refusedOrServed(stage, request))) throw trouble(notToday)
      return [...earlier, success, onTheSame, onAnother]
    }
    return scenario('client-exhausted', others.length + 4, play, {
      provides: [request, ...others],
      byClient: countByClient([...others, plain, request, request, request]),
    })
  })
}

/** The answer to a client that should be refused. If it is served, sends the request again after a pause. */
async function refusedOrServed(stage: Stage, request: TestRequest): Promise<Exchange> {
  const first = await stage.send(request)
  if (!isServed(first)) return first

  await delay(pauseMs)
  return stage.send(request)
}
