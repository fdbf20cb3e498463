import { fingerprintOf, type EndpointRecord, type Reason } from '../../judge/record.ts'
import type { KnownEndpoint } from '../../judge/target-model.ts'
import type { Settings } from '../../settings/settings.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { PlannedRule } from './allot.ts'
import type { Case } from './cases.ts'
import type { JudgedEndpoint } from './suite-context.ts'
import { targetModel } from './model-of-settings.ts'
import { groupBy } from '../../text/counts.ts'
import type { TestRequest } from './test-request.ts'

/** Whether a request is one for exactly this endpoint, not for a near miss of its path, and its answer is judged. */
export function isFor({ request, traits }: TestRequest, { label, method, path }: KnownEndpoint): boolean {
  if (traits.endpoint !== label || traits.observed || request.method !== method) return false
  // A described value may stand in the path.
  return traits.described === true || request.target.split('?', 1)[0] === path
}

/** The labels of the endpoints that cases are for; a scenario is named after its endpoint. */
export function endpointsOf(cases: readonly Case[], endpoints: readonly JudgedEndpoint[]): readonly string[] {
  const examples = groupBy(
    cases.filter((one) => one.kind === 'example'),
    ({ request }) => request.traits.endpoint,
  )
  const scenarios = cases.filter((one) => one.kind === 'scenario' && one.requests > 0)
  const suffixes = new Set(
    scenarios.map(({ name }) => (name.includes('@') ? name.slice(name.indexOf('@')) : '')),
  )
  return endpoints
    .filter(
      (one) =>
        suffixes.has(one.named('')) ||
        examples.get(one.label)?.some(({ request }) => isFor(request, one)) === true,
    )
    .map(({ label }) => label)
}

/** What a plan says of a rule and endpoints. */
type Planned = Pick<PlannedRule, 'id' | 'endpoints'>

/** The endpoints that a plan sends nothing to, by their names in reports, and why. */
export function unplannedEndpoints(
  settings: Settings,
  rules: readonly Planned[],
): readonly { readonly endpoint: string; readonly because: string }[] {
  return judgedEndpoints(settings).flatMap((known) => {
    const because = whyUnplanned(known, settings, rules)
    return because === null ? [] : [{ endpoint: nameOf(known, settings), because }]
  })
}

/** What is known of an endpoint when a run is over. */
interface RunFacts {
  readonly rules: readonly Planned[]
  /** Whether the run ended early. */
  readonly hasEnded: boolean
  /** The labels of the endpoints of which a rule judged an answer. */
  readonly judgedBy: (rule: RuleId) => ReadonlySet<string>
}

/** The endpoints that a run is to judge, and what came of each. */
export function endpointRecords(
  settings: Settings,
  { rules, hasEnded, judgedBy }: RunFacts,
): readonly EndpointRecord[] {
  return judgedEndpoints(settings).map((known) => {
    const unplanned = whyUnplanned(known, settings, rules)
    const otherwise: Reason =
      unplanned === null && hasEnded
        ? { kind: 'ended', text: 'the run ended before' }
        : { kind: 'untested', text: unplanned ?? 'no rule judged an answer to a request for exactly it' }
    return {
      name: nameOf(known, settings),
      fingerprint: fingerprintOf(known.label, { ...neverJudged, summary: otherwise.text }),
      judgedBy: rules.flatMap(({ id }) => (judgedBy(id).has(known.label) ? [id] : [])),
      otherwise,
    }
  })
}

const neverJudged = { allowed: [], answered: null, difference: 'not judged' } as const

/** The list endpoint, and those of the endpoints file under each of their versions. */
function judgedEndpoints(settings: Settings): readonly KnownEndpoint[] {
  return targetModel(settings).endpoints.filter(({ inactive }) => !inactive)
}

/** `/api/cards`, `POST /api/cards (version 2)`: a GET and the version of the target go without saying. */
function nameOf({ method, path, version, described }: KnownEndpoint, { target }: Settings): string {
  const verb = method === 'GET' ? '' : `${method} `
  return `${verb}${described?.template ?? path}${version === target.version ? '' : ` (version ${version})`}`
}

function whyUnplanned(
  { method, label, mayBeSent }: KnownEndpoint,
  { run: { only, essential } }: Settings,
  rules: readonly Planned[],
): string | null {
  if (!mayBeSent) return `${method} is only sent where the endpoints file says "fuzz": true`
  if (rules.some(({ endpoints }) => endpoints.includes(label))) return null
  if (essential) return 'only one case a rule was selected, and none goes to it'
  return only === null ? 'no rule sends to it' : 'no selected rule sends to it'
}
