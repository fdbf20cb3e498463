import type { Baseline } from '../../drift/baseline.ts'
import { whole, type CaseClass } from '../../fuzz/case-class.ts'
import { randomSegment, sameShape } from '../../fuzz/seeded.ts'
import { allowed, factsOf } from '../../judge/facts.ts'
import { answers, type Check } from '../../judge/judge.ts'
import type { KnownEndpoint } from '../../judge/target-model.ts'
import type { RunSettings, Settings } from '../../settings/settings.ts'
import type { Answer, Refusal } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { refusedClients, type FlawBase } from '../../specification/flaws.ts'
import { specCatalogue, type Catalogue, type RuleId, isSelected } from '../../specification/rules.ts'
import { plainRequest, targetModel, type TestRequest } from './test-request.ts'

/** An endpoint that every generic rule judges. */
export type JudgedEndpoint = KnownEndpoint &
  Readonly<{
    request: TestRequest
    /** The same request from another client; empty if that client is not configured. */
    of: (client: ClientName) => readonly TestRequest[]
    /** The full name of a case, to which endpoints other than the list endpoint add their label. */
    named: (name: string) => string
  }>

/** The rule and name of a case to send again, and how many times (once by default). */
export type ReplayedCase = Readonly<{
  rule: RuleId
  case: string
  times?: number
  /** Whether the finding came from the baseline, which must then be given. */
  againstBaseline?: boolean
}>

/** The input for a run, other than its settings. */
export type RunBackground = Readonly<{
  /** All rules of the run's suites. */
  catalogue: Catalogue
  /** The only case to send, or null for all. */
  replayed: ReplayedCase | null
  /** The baseline to compare with; null if there is none. */
  baseline: Baseline | null
}>

/** The input from which suites make their cases. */
export type SuiteContext = ReturnType<typeof suiteContext>

/** Makes the context; the settings must name a client and an address. */
export function suiteContext(
  settings: Settings,
  { catalogue = specCatalogue, replayed = null, baseline = null }: Partial<RunBackground> = {},
) {
  const { client, baseUrl } = settings.target
  const { seed } = settings.run
  if (client === null || baseUrl === null)
    throw new TypeError('suites need an address and the credentials of the target client')
  const model = targetModel(settings)
  const endpoints = model.endpoints
    .filter(({ inactive, mayBeSent }) => !inactive && mayBeSent)
    .map((known, index): JudgedEndpoint => ({
      ...known,
      request: plainRequest(known, { name: 'target', credentials: client }),
      of: (other) =>
        model.clients.filter(({ name }) => name === other).map((one) => plainRequest(known, one)),
      named: (name) => (index === 0 ? name : `${name}@${known.label.replaceAll(' ', '-')}`),
    }))
  const [list] = endpoints
  const selected = [...catalogue.keys()].filter((id) => isSelected(settings.run.only, id))
  const isCompared = baseline !== null && settings.run.baseline?.mode === 'compare'
  const judgesAgain = (rule: RuleId, { rule: own, againstBaseline = isCompared }: ReplayedCase) =>
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
    /** The list endpoint, followed by the endpoints in the endpoints file. */
    endpoints,
    list,
    /** A plain valid request to a path under /api/ that does not exist, different for each name. */
    unknownEndpoint: (name: string, more = ''): TestRequest =>
      list.request.to(`/api/${randomSegment(seed, name)}${more}`, 'an unknown path under /api/'),
    selected,
    selects: (rule: RuleId) => (replayed === null ? selected.includes(rule) : judgesAgain(rule, replayed)),
    /** The documented answers to a request, according to the oracle. */
    documented: ({ request }: TestRequest): readonly Answer[] => allowed(factsOf(request, model)),
    /** Permitted redirect targets for near misses of known paths. */
    places: { baseUrl, paths: model.endpoints.map(({ path }) => path) },
  }
}

/** A value for each profile, and why a gate gets less. */
export type Choice<Value> = Readonly<{
  /** For nightly runs, acceptance runs and replays. */
  all: Value
  gate: Value
  /** For a run with one case per rule; by default the same as in a gate. */
  essential?: Value
  /** For acceptance runs and replays; `all` by default. */
  acceptance?: Value
  because: string
}>

