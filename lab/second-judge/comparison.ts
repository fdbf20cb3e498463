import type { JudgeOptions, Settings } from '../../lib/doors/library/library.ts'
import { type Exchange, valueOf } from '../../lib/http/exchange.ts'
import { answeredBy } from '../../lib/judge/answered.ts'
import { allowed, factsIfKnown, isReadInOneWay } from '../../lib/judge/facts.ts'
import { isExempt, type KnownPlaces, answersOneOf } from '../../lib/judge/judge.ts'
import { runWideChecks } from '../../lib/judge/run-wide.ts'
import type { TargetModel } from '../../lib/judge/target-model.ts'
import { targetModel, type TestRequest } from '../../lib/run/plan/suite-context.ts'
import type { Answer } from '../../lib/specification/answers.ts'
import type { ClientName } from '../../lib/specification/client-rows.ts'
import type { Facts } from '../../lib/specification/flaws.ts'
import { secondOpinion, type Opinion, type Recorded, type Service } from './second-judge.ts'
import { emptyQuery, pathNotShown, settledAs, versionOpen } from './settled.ts'

/** The opinions of both judges about one situation: the flaws of a request, and the kind of its answer. */
export interface Situation {
  readonly request: string
  readonly answer: string
  readonly first: Opinion['says']
  readonly second: Opinion['says']
  /** The words of the specification or of RFC 9110 on which the second judge relies. */
  readonly because: string
  /** Why a settled difference between the judges stands, or null. */
  readonly settled: string | null
  readonly exchanges: number
}

/** Situations by name. */
export type Situations = Map<string, Situation>

/** The documented run-wide checks. */
const documented = ['conventions/json-response', 'errors/body-shape', 'errors/documented-pairs'] as const

/**
 * The opinion of the suite's oracle about an exchange, regardless of the rule that sent it. Silent if the suite
 * only warns or observes, excuses the transport, or has several readings of the request.
 */
export function firstOpinion(
  { request, traits }: TestRequest,
  exchange: Exchange,
  known: { readonly model: TargetModel; readonly places: KnownPlaces },
  allowedBy: (facts: Facts) => readonly Answer[] = allowed,
): Opinion['says'] {
  // A request does not show whether the quota of a disposable client is used up.
  if (traits.client === 'disposable' || isExempt(exchange, traits, known.places)) return 'silent'
  const facts = isReadInOneWay(request) ? factsIfKnown(request, known.model) : null
  if (facts === null) return 'silent'
  const runWide = documented.map((rule) => runWideChecks[rule](exchange))
  const judgements = [answersOneOf(allowedBy(facts)).judge(exchange), ...runWide]
  const breaches = judgements.flatMap((one) => (one?.kind === 'violates' ? one.breach : []))
  if (breaches.some(({ implied }) => implied !== true)) return 'forbidden'
  return breaches.length === 0 ? 'allowed' : 'silent'
}

/** Both judges. In tests, one may have a mistake. */
export const bothJudges = { first: firstOpinion, second: secondOpinion }

/** Options of a run that ask both judges about each exchange. */
export function asking(settings: Settings, into: Situations): JudgeOptions {
  const listen = listener(settings, into)
  return { onEvent: (event) => event.kind === 'answered' && listen(event.request, event.exchange) }
}

/** Adds the opinions of both judges about each given exchange. */
export function listener(settings: Settings, into: Situations, judges = bothJudges) {
  const model = targetModel(settings)
  const { baseUrl } = settings.target
  if (baseUrl === null) throw new TypeError('the service needs an address')
  const known = { model, places: { baseUrl, paths: model.endpoints.map(({ path }) => path) } }
  const service = serviceOf(model, baseUrl)
  return (request: TestRequest, exchange: Exchange): void => {
    const recorded = recordedOf(request, exchange, service)
    if (recorded === null) return
    const first = judges.first(request, exchange, known)
    const { says: second, because, situation: read } = judges.second(service, recorded)
    const facts = factsIfKnown(request.request, model)
    const parts = [read]
    if (facts?.endpoint === 'uncertain') parts.push(pathNotShown)
    if (facts?.version === 'other') parts.push(versionOpen)
    if (request.request.target.endsWith('?')) parts.push(emptyQuery)
    const said = { request: parts.join(', '), answer: kindOf(exchange), first, second, because }
    const settled = isDisagreement(said) ? settledAs(said) : null
    addSituations(new Map([[JSON.stringify(said), { ...said, settled, exchanges: 1 }]]), into)
  }
}

