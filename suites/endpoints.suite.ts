import { succeeds } from '../lib/judge/judge.ts'
import { area, example, onEachEndpoint, rule } from '../lib/run/plan/cases.ts'

export const endpoints = area('Endpoints', [
  // Every plain valid request in the run counts for this rule; only these are sent for it.
  rule(
    'endpoints/list-succeeds',
    onEachEndpoint(({ request, of }) => [
      { ...example('plain', request, succeeds()), again: true as const },
      example('plain-again', request, succeeds()),
      ...of('second').map((second) => example('second-client', second, succeeds())),
    ]),
    { mostTelling: 'plain-again', further: ['plain'] },
  ),
])
