import fc, { type Arbitrary } from 'fast-check'
import { someOf, unknownSegments } from './arbitraries.ts'
import {
  byTransport,
  caseOfEach,
  caseClass,
  judged,
  mayBan,
  observedOnly,
  onlyObserved,
  type CaseClass,
  type GeneratorInput,
  type MutatedRequest,
} from './case-class.ts'
import { fromStrangers } from './header-lines.ts'
import { splice } from './mutated-value.ts'
import { otherCase } from './near-misses.ts'
import { percentEncoded } from './queries.ts'
import { to, withPath } from './request-changes.ts'

/** Cases for `fuzz/path`: paths that no service has, and near misses of the known path. */
export function pathClasses({ path }: GeneratorInput): readonly CaseClass[] {
  const near = nearPaths(path)
  const doubled = doubledSlash(path)
  const nearMiss = ({ path: nearPath, how }: NearPath): MutatedRequest =>
    judged(`the path ${how}`, withPath(nearPath), { mayRedirect: true })

  return [
    ...unknownPathClasses,
    caseClass('near-path', 5, near.filter(({ isFolder }) => isFolder !== true).map(nearMiss)),
    caseOfEach('near-path-of-strangers', 4, [...near.slice(0, 1), doubled, ...near.slice(1)], (one) =>
      fromStrangers(nearMiss(one)),
    ),
    caseClass('doubled-slash', { weight: 1, because: onlyObserved }, [
      observedOnly('near paths', `the path ${doubled.how}`, withPath(doubled.path)),
    ]),
  ]
}

/** Maximum length of a segment that all servers accept. Some firewalls even refuse paths of 1,024 bytes. */
const longestSegment = 255

