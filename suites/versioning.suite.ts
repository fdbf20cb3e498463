import { randomSegment, randomVersion, seededNumber } from '../lib/fuzz/seeded.ts'
import { utf8 } from '../lib/fuzz/unicode.ts'
import { type Exchange, wholeValue } from '../lib/http/exchange.ts'
import { answeredBy, isServed, isSuccessStatus, describeAnswered, outcomeOf } from '../lib/judge/answered.ts'
import {
  orRefusedByTransport,
  answers,
  answersOneOf,
  holds,
  succeeds,
  type Judgement,
} from '../lib/judge/judge.ts'
import {
  area,
  example,
  onEachEndpoint,
  rule,
  scenario,
  type Case,
  type JudgedExchange,
  type Scenario,
  type Stage,
} from '../lib/run/plan/cases.ts'
import { NoAnswer } from '../lib/run/plan/cases.ts'
import type { JudgedEndpoint, SuiteContext } from '../lib/run/plan/suite-context.ts'
import { defaultVersion } from '../lib/specification/endpoints.ts'
import { versionBetween } from './cases/after-success.ts'
import { withoutField, type NamedRequest } from './cases/credentials.ts'
import { inParallel } from './cases/crowd.ts'

const missing = { status: 400, errorCode: '1003' } as const
const unknown = { status: 400, errorCode: '1010' } as const
const invalidInput = { status: 400, errorCode: '1030' } as const

export const versioning = area('Versioning', [
  rule(
    'versioning/version-missing',
    (context) => [
      ...withoutField('x-version', answers(missing))(context),
      ...onEachEndpoint(({ request, version }) => [
        example(
          'in-the-query',
          request.without('x-version').withQuery(`version=${version}`),
          answersOneOf([missing, invalidInput]),
        ),
      ])(context),
    ],
    { further: ['absent'] },
  ),

  rule('versioning/default-version', ({ list, settings, documented }) => {
    if (settings.target.version === defaultVersion) return [example('version-1', list.request, succeeds())]
    return [
      scenario('version-1', 1, async (stage) => {
        const request = list.request.with('x-version', defaultVersion)
        const judged = await stage.judge(request, answersOneOf(documented(request)))
        const { status } = judged.exchange.response
        if (judged.judgement.kind !== 'holds' || isSuccessStatus(status)) return [judged]
        throw new NoAnswer(
          'unavailable',
          `TARGET_VERSION is ${settings.target.version}, and version 1 is refused with ${status}: the specification does not say whether version 1 must be served`,
        )
      }),
    ]
  }),

  rule(
    'versioning/endpoint-not-in-version',
    (context) => [
      ...onEachEndpoint(({ request, version, of }, { fixtures: { unsupportedVersion }, seed, byProfile }) => [
        example('unsupported', request.with('x-version', unsupportedVersion), answers(unknown)),
        example(
          'unsupported-with-a-version-in-the-query',
          request.with('x-version', unsupportedVersion).withQuery(`version=${version}&x-version=${version}`),
          answersOneOf([unknown, invalidInput]),
        ),
        ...byProfile({
          all: [randomVersion(seed, 'endpoint-not-in-version')],
          gate: [],
          because: 'generated versions cover it (fuzz/version)',
        }).map((random) => example('random', request.with('x-version', random), answers(unknown))),
        ...of('second').map((second) =>
          example(
            'unsupported-second-client',
            second.with('x-version', unsupportedVersion),
            answers(unknown),
          ),
        ),
      ])(context),
      ...randomVersions(context),
    ],
    { further: ['unsupported'] },
  ),

  rule('versioning/unknown-endpoint', (context) => [
    example('one-segment', context.unknownEndpoint('one'), answers(unknown)),
    ...context.byProfile({
      all: [example('with-list', context.unknownEndpoint('two', '/list'), answers(unknown))],
      gate: [],
      because: 'generated paths cover it (fuzz/path)',
    }),
    example(
      'with-the-known-path',
      context.unknownEndpoint('three', '/customizations/list'),
      answers(unknown),
    ),
    ...besideAndBelow(context),
  ]),

  rule(
    'versioning/malformed-version',
    onEachEndpoint(({ request }, { byProfile }) => [
      ...byProfile({
        all: [...readAsNumber, ...seldomRead],
        gate: readAsNumber,
        because: 'other values are less often read as a number',
      }).map(({ name, value }) =>
        example(name, request.with('x-version', value), answersOneOf([unknown, invalidInput])),
      ),
      ...byProfile({
        all: beyondAscii,
        gate: beyondAscii.slice(0, 1),
        because: 'one byte that counts as a digit',
      }).map(({ name, value }) =>
        example(
          name,
          request.with('x-version', value).trait({ transportMayRefuse: true }),
          // A server that cannot decode the bytes may treat the field as absent.
          orRefusedByTransport(answersOneOf([missing, unknown, invalidInput])),
        ),
      ),
    ]),
    { mostTelling: 'v1' },
  ),

  rule(
    'versioning/selected-per-request',
    onEachEndpoint((endpoint, context) => [
      ...versionBetween(endpoint, context),
      inParallel(endpoint, context),
    ]),
  ),
])

