import { randomVersion, seededNumber } from '../lib/fuzz/seeded.ts'
import { utf8 } from '../lib/fuzz/unicode.ts'
import { answeredBy, isServed, isSuccessStatus } from '../lib/judge/answered.ts'
import { orRefusedByTransport } from '../lib/judge/excuses.ts'
import { type Judgement, answers, answersOneOf, succeeds } from '../lib/judge/judge.ts'
import { type Case, type JudgedExchange, type Scenario, example, scenario } from '../lib/run/plan/cases.ts'
import { NoAnswer } from '../lib/run/plan/errors.ts'
import { area, onEachEndpoint, rule } from '../lib/run/plan/rule.ts'
import type { SuiteContext } from '../lib/run/plan/suite-context.ts'
import { defaultVersion } from '../lib/specification/endpoints.ts'
import { versionBetween } from './cases/after-success.ts'
import { besideAndBelow } from './cases/beside-and-below.ts'
import { withoutField } from './cases/credentials.ts'
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

/** The numbers of digits in the versions, used in turn. */
const digits = [3, 4, 5, 6] as const

/** Random versions of three to six digits. Any one of them may exist, but all of them can exist only if the version selects nothing. */
function randomVersions(context: SuiteContext): readonly Case[] {
  const { list, seed, byProfile, documented } = context
  const because = 'only a service that serves all of them breaks the rule'
  const versions = Array.from({ length: byProfile({ all: 12, gate: 0, because }) }, (_, at) => {
    const least = 10 ** ((digits[at % digits.length] ?? 3) - 1)
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
  const { response } = one.exchange
  const summary = `answered ${response.status} under each of ${all.length} random versions: a version selects nothing, where 400 / 1010 is documented for versions that do not exist`
  const judgement: Judgement = {
    kind: 'violates',
    breach: {
      allowed: [unknown],
      answered: answeredBy(response),
      difference: 'every random version is served',
      summary,
      implied: true,
    },
  }
  return at === 0 ? { ...one, judgement } : one
}