/** Paths under a random first segment, where the endpoint cannot exist. */
function below(rests: Arbitrary<string> | string, traits = {}): Arbitrary<MutatedRequest> {
  const drawn = typeof rests === 'string' ? fc.constant(rests) : rests
  return fc.tuple(unknownSegments, drawn).map(([segment, rest]) => {
    const length = rest.length - 1
    const shown = length < longestSegment ? rest : `/ and a segment of ${length} characters`
    const mayBeRefused = { transportMayRefuse: length > longestSegment }
    return judged(`the unknown path /api/zz…${shown}`, to(`/api/${segment}${rest}`), {
      ...mayBeRefused,
      ...traits,
    })
  })
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

const unknownPathClasses: readonly CaseClass[] = [
  caseClass('unknown-path', { weight: 2, because: 'versioning/unknown-endpoint asks for such a path' }, [
    below(''),
  ]),
  caseClass('unknown-path-with-segments', 2, [below(someSegments)]),
  caseOfEach('unknown-path-with-suffix', 2, ['.json', '.html', '.xml', '.txt', '.csv', '.pdf'], (suffix) =>
    below(`/list${suffix}`),
  ),
  caseClass('unknown-path-in-utf-8', 2, [below(someUtf8)]),
  caseOfEach(
    'unknown-path-with-query',
    { always: 1, because: 'one case shows whether queries of unknown paths are read' },
    ['?a=1', '?', '?limit=abc', '?a=1&a=2', '?q=%22'],
    (query) => below(query),
  ),
  caseOfEach(
    'unknown-path-with-quote',
    { always: 1, because: 'one case shows whether an error repeats the path unescaped' },
    ['/a%22b', '/%22', '/a%20b'],
    (rest) => below(rest),
  ),
  caseOfEach(
    'unknown-path-with-backslash',
    { because: 'some servers read it as a slash, or refuse it' },
    ['/a%5cb', '/%5c'],
    (rest) => below(rest, byTransport),
  ),
  caseOfEach('unknown-path-long', { weight: 1, because: mayBan }, [256, 1_500, 255, 1_000], (length) =>
    below(`/${'a'.repeat(length)}`),
  ),
  caseOfEach('unknown-path-with-broken-encoding', { weight: 3, because: mayBan }, brokenEncodings, (broken) =>
    below(`/${broken}`, byTransport),
  ),
]

/** A path that nearly matches a known one, with its description. */
interface NearPath {
  readonly path: string
  /** Continues "the path": `with a slash at its end`. */
  readonly how: string
  /** Whether it is the folder of the known path, which gateways redirect to the same path with a slash. */
  readonly isFolder?: true
}

/** Near misses under `/api/`, most useful first, then each letter changed. Never uses dot segments, hidden files or program extensions. */
export function nearPaths(path: string): readonly NearPath[] {
  const root = rootOf(path)
  const seen = new Set([path, root])
  return [...byForm(path), ...byLetter(path)].filter((near) => {
    const isNew = !seen.has(near.path)
    seen.add(near.path)
    return isNew && near.path.startsWith(root) && !refusedByItself.test(near.path)
  })
}

/** Doubles the slash before the last segment, which many gateways refuse. */
export function doubledSlash(path: string): NearPath {
  const { before, last } = split(path)
  return { path: `${before}//${last}`, how: 'with the slash before its last segment doubled' }
}

/** Paths that gateways and frameworks refuse themselves, including half a percent-encoding. */
const refusedByItself =
  /\/\/|\/\.|\.\.|~|;|\\|%2f|%5c|%00|%(?![0-9a-f]{2})|\.(?:php|git|env|asp|jsp|cgi|bak|sql)/i

function byForm(path: string): readonly NearPath[] {
  const { before, last } = split(path)
  const root = rootOf(path)
  // An unreserved character has the same meaning when percent-encoded (RFC 3986, 6.2.2.2).
  const encodedEnd = last.replace(/[a-z]$/i, (end) => `%${end.charCodeAt(0).toString(16).toUpperCase()}`)
  return [
    { path: `${path}/`, how: 'with a slash at its end' },
    { path: `${before}/${last.toUpperCase()}`, how: 'with its last segment in upper case' },
    { path: path.slice(0, -1), how: 'without its last character' },
    { path: `${path}.json`, how: 'with .json at its end' },
    { path: `${path}/1`, how: 'with a further segment 1' },
    { path: `${before}/${encodedEnd}`, how: 'with its last letter percent-encoded' },
    { path: root + path.slice(root.length).toUpperCase(), how: 'in upper case' },
    { path: before, how: 'without its last segment', isFolder: true },
    { path: `${path}/${last}`, how: 'with its last segment twice' },
    { path: `${path}.html`, how: 'with .html at its end' },
    { path: `${path}s`, how: 'with an s at its end' },
  ]
}

function byLetter(path: string): readonly NearPath[] {
  return letterPositions(path).flatMap((at) => {
    const letter = path.charAt(at)
    const instead = (text: string): string => splice(path, at, at + 1, text)
    const place = `its character ${at + 1}`
    return [
      { path: instead(letter.toLowerCase() === 'x' ? 'k' : 'x'), how: `with ${place} changed` },
      { path: instead(''), how: `without ${place}` },
      { path: instead(letter + letter), how: `with ${place} doubled` },
      { path: instead(otherCase(letter)), how: `with ${place} in the other case` },
    ]
  })
}

/** The positions of letters below the root and outside percent-encodings. */
function letterPositions(path: string): readonly number[] {
  const root = rootOf(path).length
  const plain = path.replaceAll(/%[0-9a-f]{2}/gi, '%%%')
  return Array.from(plain, (_, at) => at).filter((at) => at >= root && /[a-z]/i.test(plain.charAt(at)))
}

function rootOf(path: string): string {
  return path.startsWith('/api/') ? '/api/' : '/'
}

function split(path: string): { readonly before: string; readonly last: string } {
  const at = path.lastIndexOf('/')
  return { before: path.slice(0, at), last: path.slice(at + 1) }
}
