import type { Baseline } from '../../drift/baseline.ts'
import { randomSegment } from '../../fuzz/seeded.ts'
import { allowed } from '../../judge/allowed.ts'
import { factsOf } from '../../judge/facts.ts'
import type { KnownPlaces } from '../../judge/excuses.ts'
import type { KnownEndpoint, TargetModel } from '../../judge/target-model.ts'
import type { Credentials } from '../../redact/secret.ts'
import type { Fixtures, RunSettings, Settings } from '../../settings/settings.ts'
import type { Answer } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { specCatalogue, type Catalogue } from '../../specification/catalogue.ts'
import type { RuleId } from '../../specification/rules.ts'
import { isSelected } from '../../settings/selection.ts'
import { targetModel } from './model-of-settings.ts'
import { plainRequest, type TestRequest } from './test-request.ts'
import type { CaseClass } from '../../fuzz/case-class.ts'
import { whole } from '../../fuzz/case-schedule.ts'

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
  const { seed } = settings.run
  if (client === null || baseUrl === null)
    throw new TypeError('suites need an address and the credentials of the target client')
  const model = targetModel(settings)
  const endpoints = model.endpoints
    .filter(({ inactive, mayBeSent }) => !inactive && mayBeSent)
    .map((known, index) => judgedEndpoint(known, { target: client, model, agent, isList: index === 0 }))
  const [list] = endpoints
  const selected = [...catalogue.keys()].filter((id) => isSelected(settings.run.only, id))
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

/** A value for each kind of run, and why a gate gets less. */
export interface Choice<Value> {
  /** In nightly, in acceptance, and for a case that is sent again. */
  readonly all: Value
  readonly gate: Value
  /** Where one case a rule is sent; default as in a gate. */
  readonly essential?: Value
  /** In acceptance, and for a case that is sent again; default `all`. */
  readonly acceptance?: Value
  readonly because: string
}

type Named = { readonly name: string }

/** Those of a list that have one of these names, in the order of the list. */
export function only<One extends Named>(
  all: readonly One[],
  ...names: readonly One['name'][]
): readonly One[] {
  return all.filter(({ name }) => names.includes(name))
}

/** Which listed cases of a rule matter most. */
export interface ListedChoice {
  /** The case that finds the most faults, or shares its requests. It is sent first, since a small budget is spent on it. Default the first. */
  readonly mostTelling?: string
  /** The cases that a gate sends to further endpoints. They are few, so that two further endpoints fit the budget; null for all. Default none, and all of a user's own rule. */
  readonly further?: readonly string[] | null
}

/** How many generated cases of a rule a gate sends. */
export interface GeneratedChoice {
  /** Its share of the cases that are asked for, since rows of factors replace some. Above 1, it makes up for cases that are always sent. Default 1. */
  readonly share?: number
}

/** What a run sends of what there is, by its profile. */
export interface ProfileChoice {
  readonly byProfile: <Value>(choice: Choice<Value>) => Value
  /** The listed cases of a rule that it sends, the most telling one first. */
  readonly listed: <One extends Named>(made: readonly One[], choice: ListedChoice) => readonly One[]
  /** The endpoints that generated cases go to, and how many go to each of so many in all. */
  readonly shares: <Endpoint>(endpoints: readonly Endpoint[], cases: number) => readonly Share<Endpoint>[]
  /** What it draws from the classes of a rule for an endpoint that gets so many cases. */
  readonly draws: (classes: readonly CaseClass[], to: DrawsFor) => Draws
}

interface Share<Endpoint> {
  readonly endpoint: Endpoint
  readonly count: number
}

interface DrawsFor extends GeneratedChoice {
  readonly count: number
  readonly isList: boolean
}

/** The classes, `always` with the number of their cases that come first, and how many others follow by weight. */
interface Draws {
  readonly classes: readonly CaseClass[]
  readonly more: number
}

type Extent = 'acceptance' | 'all' | 'gate' | 'essential'

function extentOf({ profile, essential }: AskedFor, isReplay: boolean): Extent {
  if (isReplay) return 'acceptance'
  if (essential) return 'essential'
  return profile === 'nightly' ? 'all' : profile
}

