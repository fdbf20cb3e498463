import type { Baseline } from '../../drift/baseline.ts'
import { randomSegment } from '../../fuzz/seeded.ts'
import { allowed } from '../../judge/allowed.ts'
import { factsOf } from '../../judge/facts.ts'
import type { KnownPlaces } from '../../judge/excuses.ts'
import type { KnownEndpoint, TargetModel } from '../../judge/target-model.ts'
import type { Credentials } from '../../redact/secret.ts'
import type { Fixtures, Settings } from '../../settings/settings.ts'
import type { Answer } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { specCatalogue, type Catalogue } from '../../specification/catalogue.ts'
import type { RuleId } from '../../specification/rules.ts'
import { isSelected } from '../../settings/selection.ts'
import { profileChoice, type ProfileChoice } from './profile-choice.ts'
import { targetModel } from './model-of-settings.ts'
import { plainRequest, type TestRequest } from './test-request.ts'

/** An endpoint on which every generic rule is judged. */
export interface JudgedEndpoint extends KnownEndpoint {
  readonly request: TestRequest
  /** The same request of another client; empty if that is not configured. */
  readonly of: (client: ClientName) => readonly TestRequest[]
  /** The name of a case, with the endpoint's label except for the list endpoint. */
  readonly named: (name: string) => string
}

/** The rule and the name of a case that is sent again, and how many times; default once. */
export interface ReplayedCase {
  readonly rule: RuleId
  readonly case: string
  readonly times?: number
  /** Whether the baseline accused the case, which must then be given; what is given judges any case. */
  readonly againstBaseline?: boolean
}

/** What a run is given besides its settings. */
export interface RunBackground {
  /** The rules of the run's suites. */
  readonly catalogue: Catalogue
  /** The one case to send again, or null for all. */
  readonly replayed: ReplayedCase | null
  /** The baseline to compare with, or null if there is none. */
  readonly baseline: Baseline | null
}

/** What suites make their cases from. */
export interface SuiteContext extends RunBackground, ProfileChoice {
  readonly settings: Settings
  readonly fixtures: Fixtures
  readonly model: TargetModel
  readonly target: Credentials
  readonly seed: number
  /** The list endpoint, then those of the endpoints file. */
  readonly endpoints: readonly JudgedEndpoint[]
  readonly list: JudgedEndpoint
  /** A plain valid request for a path under /api/ that no service has, different for each name. */
  readonly unknownEndpoint: (name: string, more?: string) => TestRequest
  readonly selected: readonly RuleId[]
  readonly selects: (rule: RuleId) => boolean
  /** What is documented for a request, by the oracle. */
  readonly documented: (request: TestRequest) => readonly Answer[]
  /** Permitted targets of redirects for near misses of known paths. */
  readonly places: KnownPlaces
}

/** What suites make their cases from; the settings must name a client and an address. */
export function suiteContext(
  settings: Settings,
  agent: string,
  { catalogue = specCatalogue, replayed = null, baseline = null }: Partial<RunBackground> = {},
): SuiteContext {
  const { client, baseUrl } = settings.target
  const { seed, only } = settings.run
  if (client === null || baseUrl === null)
    throw new TypeError('suites need an address and the credentials of the target client')
  const model = targetModel(settings)
  const endpoints = model.endpoints
    .filter(({ inactive, mayBeSent }) => !inactive && mayBeSent)
    .map((known, index) => judgedEndpoint(known, { target: client, model, agent, isList: index === 0 }))
  const [list] = endpoints
  const selected = [...catalogue.keys()].filter((id) => isSelected(only, id))
  const isCompared = baseline !== null && settings.run.baseline?.mode === 'compare'
  const judgesAgain = (rule: RuleId, { rule: own, againstBaseline = isCompared }: ReplayedCase): boolean =>
    rule === own || (againstBaseline && rule === 'tolerance/no-breaking-change')
  if (list === undefined) throw new TypeError('the list endpoint is always known')

  return {
    catalogue,
    replayed,
    baseline,
    settings,
    fixtures: settings.fixtures,
    model,
    target: client,
    seed,
    ...profileChoice(settings.run, replayed !== null),
    endpoints,
    list,
    unknownEndpoint: (name, more = '') =>
      list.request.to(`/api/${randomSegment(seed, name)}${more}`, 'an unknown path under /api/'),
    selected,
    selects: (rule) => (replayed === null ? selected.includes(rule) : judgesAgain(rule, replayed)),
    documented: ({ request }) => allowed(factsOf(request, model)),
    places: { baseUrl, paths: model.endpoints.map(({ path }) => path) },
  }
}

interface EndpointOptions {
  readonly target: Credentials
  readonly model: TargetModel
  readonly agent: string
  readonly isList: boolean
}

function judgedEndpoint(
  known: KnownEndpoint,
  { target, model, agent, isList }: EndpointOptions,
): JudgedEndpoint {
  const label = known.label.replaceAll(' ', '-')
  return {
    ...known,
    request: plainRequest(known, target, { client: 'target', agent }),
    of: (client) =>
      model.clients
        .filter(({ name }) => name === client)
        .map(({ credentials }) => plainRequest(known, credentials, { client, agent })),
    named: (name) => (isList ? name : `${name}@${label}`),
  }
}
