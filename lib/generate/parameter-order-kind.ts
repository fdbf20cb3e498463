import fc from 'fast-check'
import type { Fuzzed, Kind, Material } from './fuzzed.ts'
import { byOracle, equivalent } from './listed.ts'
import { unchanged, withQuery, withQueryFrom } from './request-changes.ts'

/**
 * Distinct flat parameters in another order, which must have the same outcome: those of the endpoint's own query, where it
 * has two of them, and undocumented ones.
 */
export function parameterOrder({ query }: Material): Kind {
  const flat = flatParameters(query ?? '')
  return equivalent(
    { name: 'parameter-order', weight: 1, gate: true, requests: 2 },
    flat.length < 2 ? [invented] : [fc.constant(ownTurned(flat)), invented],
  )
}

function ownTurned(flat: readonly string[]): Fuzzed {
  return {
    ...byOracle(
      `the parameters ${flat.map(nameOf).join(', ')} in the opposite order`,
      withQueryFrom((query) => turned(query ?? '', flat)),
    ),
    sameAs: unchanged,
  }
}

/** The query with these of its parameters in the opposite order, in the places that they have together. */
function turned(query: string, flat: readonly string[]): string {
  const opposite = flat.toReversed()
  return query
    .split('&')
    .map((parameter) => opposite[flat.indexOf(parameter)] ?? parameter)
    .join('&')
}

/** The parameters whose order cannot matter: with a plain name that no other one has. */
function flatParameters(query: string): readonly string[] {
  const parameters = query.split('&')
  const names = parameters.map((parameter) => nameOf(parameter).toLowerCase())
  return parameters.filter((_, index) => {
    const name = names[index] ?? ''
    return /^[a-z0-9_-]+$/.test(name) && names.indexOf(name) === names.lastIndexOf(name)
  })
}

function nameOf(parameter: string): string {
  return parameter.split('=')[0] ?? ''
}

const mostInvented = 4

/** Undocumented parameters, two at least. */
const invented = fc
  .array(fc.nat(999), { minLength: 2, maxLength: mostInvented, size: 'max' })
  .map((values): Fuzzed => {
    const parameters = values.map((value, index) => `zz${'abcd'[index]}=${value}`)
    const opposite = parameters.toReversed()
    return {
      ...byOracle(
        `${parameters.length} undocumented parameters in the opposite order, ${opposite.join('&')}`,
        withQuery(opposite.join('&')),
      ),
      sameAs: withQuery(parameters.join('&')),
    }
  })
