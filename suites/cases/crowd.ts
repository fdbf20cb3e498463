import {
  inScene,
  scenario,
  type Case,
  type Scenario,
  type Scene,
  type Step,
} from '../../lib/engine/plan/cases.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/engine/plan/suite-context.ts'
import type { Exchange } from '../../lib/http/exchange.ts'
import { answeredBy, isLabelledAsJson, isQuotaRefusal } from '../../lib/judge/answered.ts'
import { succeeds } from '../../lib/judge/judge.ts'
import { isDocumentedPair } from '../../lib/specification/answers.ts'
import { flawedRequests, type FlawedRequest } from '../../lib/engine/plan/flawed-requests.ts'
import { oncePerEndpoint } from '../../lib/engine/plan/once-per-run.ts'

/** Requests with different flaws and none, all in flight at once. */
export function crowdOf(endpoint: JudgedEndpoint, context: SuiteContext): Scenario {
  return inScene('crowd', crowdsOf(endpoint, context).crowd)
}

/** Plain valid requests at once, more than settings allow otherwise: what looks credentials up may run out of connections and call them wrong. */
export function manyAtOnce({ list: { request }, times }: SuiteContext): readonly Case[] {
  const count = times('authentication/isolated-under-concurrency', 'valid requests at once')
  if (count === 0) return []
  const requests = Array.from({ length: count }, () => request)
  const play: Scenario['play'] = async (stage) => {
    const wrong = (await stage.crowd(requests)).filter((exchange) => isCalledWrong(exchange))
    return wrong.map((exchange) => ({ request, exchange, judgement: succeeds().judge(exchange) }))
  }
  return [scenario('many-valid-at-once', count, play, { last: true })]
}

/**
 * Whether a documented error came, but for a used-up quota, or a 429 that says it is JSON and has no error object: a service that is
 * busy may give any other answer.
 */
function isCalledWrong({ response }: Exchange): boolean {
  const answered = answeredBy(response)
  const { status, errorCode, flaw } = answered
  if (status === 429 && flaw !== null && isLabelledAsJson(response)) return true
  return flaw === null && isDocumentedPair(status, errorCode) && !isQuotaRefusal(answered)
}

/** Requests of the served version, of another and of none, in flight at once. */
export function inParallel(endpoint: JudgedEndpoint, context: SuiteContext): Scenario {
  const { ofVersions, versions } = crowdsOf(endpoint, context)
  return inScene('in-parallel', ofVersions, versions)
}

interface Crowds {
  readonly crowd: Scene
  /** The scene that holds the steps with different versions. */
  readonly ofVersions: Scene
  readonly versions: readonly Step[]
}

const crowdsOf = oncePerEndpoint((endpoint, context): Crowds => {
  const { chosen, replayed, selects, sends, times } = context
  const rule = 'authentication/isolated-under-concurrency'
  const valid = { of: 'nothing', name: 'valid', request: endpoint.request, check: succeeds() } as const
  const flawed = flawedRequests(context, endpoint).filter(({ of }) => of !== 'input')
  const sent = chosen(rule, 'flaws in flight', flawed)
  const ordered = sends(rule, 'the valid request first') ? [valid, ...sent] : [...sent, valid]
  const steps = ordered.flatMap(({ of, name, request, check }) => {
    const bare = request.without('accept')
    const one = sends(rule, 'requests as they are', name) ? request : bare
    // What is sent again has the same name in every profile.
    return (replayed === null ? [one] : [request, bare]).map((form) => ({ of, request: form, check }))
  })
  const all = copies(times(rule, 'copies of each request'), steps)
  const crowd: Scene = [all]
  const isOfVersions = ({ of }: CrowdStep): boolean => of === 'nothing' || of === 'version'
  const own = copies(
    times('versioning/selected-per-request', 'versions in flight by themselves'),
    steps.filter(isOfVersions),
  )
  const beside = replayed === null ? [] : all
  if (own.length > 0) return { crowd, ofVersions: [[...own, ...beside]], versions: own }

  const versions = all.filter(isOfVersions)
  return { crowd, ofVersions: selects(rule) ? crowd : [versions], versions }
})

interface CrowdStep extends Step {
  readonly of: FlawedRequest['of'] | 'nothing'
}

/** The steps so many times, each of them another one. */
function copies(count: number, steps: readonly CrowdStep[]): readonly CrowdStep[] {
  return Array.from({ length: count }, () => steps.map((step) => ({ ...step }))).flat()
}