type Named = { readonly name: string }

/** The items with one of these names, in list order. */
export function only<One extends Named>(
  all: readonly One[],
  ...names: readonly One['name'][]
): readonly One[] {
  return all.filter(({ name }) => names.includes(name))
}

/** Which of a rule's listed cases find the most faults. */
export interface ListedChoice {
  /** The case that finds the most faults or shares its requests. It is sent first, so that a small budget covers it. By default, the first case. */
  readonly mostTelling?: string
  /** The cases that a gate sends to further endpoints: few, so that two such endpoints fit into the budget; null for all. By default none, or all for a user's own rule. */
  readonly further?: readonly string[] | null
}

/** How many generated cases a gate sends. */
export interface GeneratedChoice {
  /** The rule's share of the requested cases, some of which are replaced by rows of factors. More than 1 makes up for cases that are always sent. Default: 1. */
  readonly share?: number
}

type Extent = 'acceptance' | 'all' | 'gate' | 'essential'

type Asked = Pick<RunSettings, 'profile' | 'essential'>

function extentOf({ profile, essential }: Asked, isReplay: boolean): Extent {
  if (isReplay) return 'acceptance'
  if (essential) return 'essential'
  return profile === 'nightly' ? 'all' : profile
}

/** Chooses what a run sends, depending on its profile. */
export type ProfileChoice = ReturnType<typeof profileChoice>

/** The choices for a run with these settings; a replay can send everything. */
export function profileChoice(run: Asked, isReplay: boolean) {
  const extent = extentOf(run, isReplay)
  const isWhole = extent === 'all' || extent === 'acceptance'
  const isGate = extent === 'gate'

  return {
    byProfile: <Value>({ all, gate, essential = gate, acceptance = all }: Choice<Value>): Value =>
      ({ all, gate, essential, acceptance })[extent],
    /** The listed cases that the run sends, starting with the case that finds the most faults. */
    listed: <One extends Named>(
      made: readonly One[],
      { mostTelling, further = null }: ListedChoice,
    ): readonly One[] => {
      const sent = made.filter(({ name }) => isWhole || further === null || isInGate(name, further))
      const first = sent.filter(({ name }) => name === mostTelling)
      const cases = [...first, ...sent.filter((one) => !first.includes(one))]
      return extent === 'essential' ? cases.slice(0, 1) : cases
    },
    /** Divides generated cases among endpoints. */
    shares: <Endpoint>(endpoints: readonly Endpoint[], cases: number) => {
      const [sentTo, sent] =
        extent === 'essential' ? [endpoints.slice(0, 1), Math.min(1, cases)] : [endpoints, cases]
      return sentTo.map((endpoint, index) => ({
        endpoint,
        count: Math.floor((sent + sentTo.length - 1 - index) / sentTo.length),
      }))
    },
    /** The classes for an endpoint, in which `always` counts the cases that come first, and how many further cases are drawn by weight. */
    draws: (
      classes: readonly CaseClass[],
      { count, isList, share = 1 }: GeneratedChoice & { readonly count: number; readonly isList: boolean },
    ) => {
      const drawn = classes.map((one): CaseClass => {
        const { always = 0, everywhere = false, count: listed = 0, weight, because } = one
        return {
          ...one,
          always: isGate && (isList || everywhere) ? Math.min(always, listed) : 0,
          weight: because === undefined || always > 0 ? weight : 0,
        }
      })
      const sent = isWhole ? whole(classes) : drawn
      const asked = isGate ? Math.ceil(count * share) : count
      // Listed cases count as requested.
      const left = sent.reduce((rest, { always = 0 }) => rest - always, asked)
      const least = isWhole ? leastByWeight.all : leastByWeight.gate
      return { classes: sent, more: Math.max(left, Math.ceil(asked * least)) }
    },
  }
}

/** The settings that would reach more situations, either with more cases or with other rows. */
export type MoreOf = ReturnType<typeof settingsForMore>