const readAsNumber = [
  { name: 'letters', value: 'abc' },
  { name: 'v1', value: 'v1' },
  { name: 'fraction', value: '1.5' },
  { name: 'list', value: '1,2' },
  { name: 'letters-behind', value: '1abc' },
  { name: 'latest', value: 'latest' },
]

const seldomRead = [
  { name: 'quoted', value: '"1"' },
  { name: 'semantic', value: '1.0.0' },
  { name: 'date', value: '2026-01-01' },
  { name: 'default', value: 'default' },
]

/** Latin-1 and UTF-8 bytes that some languages count as digits but cannot parse as a number. */
const beyondAscii = [
  { name: 'superscript-two-in-latin-1', value: '\xb2' },
  { name: 'circled-one', value: utf8('\u2460') },
  { name: 'superscript-three-in-latin-1', value: '\xb3' },
  { name: 'superscript-one-in-latin-1', value: '\xb9' },
  { name: 'superscript-two', value: utf8('\u00b2') },
  { name: 'superscript-one', value: utf8('\u00b9') },
]

/** Random versions of three to six digits. Any one of them may exist, but all of them can exist only if the version selects nothing. */
function randomVersions(context: SuiteContext): readonly Case[] {
  const { list, seed, byProfile, documented } = context
  const because = 'only a service that serves all of them breaks the rule'
  const versions = Array.from({ length: byProfile({ all: 12, gate: 0, because }) }, (_, at) => {
    const least = 10 ** (2 + (at % 4))
    return String(least + seededNumber(seed, `random-version:${at}`, 9 * least))
  })
  const requests = versions
    .filter((version) => version !== list.version)
    .map((version) => list.request.with('x-version', version))
  if (requests.length === 0) return []

  const play: Scenario['play'] = async (stage) => {
    const judged: JudgedExchange[] = []
    for (const request of requests) judged.push(await stage.judge(request, answersOneOf(documented(request))))
    return judged.every(({ exchange }) => isServed(exchange)) ? judged.map(servedLikeAll) : judged
  }
  return [scenario('random-versions', requests.length, play)]
}

function servedLikeAll(one: JudgedExchange, at: number, all: readonly JudgedExchange[]): JudgedExchange {
  const { status } = one.exchange.response
  const summary = `answered ${status} under each of ${all.length} random versions where 400 / 1010 is documented for versions that do not exist`
  const judgement = notMissing(one.exchange, 'every random version is served', summary)
  return at === 0 ? { ...one, judgement } : one
}

/** Only random names and versions suggest that what was served does not exist. */
function notMissing({ response }: Exchange, difference: string, summary: string): Judgement {
  const answered = answeredBy(response)
  return {
    kind: 'violates',
    breach: {
      allowed: [unknown],
      answered,
      difference,
      summary,
      implied: true,
    },
  }
}

/** A random name near the list, with its exchange. */
type Neighbour = NamedRequest & { readonly exchange: Exchange }

