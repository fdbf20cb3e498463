import { describe } from 'vitest'
import { succeeds } from '../lib/judge/judge.ts'
import { example } from '../lib/session/cases.ts'
import { sumOfRun } from '../lib/suite/rule.ts'

describe('Endpoints', () => {
  // Every plain valid request of the run counts for it; these are its own.
  sumOfRun('endpoints/list-succeeds', ({ endpoints, fixtures: { second } }) =>
    endpoints.flatMap(({ request, named, as }) => [
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
  )
})