/** Adds situations that were recorded elsewhere. */
export function addSituations(from: Situations, into: Situations): void {
  for (const [name, situation] of from) {
    const { exchanges = 0 } = into.get(name) ?? {}
    into.set(name, { ...situation, exchanges: exchanges + situation.exchanges })
  }
}

/** Whether the judges differ and neither is silent. */
const isDisagreement = ({ first, second }: Pick<Situation, 'first' | 'second'>): boolean =>
  first !== 'silent' && second !== 'silent' && first !== second

function stateOf(name: ClientName): Service['clients'][number]['state'] {
  if (name === 'noCustomer') return 'no-customer'
  return name === 'target' || name === 'second' || name === 'disposable' ? 'permitted' : name
}

function serviceOf(model: ReturnType<typeof targetModel>, baseUrl: string): Service {
  return {
    basePath: new URL(baseUrl).pathname.replace(/\/$/, ''),
    clients: model.clients.map(({ name, credentials: { apiKey, secretKey } }) => {
      return { apiKey: apiKey.reveal(), secretKey: secretKey.reveal(), state: stateOf(name) }
    }),
    endpoints: model.endpoints.map(({ method, path, version, query, invalidQuery, inactive }) => ({
      method,
      path,
      versions: [Number(version)],
      validQueries: [query ?? ''],
      invalidQueries: invalidQuery === null ? [] : [invalidQuery],
      inactive,
    })),
    unsupportedVersions: [Number(model.unsupportedVersion)],
  }
}

/** The exchange as transferred, or null if the bytes of the body are no longer known. */
function recordedOf({ request }: TestRequest, exchange: Exchange, { basePath }: Service): Recorded | null {
  const { status, fields, text, body } = exchange.response
  if (body.kind === 'damaged' || text.includes('\uFFFD')) return null
  const { method, target } = request
  const sent = request.fields.map((field): [string, string] => [field.name, valueOf(field)])
  const received = fields.map(([name, value]): [string, string] => [name, value])
  // RFC 9110, 15.5.2, requires a challenge with each 401, and so does the second judge. The specification shows
  // its 401 answers without one, and no scheme is registered for keys in x-api-key, so the suite does not judge
  // it. Here each 401 gets one; otherwise nothing else about it could be compared.
  if (status === 401) received.push(['www-authenticate', 'ApiKey'])
  return {
    request: { method, target: `${basePath}${target}`, fields: [['host', 'service.example'], ...sent] },
    answer: { status, fields: received, body: Buffer.from(body.kind === 'empty' ? '' : text) },
  }
}

function kindOf({ response }: Exchange): string {
  const { status, errorCode, flaw } = answeredBy(response)
  return [status, errorCode, flaw].filter((part) => part !== null).join(' ')
}

/**
 * Counts exchanges and their distinct situations. In some, the judges agree and neither is silent, at least one is
 * silent, or they differ.
 */
export function figuresOf(met: Situations) {
  const all = [...met.values()]
  const count = (is: (one: Situation) => boolean): number => all.filter(is).length
  return {
    exchanges: all.reduce((sum, one) => sum + one.exchanges, 0),
    situations: all.length,
    agree: count(({ first, second }) => first === second && first !== 'silent'),
    silent: count(({ first, second }) => first === 'silent' || second === 'silent'),
    settled: count((one) => isDisagreement(one) && one.settled !== null),
    disagree: count(isOpen),
  }
}

/** Whether the judges differ and the difference is not settled. */
const isOpen = (one: Situation): boolean => isDisagreement(one) && one.settled === null

/** A line for each difference that is not settled. */
export function openLines(met: Situations): readonly string[] {
  return [...met.values()].filter(isOpen).map(({ request, answer, first, second, because }) => {
    return `✗ ${request}, answered ${answer}: ${first} and ${second} (${because})`
  })
}