/** Random names next to and under the list. Endpoints may exist at some of them, but not at every depth, and they are never the list. */
function besideAndBelow({ list, byProfile, seed }: SuiteContext): readonly Case[] {
  const all = neighboursOf(list, seed)
  const first = byProfile({
    all,
    gate: all.slice(0, 2),
    essential: [],
    because: 'all depths cover a service that serves a random end or a grandchild',
  })
  if (list.method !== 'GET' || first.length === 0) return []
  const others = all.filter((one) => !first.includes(one))
  const play = async (stage: Stage): Promise<readonly JudgedExchange[]> => {
    const asked = await attempts(stage, first)
    if (!asked.some(({ exchange }) => isServed(exchange)))
      return asked.map((one) => ({ ...one, judgement: holds }))

    const met = [...asked, ...(await attempts(stage, others))]
    const { exchange: plain } = await stage.served(list.request)
    const isEverywhere = met.length === all.length && met.every(({ exchange }) => isServed(exchange))
    return met.map((one) => ({ ...one, judgement: judgementOf(one, { met, plain, isEverywhere }) }))
  }
  return [scenario('beside-and-below', first.length, play)]
}

function neighboursOf({ path, query, request }: JudgedEndpoint, seed: number): readonly NamedRequest[] {
  const parent = path.slice(0, path.lastIndexOf('/'))
  const random = (name: string): string => randomSegment(seed, `beside and below: ${name}`)
  return [
    { name: 'random-end', at: `${path}${random('end')}` },
    { name: 'grandchild', at: `${path}/${random('parent')}/${random('grandchild')}` },
    { name: 'child', at: `${path}/${random('child')}` },
    { name: 'sibling', at: `${parent}/${random('sibling')}` },
  ].map(({ name, at }) => ({
    name,
    request: request
      .to(query === null ? at : `${at}?${query}`)
      .trait({ observed: true, transportMayRefuse: true }),
  }))
}

async function attempts(stage: Stage, asked: readonly NamedRequest[]): Promise<readonly Neighbour[]> {
  const met: Neighbour[] = []
  for (const { name, request } of asked) {
    const exchange = await stage.attempt(request)
    if (exchange === null) continue
    stage.observations.note('beside and below the list', name, outcomeOf(exchange))
    met.push({ name, request, exchange })
  }
  return met
}

type Compared = Readonly<{
  met: readonly Neighbour[]
  plain: Exchange
  isEverywhere: boolean
}>

function judgementOf({ name, exchange }: Neighbour, { met, plain, isEverywhere }: Compared): Judgement {
  if (!isServed(exchange)) return holds
  const isSibling = met.some((one) => one.name === 'sibling' && isServed(one.exchange))
  // An empty list equals any other empty list. Only the list's own path can lead from a random end of its name to the list alone.
  const list = valueOf(plain)
  const value = valueOf(exchange)
  const isTelling = holdsItems(list) || (name === 'random-end' && !isSibling)
  if (isTelling && value !== undefined && formOf(value) === formOf(list))
    return served(exchange, 'the list itself', 'the body of the list')
  return isEverywhere
    ? served(exchange, 'at every depth', 'as at every depth beside and below the list')
    : holds
}

/** The specification does not mention these paths. */
function served(exchange: Exchange, what: string, how: string): Judgement {
  const answered = describeAnswered(answeredBy(exchange.response))
  const summary = `answered ${answered}, ${how}, to a random name where 400 / 1010 is documented for an endpoint that does not exist`
  return notMissing(exchange, `a random name served: ${what}`, summary)
}

/** The value of a JSON body; undefined if the answer was too large to keep. */
function valueOf({ response }: Exchange): unknown {
  try {
    return response.body.kind === 'json' ? wholeValue(response) : undefined
  } catch {
    return undefined
  }
}

/** Maximum number of levels of a value to visit, because a hostile body has thousands. */
const deepest = 20

/** The value with types in place of strings and numbers, which may be times or identifiers. */
function formOf(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  if (depth === deepest) return 'deeper'
  if (Array.isArray(value)) return `[${value.map((item) => formOf(item, depth + 1)).join()}]`
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${formOf(member, depth + 1)}`,
  )
  return `{${members.toSorted().join()}}`
}

function holdsItems(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth === deepest) return false
  return (
    (Array.isArray(value) && value.length > 0) ||
    Object.values(value).some((member) => holdsItems(member, depth + 1))
  )
}