/** The settings for more cases and for other rows. */
export function settingsForMore(asked: Asked & Pick<RunSettings, 'only'>) {
  const extent = extentOf(asked, false)
  const both = (setting: string) => ({ cases: setting, rows: setting })
  if (asked.only !== null || extent === 'essential') return both('a run of all rules')
  return extent === 'gate' ? both('--profile acceptance') : { cases: '--fuzz-cases', rows: '--seed' }
}

/** Whether a gate sends a case: all cases for the list endpoint, but few for others, which have an `@` in the name. */
function isInGate(name: string, further: readonly string[]) {
  const [plainName = '', ...label] = name.split('@')
  return label.length === 0 || further.includes(plainName)
}

/** The minimum share of the requested cases that is drawn by weight, in addition to the cases that classes list. */
const leastByWeight = { gate: 0.55, all: 0.8 }

/** Makes a value once per context, for several rules. */
export function oncePerRun<Value>(make: (context: SuiteContext) => Value) {
  const made = new WeakMap<SuiteContext, Value>()
  return (context: SuiteContext) => {
    const value = made.get(context) ?? make(context)
    made.set(context, value)
    return value
  }
}

/** Makes a value once per context and endpoint, for several rules. */
export function oncePerEndpoint<Value>(make: (endpoint: JudgedEndpoint, context: SuiteContext) => Value) {
  const made = oncePerRun((context) => new Map(context.endpoints.map((one) => [one, make(one, context)])))
  return (endpoint: JudgedEndpoint, context: SuiteContext) =>
    made(context).get(endpoint) ?? make(endpoint, context)
}

/** A request with exactly one certain flaw, and its documented answer. */
export type FlawedRequest = Readonly<{
  /** The flawed part; `how` is its flaw, and the name combines both. */
  of: 'api-key' | 'secret-key' | 'version' | 'endpoint' | 'input' | 'client'
  how: string
  name: FlawBase
  request: TestRequest
  check: Check
}>

/** An invented API key in the shape of the valid key. */
export const wrongKey = oncePerRun(({ target, seed }) => sameShape(target.apiKey.reveal(), seed, 'wrong-key'))

/** An invented secret key in the shape of the valid key. */
export const wrongSecret = oncePerRun(({ target, seed }) =>
  sameShape(target.secretKey.reveal(), seed, 'wrong-secret'),
)

/** A request for each single flaw that the settings allow, except for the exhausted client. */
export function flawedRequests(context: SuiteContext, endpoint: JudgedEndpoint): readonly FlawedRequest[] {
  const { request, path, invalidQuery } = endpoint
  const { unsupportedVersion } = context.fixtures
  return [
    flawed('api-key', 'absent', request.without('x-api-key'), 400, '1001'),
    flawed('secret-key', 'absent', request.without('x-secret-key'), 400, '1002'),
    flawed('version', 'absent', request.without('x-version'), 400, '1003'),
    flawed('api-key', 'wrong', request.with('x-api-key', wrongKey(context)), 401, '1006'),
    flawed('secret-key', 'wrong', request.with('x-secret-key', wrongSecret(context)), 401, '1007'),
    flawed('version', 'unsupported', request.with('x-version', unsupportedVersion), 400, '1010'),
    flawed('endpoint', 'unknown', context.unknownEndpoint('flawed'), 400, '1010'),
    ...(invalidQuery === null
      ? []
      : [flawed('input', 'invalid', request.to(`${path}?${invalidQuery}`), 400, '1030')]),
    ...refusedClients.flatMap(({ client, name, refusal }) =>
      endpoint.of(client).map((made) => ({
        of: 'client' as const,
        how: client,
        name,
        request: made,
        check: answers(refusal),
      })),
    ),
  ]
}

function flawed<Of extends FlawedRequest['of'], How extends string>(
  of: Of,
  how: How,
  request: TestRequest,
  ...[status, errorCode]: readonly [Refusal['status'], Refusal['errorCode']]
) {
  return { of, how, name: `${of}-${how}` as const, request, check: answers({ status, errorCode }) }
}
