import { randomSegment } from '../generate/seeded.ts'
import type { Credentials } from '../http/secret.ts'
import type { KnownEndpoint, Knowledge } from '../oracle/knowledge.ts'
import type { ClientName } from '../spec/clients.ts'
import { knowledgeOf } from '../session/knowledge-of.ts'
import { plainRequest } from '../session/plain-request.ts'
import type { Stimulus } from '../session/stimulus.ts'
import type { Fixtures, Settings } from '../settings/settings.ts'
import type { RuleId } from '../spec/rules.ts'

/** An endpoint that every generic rule is judged on. */
export interface JudgedEndpoint extends KnownEndpoint {
  /** A plain valid request of the target client. */
  readonly request: Stimulus
  /** The same of another client. */
  readonly as: (client: ClientName, credentials: Credentials) => Stimulus
  /** The name of a case: as it is for the list endpoint, with the endpoint's label for further ones. */
  readonly named: (name: string) => string
}

/** What suites make their cases from. */
export interface SuiteContext {
  readonly settings: Settings
  readonly fixtures: Fixtures
  readonly knowledge: Knowledge
  readonly target: Credentials
  readonly seed: number
  /** Whether cases are sent that a gate leaves out: every position of a key, every combination on unknown endpoints. */
  readonly exhaustive: boolean
  /** The list endpoint, then those of the endpoints file. */
  readonly endpoints: readonly JudgedEndpoint[]
  readonly list: JudgedEndpoint
  /** A plain valid request for a path under /api/ that no service has: another one for every name. */
  readonly unknownEndpoint: (name: string, more?: string) => Stimulus
  readonly selects: (rule: RuleId) => boolean
}

/** What suites make their cases from, by settings that name a client and an address. */
export function suiteContext(settings: Settings, agent: string): SuiteContext {
  const { client } = settings.target
  if (client === null) throw new TypeError('suites need the credentials of the target client')
  const knowledge = knowledgeOf(settings)
  const endpoints = knowledge.endpoints
    .filter(({ inactive, mayBeSent }) => !inactive && mayBeSent)
    .map((known, index) => judgedEndpoint(known, client, { agent, isList: index === 0 }))
  const [list] = endpoints
  if (list === undefined) throw new TypeError('the list endpoint is always known')

  return {
    settings,
    fixtures: settings.fixtures,
    knowledge,
    target: client,
    seed: settings.run.seed,
    exhaustive: settings.run.profile !== 'gate',
    endpoints,
    list,
    unknownEndpoint: (name, more = '') =>
      list.request.to(`/api/${randomSegment(settings.run.seed, name)}${more}`, 'an unknown path under /api/'),
    selects: (rule) => settings.run.selected.includes(rule),
  }
}

function judgedEndpoint(
  known: KnownEndpoint,
  client: Credentials,
  { agent, isList }: { readonly agent: string; readonly isList: boolean },
): JudgedEndpoint {
  return {
    ...known,
    request: plainRequest(known, client, { client: 'target', agent }),
    as: (name, credentials) => plainRequest(known, credentials, { client: name, agent }),
    named: (name) => (isList ? name : `${name}@${known.label.replaceAll(' ', '-')}`),
  }
}
