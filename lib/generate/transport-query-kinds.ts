import fc from 'fast-check'
import type { Fuzzed, Kind } from './fuzzed.ts'
import { likelyName } from './likely-parameters.ts'
import { byOracle, listed } from './listed.ts'
import { percentEncoded } from './percent-encoding.ts'
import { withQuery } from './request-changes.ts'

/** Percent-encodings that servers refuse to decode, or decode once more than they should. */
const encodings = [
  '%00',
  '%ff',
  '%2527',
  '%zz',
  '%',
  '%0a',
  '%2525',
  '%c3',
  '%4',
  '%0d',
  '%ed%a0%80',
  '%c1%81',
  '%2500',
  '%u0041',
]

/** Reserved and excluded characters as they are, but for `#`, which begins no part of a request line. */
const rawCharacters = [...'[]{}|\\^`"<>\';:@,$()*!/?=&+']

const rawEncoding: Kind = listed(
  { name: 'raw-encoding', weight: 3, gate: true },
  [...encodings, ...rawCharacters.map((character) => `a${character}b`)].map((value) =>
    likelyName.map((name) => mayBeRefused(`${name}=${value} as it is`, `${name}=${value}`)),
  ),
)

/**
 * Strings that show whether values are taken for code: probes, which would change, delete, run and call nothing where they
 * work.
 */
const injections = [
  "' OR '1'='1",
  '{"$ne":null}',
  '${7*7}',
  '{{7*7}}',
  '../../../..',
  '*)(uid=*',
  'a\r\nb',
  '<b>a</b>',
  '" OR ""="',
  '#{7*7}',
  '<%= 7*7 %>',
  `"'><i>a</i>`,
  "1' AND '1'='2",
]

const injectionStrings: Kind = listed({ name: 'injection-strings', weight: 4, gate: false }, [
  ...injections.map((value) =>
    likelyName.map((name) =>
      mayBeRefused(`${name} with ${JSON.stringify(value)}`, `${name}=${percentEncoded(value)}`),
    ),
  ),
  likelyName.map((name) => mayBeRefused(`${name}[$ne]=1`, `${percentEncoded(`${name}[$ne]`)}=1`)),
])

/** How long an oversized query is, in bytes. */
const oversized = 6 * 1_024

const largeQuery: Kind = listed(
  { name: 'large-query', weight: 1, gate: false },
  [
    { says: 'a query of 6 KiB in one parameter', query: `zz=${'a'.repeat(oversized - 3)}` },
    { says: 'a query of 6 KiB in 768 parameters', query: numbered(oversized / 8) },
  ].map(({ says, query }) => fc.constant({ ...mayBeRefused(says, query), toUnknownPath: true })),
)

/** What the transport, a gateway or a firewall may refuse by itself; `large-query` goes where no cache can keep that. */
export const transportQueryKinds: readonly Kind[] = [rawEncoding, injectionStrings, largeQuery]

/** So many parameters, each of eight characters with the `&` behind it. */
function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `zz${String(1_000 + index).slice(1)}=1`).join('&')
}

function mayBeRefused(says: string, query: string): Fuzzed {
  return { ...byOracle(says, withQuery(query)), transportMayRefuse: true }
}
