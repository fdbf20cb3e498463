import { describe } from 'vitest'
import { randomVersion } from '../lib/generate/seeded.ts'
import { answers, answersOneOf, succeeds } from '../lib/judge/judge.ts'
import { allowed } from '../lib/oracle/allowed.ts'
import { factsOf } from '../lib/oracle/facts-of.ts'
import { example, scenario } from '../lib/session/cases.ts'
import { Untested } from '../lib/session/unjudged.ts'
import { defaultVersion } from '../lib/spec/endpoints.ts'
import { withoutField } from '../lib/suite/missing-field.ts'
import { rule } from '../lib/suite/rule.ts'

describe('Versioning', () => {
  rule('versioning/version-missing', (context) =>
    withoutField(context, 'x-version', answers({ status: 400, errorCode: '1003' })),
  )

  rule('versioning/default-version', ({ list, settings, knowledge }) =>
    settings.target.version === defaultVersion
      ? [example('version-1', list.request, succeeds())]
      : [
          scenario('version-1', 1, async (stage) => {
            const stimulus = list.request.with('x-version', defaultVersion)
            const judged = await stage.judge(
              stimulus,
              answersOneOf(allowed(factsOf(stimulus.request, knowledge))),
            )
            const { status } = judged.exchange.response
            if (judged.judgement.kind !== 'holds' || (status >= 200 && status <= 299)) return [judged]
            throw new Untested(
              `TARGET_VERSION is ${settings.target.version}, and version 1 is refused with ${status}: whether the endpoint must be served under it is not shown`,
            )
          }),
        ],
  )

  rule('versioning/endpoint-not-in-version', ({ endpoints, fixtures, seed }) =>
    endpoints.flatMap(({ request, named, as }) => [
      example(
        named('unsupported'),
        request.with('x-version', fixtures.unsupportedVersion),
        answers({ status: 400, errorCode: '1010' }),
      ),
      example(
        named('random'),
        request.with('x-version', randomVersion(seed, 'endpoint-not-in-version')),
        answers({ status: 400, errorCode: '1010' }),
      ),
      ...(fixtures.second === null
        ? []
        : [
            example(
              named('unsupported-second-client'),
              as('second', fixtures.second).with('x-version', fixtures.unsupportedVersion),
              answers({ status: 400, errorCode: '1010' }),
            ),
          ]),
    ]),
  )

  rule('versioning/unknown-endpoint', ({ unknownEndpoint }) => [
    example('one-segment', unknownEndpoint('one'), answers({ status: 400, errorCode: '1010' })),
    example('with-list', unknownEndpoint('two', '/list'), answers({ status: 400, errorCode: '1010' })),
    example(
      'with-the-known-path',
      unknownEndpoint('three', '/customizations/list'),
      answers({ status: 400, errorCode: '1010' }),
    ),
  ])

  rule('versioning/malformed-version', ({ endpoints }) =>
    endpoints.flatMap(({ request, named }) =>
      malformed.map(({ name, value }) =>
        example(
          named(name),
          request.with('x-version', value),
          answersOneOf([
            { status: 400, errorCode: '1010' },
            { status: 400, errorCode: '1030' },
          ]),
        ),
      ),
    ),
  )

  rule('versioning/selected-per-request', ({ endpoints, fixtures }) =>
    endpoints.flatMap(({ request, named }) => {
      const others = [
        {
          name: 'unsupported',
          stimulus: request.with('x-version', fixtures.unsupportedVersion),
          check: answers({ status: 400, errorCode: '1010' }),
        },
        {
          name: 'absent',
          stimulus: request.without('x-version'),
          check: answers({ status: 400, errorCode: '1003' }),
        },
      ]
      const between = others.map(({ name, stimulus, check }) =>
        scenario(named(`${name}-between`), 3, async (stage) => {
          const connection = stage.connection()
          return [
            await stage.served(request, connection),
            await stage.judge(stimulus, check, connection),
            await stage.judge(request, succeeds(), connection),
          ]
        }),
      )
      const inParallel = [0, 1].flatMap(() => [{ stimulus: request, check: succeeds() }, ...others])

      return [
        ...between,
        scenario(named('in-parallel'), inParallel.length, (stage) =>
          Promise.all(inParallel.map(({ stimulus, check }) => stage.judge(stimulus, check))),
        ),
      ]
    }),
  )
})

const malformed = [
  { name: 'letters', value: 'abc' },
  { name: 'v1', value: 'v1' },
  { name: 'fraction', value: '1.5' },
  { name: 'list', value: '1,2' },
  { name: 'letters-behind', value: '1abc' },
] as const
