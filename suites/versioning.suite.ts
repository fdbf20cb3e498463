import { randomVersion } from '../lib/generate/seeded.ts'
import { utf8 } from '../lib/generate/unicode.ts'
import { answers, answersOneOf, orRefusedByTransport, succeeds } from '../lib/judge/judge.ts'
import { allowed } from '../lib/judge/allowed.ts'
import { factsOf } from '../lib/judge/facts.ts'
import { example, scenario } from '../lib/engine/cases.ts'
import { NotApplicable } from '../lib/engine/errors.ts'
import { defaultVersion } from '../lib/spec/endpoints.ts'
import { withoutField } from './cases/missing-field.ts'
import { area, rule } from '../lib/suite/rule.ts'

export const versioning = area('Versioning', [
  rule('versioning/version-missing', (context) => [
    ...withoutField(context, 'x-version', answers({ status: 400, errorCode: '1003' })),
    ...context.endpoints.map(({ request, version, named }) =>
      example(
        named('in-the-query'),
        request.without('x-version').withQuery(`version=${version}`),
        answersOneOf([
          { status: 400, errorCode: '1003' },
          { status: 400, errorCode: '1030' },
        ]),
      ),
    ),
  ]),

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
            throw new NotApplicable(
              `TARGET_VERSION is ${settings.target.version}, and version 1 is refused with ${status}: whether the endpoint must be served under it is not shown`,
            )
          }),
        ],
  ),

  rule('versioning/endpoint-not-in-version', ({ endpoints, fixtures, seed, exhaustive }) =>
    endpoints.flatMap(({ request, version, named, as }) => [
      example(
        named('unsupported'),
        request.with('x-version', fixtures.unsupportedVersion),
        answers({ status: 400, errorCode: '1010' }),
      ),
      example(
        named('unsupported-with-a-version-in-the-query'),
        request
          .with('x-version', fixtures.unsupportedVersion)
          .withQuery(`version=${version}&x-version=${version}`),
        answersOneOf([
          { status: 400, errorCode: '1010' },
          { status: 400, errorCode: '1030' },
        ]),
      ),
      // In a gate the generated versions tell the same.
      ...(exhaustive
        ? [
            example(
              named('random'),
              request.with('x-version', randomVersion(seed, 'endpoint-not-in-version')),
              answers({ status: 400, errorCode: '1010' }),
            ),
          ]
        : []),
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
  ),

  rule('versioning/unknown-endpoint', ({ unknownEndpoint, exhaustive }) => [
    example('one-segment', unknownEndpoint('one'), answers({ status: 400, errorCode: '1010' })),
    ...(exhaustive
      ? [example('with-list', unknownEndpoint('two', '/list'), answers({ status: 400, errorCode: '1010' }))]
      : []),
    example(
      'with-the-known-path',
      unknownEndpoint('three', '/customizations/list'),
      answers({ status: 400, errorCode: '1010' }),
    ),
  ]),

  rule('versioning/malformed-version', ({ endpoints, exhaustive }) =>
    endpoints.flatMap(({ request, named }) => {
      const sent = ({ gate }: { readonly gate: boolean }): boolean => exhaustive || gate
      return [
        ...malformed.filter(sent).map(({ name, value }) =>
          example(
            named(name),
            request.with('x-version', value),
            answersOneOf([
              { status: 400, errorCode: '1010' },
              { status: 400, errorCode: '1030' },
            ]),
          ),
        ),
        ...beyondAscii.filter(sent).map(({ name, value }) =>
          example(
            named(name),
            request.with('x-version', value).trait({ transportMayRefuse: true }),
            // A server that cannot make a text of the bytes may take the field for none.
            orRefusedByTransport(
              answersOneOf([
                { status: 400, errorCode: '1003' },
                { status: 400, errorCode: '1010' },
                { status: 400, errorCode: '1030' },
              ]),
            ),
          ),
        ),
      ]
    }),
  ),

  rule('versioning/selected-per-request', ({ endpoints, fixtures, exhaustive }) =>
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
      const times = exhaustive ? 2 : 1
      const inParallel = Array.from({ length: times }, () => [
        { stimulus: request, check: succeeds() },
        ...others,
      ]).flat()

      return [
        ...between,
        scenario(named('in-parallel'), inParallel.length, (stage) =>
          Promise.all(inParallel.map(({ stimulus, check }) => stage.judge(stimulus, check))),
        ),
      ]
    }),
  ),
])

const malformed = [
  { name: 'letters', value: 'abc', gate: true },
  { name: 'v1', value: 'v1', gate: true },
  { name: 'fraction', value: '1.5', gate: true },
  { name: 'list', value: '1,2', gate: true },
  { name: 'letters-behind', value: '1abc', gate: true },
  { name: 'latest', value: 'latest', gate: true },
  { name: 'quoted', value: '"1"', gate: true },
  { name: 'semantic', value: '1.0.0', gate: false },
  { name: 'date', value: '2026-01-01', gate: false },
  { name: 'default', value: 'default', gate: false },
] as const

/** Bytes of Latin-1 and of UTF-8 that some languages count among the digits, and then cannot read as a number. */
const beyondAscii = [
  { name: 'superscript-two-in-latin-1', value: '\xb2', gate: true },
  { name: 'circled-one', value: utf8('\u2460'), gate: true },
  { name: 'superscript-three-in-latin-1', value: '\xb3', gate: false },
  { name: 'superscript-one-in-latin-1', value: '\xb9', gate: false },
  { name: 'superscript-two', value: utf8('\u00b2'), gate: false },
  { name: 'superscript-one', value: utf8('\u00b9'), gate: false },
] as const