type AskedFor = Pick<RunSettings, 'profile' | 'essential'>

/** What a run with these settings sends; everything is there when one case is sent again. */
export function profileChoice(asked: AskedFor, isReplay: boolean): ProfileChoice {
  const extent = extentOf(asked, isReplay)
  const isWhole = extent === 'all' || extent === 'acceptance'
  const isGate = extent === 'gate'

  return {
    byProfile: ({ all, gate, essential = gate, acceptance = all }) =>
      ({ all, gate, essential, acceptance })[extent],
    listed: (made, { mostTelling, further = null }) => {
      const sent = made.filter(({ name }) => isWhole || further === null || isInGate(name, further))
      const first = sent.filter(({ name }) => name === mostTelling)
      const cases = [...first, ...sent.filter((one) => !first.includes(one))]
      return extent === 'essential' ? cases.slice(0, 1) : cases
    },
    shares: (endpoints, cases) => {
      const [sentTo, sent] =
        extent === 'essential' ? [endpoints.slice(0, 1), Math.min(1, cases)] : [endpoints, cases]
      return sentTo.map((endpoint, index) => ({
        endpoint,
        count: Math.floor((sent + sentTo.length - 1 - index) / sentTo.length),
      }))
    },
    draws: (classes, { count, isList, share = 1 }) => {
      if (isWhole) return besides(whole(classes), count, leastByWeight.all)
      const drawn = classes.map((one): CaseClass => {
        const { always = 0, everywhere = false, count: listed = 0, weight } = one
        return {
          ...one,
          always: isGate && (isList || everywhere) ? Math.min(always, listed) : 0,
          weight: one.gate ? weight : 0,
        }
      })
      return besides(drawn, isGate ? Math.ceil(count * share) : count, leastByWeight.gate)
    },
  }
}

/** What would reach situations that a run did not reach, because of how it was asked for: by further cases, or by other rows. */
export function settingsForMore(asked: Pick<RunSettings, 'only' | 'profile' | 'essential'>): MoreOf {
  const extent = extentOf(asked, false)
  const both = (setting: string): MoreOf => ({ cases: setting, rows: setting })
  if (asked.only !== null || extent === 'essential') return both('a run of all rules')
  return extent === 'gate' ? both('--profile acceptance') : { cases: '--fuzz-cases', rows: '--seed' }
}

/** A setting for further cases, and one for other rows. */
export interface MoreOf {
  readonly cases: string
  readonly rows: string
}

/** Whether a gate sends a case: all for the list endpoint, few for others, whose label follows an `@` in the name. */
function isInGate(name: string, further: readonly string[]): boolean {
  const [plainName = '', ...label] = name.split('@')
  return label.length === 0 || further.includes(plainName)
}

/** Of the cases that are asked for, the least share that is drawn by weight, besides those that classes list. */
const leastByWeight = { gate: 0.55, all: 0.8 }

/** The listed cases count among those that are asked for, as far as enough is still drawn by weight. */
function besides(classes: readonly CaseClass[], asked: number, least: number): Draws {
  const listed = classes.reduce((sum, { always = 0 }) => sum + always, 0)
  return { classes, more: Math.max(asked - listed, Math.ceil(asked * least)) }
}

/** A value shared by several rules, made once per context. */
export function oncePerRun<Value>(make: (context: SuiteContext) => Value): (context: SuiteContext) => Value {
  const made = new WeakMap<SuiteContext, Value>()
  return (context) => {
    const value = made.get(context) ?? make(context)
    made.set(context, value)
    return value
  }
}

/** A value for each endpoint that several rules share, made once per context. */
export function oncePerEndpoint<Value>(
  make: (endpoint: JudgedEndpoint, context: SuiteContext) => Value,
): (endpoint: JudgedEndpoint, context: SuiteContext) => Value {
  const made = oncePerRun((context) => new Map(context.endpoints.map((one) => [one, make(one, context)])))
  return (endpoint, context) => made(context).get(endpoint) ?? make(endpoint, context)
}
