import { succeeds } from '../lib/judge/judge.ts'
import { example } from '../lib/engine/cases.ts'
import { area, rule } from '../lib/suite/rule.ts'

export const endpoints = area('Endpoints', [
  // Every plain valid request of the run counts for it; these are its own.
  rule('endpoints/list-succeeds', ({ endpoints: judged, fixtures: { second } }) =>
    judged.flatMap(({ request, named, as }) => [
      example(named('plain'), request, succeeds()),
      example(named('plain-again'), request, succeeds()),
      ...(second === null
        ? []
        : [
            example(
              named('second-client'),
              as('second', second),
              succeeds(),
              'the client of FIXTURE_SECOND_API_KEY may not use the endpoint',
            ),
          ]),
    ]),
  ),
])
