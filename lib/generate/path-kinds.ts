import fc, { type Arbitrary } from 'fast-check'
import type { Fuzzed, Kind, Material } from './fuzzed.ts'
import { byOracle, drawnAnew, listed, observed } from './listed.ts'
import { doubledSlash, nearPaths, type NearPath } from './near-paths.ts'
import { percentEncoded } from './percent-encoding.ts'
import { to, withPath } from './request-changes.ts'
import { someOf } from './some-of.ts'
import { fromStrangers } from './strangers.ts'
import { unknownSegments } from './unknown-segments.ts'
import { kindOf } from './value-kinds.ts'

/** What `fuzz/path` asks for: paths that no service has, and near misses of the one that is known. */
export function pathKinds({ path }: Material): readonly Kind[] {
  const near = nearPaths(path)
  const doubled = doubledSlash(path)

  return [
    unknownPath,
    unknownSegmentsBehind,
    unknownSuffix,
    unknownUtf8,
    unknownWithQuery,
    unknownWithQuote,
    unknownWithBackslash,
    unknownLong,
    brokenEncoding,
    ...kindOf(
      { name: 'near-path', weight: 5, gate: true },
      near.filter(({ isFolder }) => isFolder !== true).map((one) => fc.constant(nearMiss(one))),
    ),
    listed(
      { name: 'near-path-of-strangers', weight: 4, gate: true },
      [...near.slice(0, 1), doubled, ...near.slice(1)].map((one) => fromStrangers(nearMiss(one))),
    ),
    listed({ name: 'doubled-slash', weight: 1, gate: false }, [
      fc.constant(observed('near paths', `the path ${doubled.how}`, withPath(doubled.path))),
    ]),
  ]
}

function nearMiss({ path, how }: NearPath): Fuzzed {
  return { ...byOracle(`the path ${how}`, withPath(path)), mayRedirect: true }
}

/** Paths below a random first segment: the endpoint does not exist, whatever stands behind it. */
function below(
  rests: Arbitrary<string>,
  shown: (rest: string) => string = (rest) => rest,
): Arbitrary<Fuzzed> {
  return fc
    .tuple(unknownSegments, rests)
    .map(([segment, rest]) =>
      byOracle(`the unknown path /api/zz…${shown(rest)}`, to(`/api/${segment}${rest}`)),
    )
}

const unknownPath = drawnAnew({ name: 'unknown-path', weight: 3, gate: true }, below(fc.constant('')))

const unknownSegmentsBehind = drawnAnew(
  { name: 'unknown-path-with-segments', weight: 3, gate: true },
  below(
    // No slash at the end: gateways and frameworks redirect it away, whatever stands before it.
    someOf(fc.constantFrom('list', 'customizations', '1', '0', 'v1', 'a-b_c', '9f8e7d'), 6).map(
      (segments) => `/${segments.join('/')}`,
    ),
  ),
)

const unknownSuffix = listed(
  { name: 'unknown-path-with-suffix', weight: 2, gate: true },
  ['.json', '.html', '.xml', '.txt', '.csv', '.pdf'].map((suffix) => below(fc.constant(`/list${suffix}`))),
)

const unknownUtf8 = drawnAnew(
  { name: 'unknown-path-in-utf-8', weight: 2, gate: true },
  below(
    someOf(fc.constantFrom('é', 'e\u0301', 'ß', 'Ω', 'ж', 'ع', 'ह', '你', '한', '🎨'), 8).map(
      (characters) => `/${percentEncoded(characters.join(''))}`,
    ),
  ),
)

const unknownWithQuery = listed(
  { name: 'unknown-path-with-query', weight: 0, gate: true, always: 1 },
  ['?a=1', '?', '?limit=abc', '?a=1&a=2', '?q=%22'].map((query) => below(fc.constant(query))),
)

const unknownWithQuote = listed(
  { name: 'unknown-path-with-quote', weight: 0, gate: true, always: 1 },
  ['/a%22b', '/%22', '/a%20b'].map((rest) => below(fc.constant(rest))),
)

/** Some servers take it for a slash, or refuse it. */
const unknownWithBackslash = listed(
  { name: 'unknown-path-with-backslash', weight: 0, gate: false, always: 0 },
  ['/a%5cb', '/%5c'].map((rest) =>
    below(fc.constant(rest)).map((fuzzed) => ({ ...fuzzed, transportMayRefuse: true })),
  ),
)

/** Some servers take segments of 260 characters and no longer ones, some firewalls paths of 1,024 bytes. */
const longestSegment = 255

const unknownLong = listed(
  { name: 'unknown-path-long', weight: 1, gate: false },
  [256, 1_500, 255, 1_000].map((length) =>
    below(fc.constant(`/${'a'.repeat(length)}`), () => `/ and a segment of ${length} characters`).map(
      (fuzzed) => ({ ...fuzzed, transportMayRefuse: length > longestSegment }),
    ),
  ),
)

/** No bytes of UTF-8, or no percent-encoding at all; none of them stands for a separator or a dot. */
const brokenEncoding = listed(
  { name: 'unknown-path-with-broken-encoding', weight: 3, gate: false },
  [
    '%ff',
    '%',
    '%zz',
    '%80',
    '%c3',
    '%4',
    '%ed%a0%80',
    '%e2%82',
    '%c1%81',
    '%f4%90%80%80',
    '%u0041',
    'a%',
  ].map((broken) =>
    below(fc.constant(`/${broken}`)).map((fuzzed) => ({ ...fuzzed, transportMayRefuse: true })),
  ),
)
