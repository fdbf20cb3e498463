import fc, { type Arbitrary } from 'fast-check'
import { requiredFields, type RequiredField } from '../spec/endpoints.ts'
import { drawnFrom, statesOf, valid, type State } from './flaw-states.ts'
import type { Fuzzed, Kind, Material } from './fuzzed.ts'
import { byOracle, drawnAnew } from './listed.ts'
import { inTurn, ordered, renaming, to, without } from './request-changes.ts'
import { unknownSegments } from './unknown-segments.ts'

/**
 * Flaws of key, secret and version together, at the endpoint and at one that does not exist, with all that must not matter drawn
 * as well. Mostly two flaws or more; they shrink towards none. A weight of 16 in all.
 */
export function combinedFlawKinds(material: Material): readonly Kind[] {
  const states = {
    'x-api-key': statesOf('x-api-key', material),
    'x-secret-key': statesOf('x-secret-key', material),
    'x-version': statesOf('x-version', material),
  }
  const flawedIn = (...names: readonly RequiredField[]): Arbitrary<Fuzzed> =>
    combined(requiredFields.filter((name) => names.includes(name)).map((name) => states[name]))

  return [
    drawnAnew({ name: 'key-and-secret', weight: 5, gate: true }, flawedIn('x-api-key', 'x-secret-key')),
    drawnAnew({ name: 'key-secret-and-version', weight: 5, gate: true }, flawedIn(...requiredFields)),
    drawnAnew({ name: 'key-and-version', weight: 3, gate: true }, flawedIn('x-api-key', 'x-version')),
    drawnAnew({ name: 'secret-and-version', weight: 3, gate: true }, flawedIn('x-secret-key', 'x-version')),
  ]
}

function combined(flaws: readonly Arbitrary<State>[]): Arbitrary<Fuzzed> {
  return fc.tuple(...flaws, endpoint, order, letterCase, accept).map((states) => {
    const changed = states.filter((state) => state !== valid)
    return {
      ...byOracle(
        changed.length === 0 ? 'nothing wrong' : changed.map(({ says }) => says).join('; '),
        inTurn(...changed.map(({ change }) => change)),
      ),
      transportMayRefuse: changed.some(({ transportMayRefuse }) => transportMayRefuse === true),
    }
  })
}

/** Every fourth goes where no endpoint is: there, any flaw may be answered with 1010. */
const endpoint: Arbitrary<State> = fc
  .tuple(fc.nat(3), unknownSegments)
  .map(([one, segment]) =>
    one === 3 ? { says: 'to the unknown path /api/zz…', change: to(`/api/${segment}`) } : valid,
  )

const order = drawnFrom([
  valid,
  ...(
    [
      ['x-secret-key', 'x-api-key', 'x-version'],
      ['x-api-key', 'x-version', 'x-secret-key'],
      ['x-secret-key', 'x-version', 'x-api-key'],
      ['x-version', 'x-api-key', 'x-secret-key'],
      ['x-version', 'x-secret-key', 'x-api-key'],
    ] as const
  ).map((names) => ({ says: `in the order ${names.join(', ')}`, change: ordered(names) })),
])

const letterCase = drawnFrom([
  valid,
  { says: 'names in upper case', change: renaming((name) => name.toUpperCase()) },
  { says: 'names in title case', change: renaming(inTitleCase) },
])

const accept = drawnFrom([valid, { says: 'no accept', change: without('accept') }])

function inTitleCase(name: string): string {
  return name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('-')
}
