import type { Baseline } from '../drift/baseline.ts'
import { randomSegment } from '../generate/seeded.ts'
import type { Credentials } from '../redact/secret.ts'
import type { KnownPlaces } from '../judge/judge.ts'
import type { KnownEndpoint, TargetModel } from '../judge/target-model.ts'
import type { ClientName } from '../spec/clients.ts'
import { knowledgeOf } from './knowledge-of.ts'
import { plainRequest, type TestRequest } from './test-request.ts'
import type { Fixtures, Settings } from '../settings/settings.ts'
import type { RuleId } from '../spec/rules.ts'

/** An endpoint that every generic rule is judged on. */
export interface JudgedEndpoint extends KnownEndpoint {
  /** A plain valid request of the target client. */
  readonly request: TestRequest
  /** The same request of another client. */
  readonly as: (client: ClientName, credentials: Credentials) => TestRequest
  /** The same request of the second client; none if it is not given. */
  readonly ofSecond: readonly TestRequest[]
  /** The name of a case: as it is for the list endpoint, with the endpoint's label for further ones. */
  readonly named: (name: string) => string
}

/** What suites make their cases from. */
export interface SuiteContext extends RunBackground {
  readonly settings: Settings
  readonly fixtures: Fixtures
  readonly knowledge: TargetModel
  readonly target: Credentials
  readonly seed: number
  /** Whether cases are sent that a gate leaves out: every position of a key, every combination on unknown endpoints. */
  readonly exhaustive: boolean
  /** The list endpoint, then those of the endpoints file. */
  readonly endpoints: readonly JudgedEndpoint[]
  readonly list: JudgedEndpoint
  /** A plain valid request for a path under /api/ that no service has: another one for every name. */
  readonly unknownEndpoint: (name: string, more?: string) => TestRequest
  readonly selects: (rule: RuleId) => boolean
  /** Where near misses of known paths may be redirected to. */
  readonly places: KnownPlaces
  /** Whether a case is sent in this run. */
  readonly replays: (rule: RuleId, name: string) => boolean
}

/** What a run is given besides its settings. */
export interface RunBackground {
  /** The one case that is sent again, or null for all. */
  readonly replayed: ReplayedCase | null
  /** The baseline to compare with, or null if there is none. */
  readonly baseline: Baseline | null
  /** Whether an earlier run was served more often than the declared quota allows, too, and no reset explains both. */
  readonly quotaWasOverrun: boolean
}

/** A case that is sent again: its rule and its name within the rule. */
export interface ReplayedCase {
  readonly rule: RuleId
  readonly case: string
}

const noInput: RunBackground = { replayed: null, baseline: null, quotaWasOverrun: false }

/** What suites make their cases from, by settings that name a client and an address. */
export function suiteContext(
  settings: Settings,
  agent: string,
  input: Partial<RunBackground> = {},
): SuiteContext {
  const { replayed, baseline, quotaWasOverrun } = { ...noInput, ...input }
  const { client, baseUrl } = settings.target
  if (client === null || baseUrl === null)
    throw new TypeError('suites need an address and the credentials of the target client')
  const knowledge = knowledgeOf(settings)
  const endpoints = knowledge.endpoints
    .filter(({ inactive, mayBeSent }) => !inactive && mayBeSent)
    .map((known, index) =>
      judgedEndpoint(known, client, { agent, isList: index === 0, second: settings.fixtures.second }),
    )
  const [list] = endpoints
  if (list === undefined) throw new TypeError('the list endpoint is always known')

  return {
    settings,
    fixtures: settings.fixtures,
    knowledge,
    target: client,
    seed: settings.run.seed,
    exhaustive: settings.run.profile !== 'gate' || replayed !== null,
    endpoints,
    list,
    unknownEndpoint: (name, more = '') =>
      list.request.to(`/api/${randomSegment(settings.run.seed, name)}${more}`, 'an unknown path under /api/'),
    selects: (rule) => (replayed === null ? settings.run.selected.includes(rule) : rule === replayed.rule),
    places: { baseUrl, paths: knowledge.endpoints.map(({ path }) => path) },
    replayed,
    baseline,
    quotaWasOverrun,
    replays: (rule, name) => replayed === null || (rule === replayed.rule && name === replayed.case),
  }
}

function judgedEndpoint(
  known: KnownEndpoint,
  client: Credentials,
  {
    agent,
    isList,
    second,
  }: { readonly agent: string; readonly isList: boolean; readonly second: Credentials | null },
): JudgedEndpoint {
  const as = (name: ClientName, credentials: Credentials): TestRequest =>
    plainRequest(known, credentials, { client: name, agent })
  return {
    ...known,
    request: as('target', client),
    as,
    ofSecond: second === null ? [] : [as('second', second)],
    named: (name) => (isList ? name : `${name}@${known.label.replaceAll(' ', '-')}`),
  }
}
