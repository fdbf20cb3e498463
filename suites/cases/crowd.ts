import { inScene, type Scenario, type Scene, type Step } from '../../lib/engine/plan/cases.ts'
import type { JudgedEndpoint, SuiteContext } from '../../lib/engine/plan/suite-context.ts'
import { succeeds } from '../../lib/judge/judge.ts'
import { flawedRequests } from '../../lib/suite/flawed-requests.ts'
import { oncePerEndpoint } from '../../lib/suite/once-per-run.ts'

/** Requests with different flaws and none, all in flight at once. */
export function crowdOf(endpoint: JudgedEndpoint, context: SuiteContext): Scenario {
  return inScene('crowd', crowdsOf(endpoint, context).crowd)
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
  const flawed = flawedRequests(context, endpoint).filter(({ name }) => name !== 'input-invalid')
  const valid: Step = { request: endpoint.request, check: succeeds() }
  const times = (count: number, steps: readonly Step[]): readonly Step[] =>
    Array.from({ length: count }, () => steps.map((step) => ({ ...step }))).flat()
  if (context.exhaustive) {
    const versions = times(2, [valid, ...flawed.filter(({ name }) => isVersion(name))])
    return { crowd: [times(5, [valid, ...flawed])], ofVersions: [versions], versions }
  }
  // Without accept, since a gate must send that anyway. The last ones have few others in flight with them, so one of each kind comes first.
  const rankOf = (name: string): number =>
    firstInGate.includes(name) ? firstInGate.indexOf(name) : firstInGate.length
  const ranked = [...flawed, { name: 'valid', ...valid }].toSorted((a, b) => rankOf(a.name) - rankOf(b.name))
  const crowded = ranked.map(({ name, request, check }) => ({
    name,
    request: request.without('accept'),
    check,
  }))
  if (context.essential) {
    const few = flawed.filter(({ name }) => inEssential.includes(name))
    const crowd = [[...crowded.filter(({ name }) => name === 'valid'), ...few]]
    return { crowd, ofVersions: crowd, versions: few }
  }
  const versions = crowded.filter(({ name }) => name === 'valid' || isVersion(name))
  const isSent = context.selects('authentication/isolated-under-concurrency')
  const crowd = [crowded]
  return { crowd, ofVersions: isSent ? crowd : [versions], versions }
})

/** The crowd when each rule has one case: the requests of other rules. */
const inEssential = ['api-key-absent', 'secret-key-absent', 'version-unsupported']

/** The first requests of the crowd of a gate: one for each thing that a service looks up. */
const firstInGate = [
  'client-inactive',
  'api-key-wrong',
  'version-unsupported',
  'version-absent',
  'secret-key-wrong',
]

function isVersion(name: string): boolean {
  return name.startsWith('version-')
}
