import fc, { type Arbitrary } from 'fast-check'
import { someOf, unknownSegments } from './arbitraries.ts'
import {
  byTransport,
  judged,
  observed,
  type GeneratorInput,
  type MutatedRequest,
  type NamedChange,
} from './case-class.ts'
import { fromStrangers } from './header-lines.ts'
import { splice } from './mutated-value.ts'
import { otherCase } from './near-misses.ts'
import { percentEncoded } from './queries.ts'
import { to, withPath } from './request-changes.ts'

/** Cases for `fuzz/path`: paths that no service has, and near misses of the known path. */
export function pathRows({ path }: GeneratorInput) {
  const changed = ([how, near]: NearPath): NamedChange => [`the path ${how}`, withPath(near)]
  const nearMiss = (near: NearPath): MutatedRequest => judged(...changed(near), { mayRedirect: true })
  const near = nearPaths(path)
  const doubled = doubledSlash(path)
  return {
    ...unknownPaths,
    'near-path': near.filter(([how]) => how !== asFolder).map(nearMiss),
    'near-path-of-strangers': [...near.slice(0, 1), doubled, ...near.slice(1)].map((one) =>
      fromStrangers(nearMiss(one)),
    ),
    'doubled-slash': observed('near paths', [changed(doubled)]),
  }
}

/** Paths under a random first segment, where the endpoint cannot exist. */
function below(rests: Arbitrary<string> | string, traits = {}, shown?: string): Arbitrary<MutatedRequest> {
  const drawn = typeof rests === 'string' ? fc.constant(rests) : rests
  return fc
    .tuple(unknownSegments, drawn)
    .map(([segment, rest]) =>
      judged(`the unknown path /api/zz…${shown ?? rest}`, to(`/api/${segment}${rest}`), traits),
    )
}

const someSegments = someOf(
  fc.constantFrom('list', 'customizations', '1', '0', 'v1', 'a-b_c', '9f8e7d'),
  6,
  // No slash at the end, because gateways and frameworks remove it by a redirect.
).map((segments) => `/${segments.join('/')}`)

const someUtf8 = someOf(fc.constantFrom('é', 'e\u0301', 'ß', 'Ω', 'ж', 'ع', 'ह', '你', '한', '🎨'), 8).map(
  (characters) => `/${percentEncoded(characters.join(''))}`,
)

/** Invalid UTF-8 or percent-encodings, but never of a separator or a dot. */
const brokenEncodings = '%ff % %zz %80 %c3 %4 %ed%a0%80 %e2%82 %c1%81 %f4%90%80%80 %u0041 a%'.split(' ')

/** Maximum length of a segment that all servers accept. Some firewalls even refuse paths of 1,024 bytes. */
const longestSegment = 255

const unknownPaths = {
  'unknown-path': [below('')],
  'unknown-path-with-segments': [below(someSegments)],
  'unknown-path-with-suffix': ['json', 'html', 'xml', 'txt', 'csv', 'pdf'].map((end) =>
    below(`/list.${end}`),
  ),
  'unknown-path-in-utf-8': [below(someUtf8)],
  'unknown-path-with-query': ['?a=1', '?', '?limit=abc', '?a=1&a=2', '?q=%22'].map((query) => below(query)),
  'unknown-path-with-quote': ['/a%22b', '/%22', '/a%20b'].map((rest) => below(rest)),
  'unknown-path-with-backslash': ['/a%5cb', '/%5c'].map((rest) => below(rest, byTransport)),
  'unknown-path-long': [256, 1_500, longestSegment, 1_000].map((length) => {
    const shown = `/ and a segment of ${length} characters`
    return below(`/${'a'.repeat(length)}`, { transportMayRefuse: length > longestSegment }, shown)
  }),
  'unknown-path-with-broken-encoding': brokenEncodings.map((broken) => below(`/${broken}`, byTransport)),
}

/** A path that nearly matches a known one. The description continues "the path": `with a slash at its end`. */
type NearPath = readonly [how: string, path: string]

/** Near misses under `/api/`, most useful first, then each letter changed. Never uses dot segments, hidden files or program extensions. */
export function nearPaths(path: string): readonly NearPath[] {
  const root = rootOf(path)
  const seen = new Set([path, root])
  return [...byForm(path), ...byLetter(path)].filter(([, near]) => {
    const isNew = !seen.has(near)
    seen.add(near)
    return isNew && near.startsWith(root) && !refusedByItself.test(near)
  })
}

/** Doubles the slash before the last segment, which many gateways refuse. */
export function doubledSlash(path: string): NearPath {
  const { before, last } = split(path)
  return ['with the slash before its last segment doubled', `${before}//${last}`]
}

/** Paths that gateways and frameworks refuse themselves, including half a percent-encoding. */
const refusedByItself =
  /\/\/|\/\.|\.\.|~|;|\\|%2f|%5c|%00|%(?![0-9a-f]{2})|\.(?:php|git|env|asp|jsp|cgi|bak|sql)/i

/** The folder of the known path, which gateways redirect to the same path with a slash. */
const asFolder = 'without its last segment'

function byForm(path: string): readonly NearPath[] {
  const { before, last } = split(path)
  const root = rootOf(path)
  // An unreserved character has the same meaning when percent-encoded (RFC 3986, 6.2.2.2).
  const encodedEnd = last.replace(/[a-z]$/i, (end) => `%${end.charCodeAt(0).toString(16).toUpperCase()}`)
  return [
    ['with a slash at its end', `${path}/`],
    ['with its last segment in upper case', `${before}/${last.toUpperCase()}`],
    ['without its last character', path.slice(0, -1)],
    ['with .json at its end', `${path}.json`],
    ['with a further segment 1', `${path}/1`],
    ['with its last letter percent-encoded', `${before}/${encodedEnd}`],
    ['in upper case', root + path.slice(root.length).toUpperCase()],
    [asFolder, before],
    ['with its last segment twice', `${path}/${last}`],
    ['with .html at its end', `${path}.html`],
    ['with an s at its end', `${path}s`],
  ]
}

/** Changes to each letter below the root and outside percent-encodings. */
function byLetter(path: string): readonly NearPath[] {
  const root = rootOf(path).length
  const letters = path.replaceAll(/%[0-9a-f]{2}/gi, '%%%').matchAll(/[a-z]/gi)
  return [...letters]
    .filter(({ index }) => index >= root)
    .flatMap(({ 0: letter, index: at }): NearPath[] => {
      const instead = (text: string): string => splice(path, at, at + 1, text)
      const place = `its character ${at + 1}`
      return [
        [`with ${place} changed`, instead(letter.toLowerCase() === 'x' ? 'k' : 'x')],
        [`without ${place}`, instead('')],
        [`with ${place} doubled`, instead(letter + letter)],
        [`with ${place} in the other case`, instead(otherCase(letter))],
      ]
    })
}

function rootOf(path: string): string {
  return path.startsWith('/api/') ? '/api/' : '/'
}

function split(path: string): { readonly before: string; readonly last: string } {
  const at = path.lastIndexOf('/')
  return { before: path.slice(0, at), last: path.slice(at + 1) }
}
