import fc from 'fast-check'
import type { Fuzzed, Kind, Material } from './fuzzed.ts'
import { likelyName, numbers, oddNames, tellingNumbers, texts } from './likely-parameters.ts'
import { byOracle, drawnAnew, listed, observed } from './listed.ts'
import { percentEncoded } from './percent-encoding.ts'
import { transportQueryKinds } from './transport-query-kinds.ts'
import { withQuery } from './request-changes.ts'
import { someOf } from './some-of.ts'
import { startingAt } from './starting-at.ts'

/** What `fuzz/query` adds to the query: undocumented parameters, which are valid or refused as invalid input. */
export function queryKinds({ query }: Material): readonly Kind[] {
  return [
    oddQueries,
    numberValues,
    textValues,
    parameterNames,
    randomParameters,
    repeatedParameter(query),
    manyParameters,
    otherFormats,
    ...transportQueryKinds,
  ]
}

type Parameter = readonly [name: string, value: string]

function written(...parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).join('&')
}

function adding(says: string, ...parameters: readonly Parameter[]): Fuzzed {
  return byOracle(says, withQuery(written(...parameters)))
}

/** Queries that no form sends and every server takes; most telling first. None is known to be invalid. */
const oddQueries = listed({ name: 'odd-queries', weight: 0, gate: true, always: 3 }, [
  ...[
    { says: 'a parameter without =', query: 'zzflag' },
    { says: 'limit in brackets', query: 'limit%5B%5D=1' },
    { says: 'two ampersands', query: '&&' },
    { says: 'limit=0', query: 'limit=0' },
    { says: 'a bare question mark', query: '' },
    { says: 'a parameter twice, 1 and 2', query: 'a=1&a=2' },
    { says: 'only an equals sign', query: '=' },
    { says: 'a value without a name', query: '=1' },
    { says: 'an ampersand at the end', query: 'zz=1&' },
    { says: 'a second question mark', query: 'zz=1?zz=2' },
    { says: 'brackets without a name', query: '%5B%5D=1' },
    { says: 'page with a part in brackets', query: 'page%5Bsize%5D=2' },
    { says: 'a parameter in brackets', query: 'filter%5Bzz%5D=1' },
    { says: 'nested brackets', query: 'a%5Bb%5D%5Bc%5D=1' },
    { says: 'a bracket that is not closed', query: 'a%5Bb=1' },
  ].map(({ says, query }) => fc.constant(byOracle(`the query ${says}`, withQuery(query)))),
  likelyName.map((name) => byOracle(`${name} without =`, withQuery(name))),
])

/** Parameters that choose another format or wrap the answer: what they do is not shown. */
const otherFormats = listed(
  { name: 'other-formats', weight: 0, gate: false, always: 0 },
  ['callback=zz', 'format=xml', 'format=csv', 'jsonp=zz', 'pretty=true'].map((query) =>
    fc.constant(observed('other formats', query, withQuery(query))),
  ),
)

const numberValues = listed({ name: 'number-values', weight: 4, gate: true }, [
  ...tellingNumbers.map(({ name, value }) => fc.constant(adding(`${name}=${value}`, [name, value]))),
  ...numbers.map((value) => likelyName.map((name) => adding(`${name}=${value}`, [name, value]))),
])

const textValues = listed(
  { name: 'text-values', weight: 3, gate: true },
  texts.map(({ text, says }) => likelyName.map((name) => adding(`${name} with ${says}`, [name, text]))),
)

const parameterNames = listed(
  { name: 'parameter-names', weight: 4, gate: true },
  oddNames.map(({ text, says, transportMayRefuse = false }) =>
    fc.constant({ ...adding(`a parameter with the name ${says}`, [text, '1']), transportMayRefuse }),
  ),
)

/** Signs, a space, and letters of other alphabets; the simplest first. */
const odd = [
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).filter(
    (character) => !/[\w]/.test(character),
  ),
  ...'\u00E9\u00DF\u03A9\u0436\u0639\u4F60\uD55C\u{1F3A8}\u0301\u200B',
]
const plain = fc.string({ unit: fc.constantFrom(...'a1bZ'), maxLength: 8, size: 'max' })
/** Only one sign in a text: two of them may happen to mean something to a firewall, or to a shell. */
const text = fc
  .tuple(plain, fc.constantFrom('', ...odd), plain)
  .map(([before, character, behind]) => before + character + behind)
const randomParameter = fc.tuple(text, text)

/** Longer queries are not said. */
const sayable = 120

const randomParameters = drawnAnew(
  { name: 'random-parameters', weight: 3, gate: true },
  someOf(randomParameter, 3).map((parameters) => {
    const query = written(...parameters)
    const said = query.length > sayable ? `${parameters.length} random parameters` : `the parameters ${query}`
    return byOracle(said, withQuery(query))
  }),
)

function repeatedParameter(query: string | null): Kind {
  const own = /^[\w-]+=[^&]*/.exec(query ?? '')?.[0]
  const ownName = own?.split('=')[0]
  const repeated = [
    likelyName.map((name) => adding(`${name} twice, 1 and 2`, [name, '1'], [name, '2'])),
    likelyName.map((name) => adding(`${name} twice, 1 both times`, [name, '1'], [name, '1'])),
    likelyName.map((name) => adding(`${name} twice, 1 and nothing`, [name, '1'], [name, ''])),
    likelyName.map((name) => adding(`${name} three times`, [name, '1'], [name, 'a'], [name, '1'])),
  ]
  const repeatedOwn =
    own === undefined
      ? []
      : [
          fc.constant(
            byOracle(`the parameter ${ownName} again, with another value`, withQuery(`${ownName}=zz`)),
          ),
          fc.constant(byOracle(`the parameter ${ownName} again, with the same value`, withQuery(own))),
        ]
  return listed({ name: 'repeated-parameter', weight: 2, gate: true }, [...repeatedOwn, ...repeated])
}

const mostParameters = 50

const manyParameters = drawnAnew(
  { name: 'many-parameters', weight: 1, gate: true },
  startingAt(mostParameters, fc.integer({ min: 1, max: mostParameters })).map((count) =>
    adding(
      `${count} parameters`,
      ...Array.from({ length: count }, (_, index): Parameter => [`zz${index}`, String(index)]),
    ),
  ),
)
