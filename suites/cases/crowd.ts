import type { Exchange } from '../../lib/http/exchange.ts'
import { answeredBy, isLabelledAsJson, isQuotaRefusal } from '../../lib/judge/answered.ts'
import { succeeds } from '../../lib/judge/judge.ts'
import { flawedRequests, inScene, scenario } from '../../lib/run/plan/cases.ts'
import type { Case, FlawedRequest, Scenario, Scene, Step } from '../../lib/run/plan/cases.ts'
import { oncePerEndpoint, only } from '../../lib/run/plan/suite-context.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/run/plan/suite-context.ts'
import { isDocumentedPair } from '../../lib/specification/answers.ts'

/** Requests with different flaws and without flaws, all in flight at once. */
export function crowdOf(endpoint: JudgedEndpoint, context: SuiteContext): Scenario {
  return inScene('crowd', crowdsOf(endpoint, context).crowd)
}

/** More concurrent plain valid requests than the settings allow elsewhere. A credential lookup may run out of connections and call the credentials wrong. */
export function manyAtOnce({ list: { request }, byProfile }: SuiteContext): readonly Case[] {
  const count = byProfile({ all: 24, gate: 0, because: 'a gate runs often' })
  if (count === 0) return []
  const requests = Array.from({ length: count }, () => request)
  const play: Scenario['play'] = async (stage) => {
    const wrong = (await stage.crowd(requests)).filter((exchange) => isCalledWrong(exchange))
    return wrong.map((exchange) => ({
      request,
      exchange,
      judgement: succeeds().judge(exchange),
    }))
  }
  return [scenario('many-valid-at-once', count, play, { last: true })]
}

/**
 * Whether the answer is a documented error other than a used-up quota, or a JSON 429 without an error object. A busy service may
 * give any other answer.
 */
function isCalledWrong({ response }: Exchange): boolean {
  const answered = answeredBy(response)
  const { status, errorCode, flaw } = answered
  if (status === 429 && flaw !== null && isLabelledAsJson(response)) return true
  return flaw === null && isDocumentedPair(status, errorCode) && !isQuotaRefusal(answered)
}

/** Concurrent requests for the served version, for a different version and without a version. */
export function inParallel(endpoint: JudgedEndpoint, context: SuiteContext): Scenario {
  const { ofVersions, versions } = crowdsOf(endpoint, context)
  return inScene('in-parallel', ofVersions, versions)
}

type Crowds = Readonly<{
  crowd: Scene
  /** The scene that contains the steps with different versions. */
  ofVersions: Scene
  versions: readonly Step[]
}>

const crowdsOf = oncePerEndpoint((endpoint, context): Crowds => {
  const { byProfile, replayed, selects } = context
  const valid = {
    of: 'nothing',
    name: 'valid',
    request: endpoint.request,
    check: succeeds(),
  } as const
  const flawed = flawedRequests(context, endpoint).filter(({ of }) => of !== 'input')
  const essential = only(flawed, 'api-key-absent', 'secret-key-absent', 'version-unsupported')
  const ordered = byProfile({
    all: [valid, ...flawed],
    gate: [...oneOfEachFirst(flawed), valid],
    essential: [valid, ...essential],
    because: 'few other requests are in flight at the end, and the valid request finds least',
  })
  const withoutAccept: readonly (typeof ordered)[number][] = byProfile({
    all: [],
    gate: ordered,
    essential: [valid],
    because: 'conventions/accept-optional must send them without accept anyway',
  })
  const steps = ordered.flatMap((one) => {
    const { of, request, check } = one
    const bare = request.without('accept')
    const form = withoutAccept.includes(one) ? bare : request
    // Requests that are sent again have the same name in every profile.
    return (replayed === null ? [form] : [request, bare]).map((sent) => ({ of, request: sent, check }))
  })
  const all = copies(byProfile({ all: 5, gate: 1, because: 'a gate runs often' }), steps)
  const crowd: Scene = [all]
  const isOfVersions = ({ of }: CrowdStep): boolean => of === 'nothing' || of === 'version'
  const own = copies(
    byProfile({ all: 2, gate: 0, because: 'a crowd includes them' }),
    steps.filter(isOfVersions),
  )
  const beside = replayed === null ? [] : all
  if (own.length > 0) return { crowd, ofVersions: [[...own, ...beside]], versions: own }

  const versions = all.filter(isOfVersions)
  return {
    crowd,
    ofVersions: selects('authentication/isolated-under-concurrency') ? crowd : [versions],
    versions,
  }
})

type CrowdStep = Step & Readonly<{ of: FlawedRequest['of'] | 'nothing' }>

const firstInFlight = [
  'client-inactive',
  'api-key-wrong',
  'version-unsupported',
  'version-absent',
  'secret-key-wrong',
] as const

/** The same flaws, ordered so that each kind of lookup comes first once. */
function oneOfEachFirst(flawed: readonly FlawedRequest[]): readonly FlawedRequest[] {
  const first = firstInFlight.flatMap((name) => only(flawed, name))
  return [...first, ...flawed.filter((one) => !first.includes(one))]
}

/** The steps repeated this many times, each a separate step. */
function copies(count: number, steps: readonly CrowdStep[]): readonly CrowdStep[] {
  return Array.from({ length: count }, () => steps.map((step) => ({ ...step }))).flat()
}
