import fc, { type Arbitrary } from 'fast-check'
import { someOf, startingAt, unknownSegments } from './arbitraries.ts'
import {
  nowhere,
  byTransport,
  caseClass,
  judged,
  mayBan,
  observedClass,
  type GeneratorInput,
  type MutatedRequest,
  type NamedChange,
} from './case-class.ts'
import { fromStrangers } from './header-lines.ts'
import { otherCase, splice } from './mutated-value.ts'
import { to, withPath, withQuery } from './request-changes.ts'

/** Percent-encodes UTF-8, except for letters, digits, `-`, `.`, `_` and `~` (RFC 3986, 2.3). Throws a URIError for a lone surrogate. */
export function percentEncoded(text: string) {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, inPercent)
}

function inPercent(character: string) {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** Classes for `fuzz/path`: paths that no service has, and near misses of the known path. */
export function pathClasses({ path }: GeneratorInput) {
  const changed = ([how, near]: NearPath): NamedChange => [`the path ${how}`, withPath(near)]
  const nearMiss = (near: NearPath) => judged(...changed(near), { mayRedirect: true })
  const near = nearPaths(path)
  // Many gateways refuse it.
  const doubled = [
    'with the slash before its last segment doubled',
    path.replace(/(?=\/[^/]*$)/, '/'),
  ] as const
  const all = [...near.slice(0, 1), doubled, ...near.slice(1)]
  const ofStrangers = all.map((one) => fromStrangers(nearMiss(one)))
  return [
    ...unknownPaths,
    caseClass('near-path', 5, near.filter(([how]) => how !== asFolder).map(nearMiss)),
    caseClass('near-path-of-strangers', 4, ofStrangers),
    observedClass('doubled-slash', { weight: 1 }, [changed(doubled)], { id: 'near paths' }),
  ]
}

/** Paths under a random first segment, where the endpoint cannot exist. */
function below(rests: readonly (Arbitrary<string> | string)[], traits = {}, shown?: string) {
  const changed = ([segment, rest]: readonly string[]) =>
    judged(`the unknown path /api/zz…${shown ?? rest}`, to(`/api/${segment}${rest}`), traits)
  return rests.map((rest) =>
    fc.tuple(unknownSegments, typeof rest === 'string' ? fc.constant(rest) : rest).map(changed),
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

/** Maximum length of a segment that all servers accept. Some firewalls even refuse paths of 1,024 bytes. */
const longestSegment = 255

const withSuffix = below(['json', 'html', 'xml', 'txt', 'csv', 'pdf'].map((end) => `/list.${end}`))
const queried = below(['?a=1', '?', '?limit=abc', '?a=1&a=2', '?q=%22'])
const withQuote = below(['/a%22b', '/%22', '/a%20b'])
const withBackslash = below(['/a%5cb', '/%5c'], byTransport)
const long = [256, 1_500, longestSegment, 1_000].flatMap((length) => {
  const shown = `/ and a segment of ${length} characters`
  return below([`/${'a'.repeat(length)}`], { transportMayRefuse: length > longestSegment }, shown)
})
/** Invalid UTF-8 or percent-encodings, but never of a separator or a dot. */
const broken = '%ff % %zz %80 %c3 %4 %ed%a0%80 %e2%82 %c1%81 %f4%90%80%80 %u0041 a%'.split(' ')
const brokenEncodings = below(
  broken.map((one) => `/${one}`),
  byTransport,
)

const unknownPaths = [
  caseClass('unknown-path', { weight: 2, because: 'versioning/unknown-endpoint sends one' }, below([''])),
  caseClass('unknown-path-with-segments', 2, below([someSegments])),
  caseClass('unknown-path-with-suffix', 2, withSuffix),
  caseClass('unknown-path-in-utf-8', 2, below([someUtf8])),
  caseClass('unknown-path-with-query', { always: 1, because: 'one shows whether they are read' }, queried),
  caseClass('unknown-path-with-quote', { always: 1, because: 'one shows if errors repeat it' }, withQuote),
  caseClass('unknown-path-with-backslash', { because: 'some servers read it as a slash' }, withBackslash),
  caseClass('unknown-path-long', { weight: 1, because: mayBan }, long),
  caseClass('unknown-path-with-broken-encoding', { weight: 3, because: mayBan }, brokenEncodings),
]

/** A path that nearly matches a known one. The description continues "the path": `with a slash at its end`. */
type NearPath = readonly [how: string, path: string]

/** The folder of the known path, which gateways redirect to the same path with a slash. */
const asFolder = 'without its last segment'

/** Paths that gateways and frameworks refuse themselves, including half a percent-encoding. */
const refusedByItself =
  /\/\/|\/\.|\.\.|~|;|\\|%2f|%5c|%00|%(?![0-9a-f]{2})|\.(?:php|git|env|asp|jsp|cgi|bak|sql)/i

/** Near misses under `/api/`, most useful first, then each letter changed. Never uses dot segments, hidden files or program extensions. */
export function nearPaths(path: string): readonly NearPath[] {
  const root = path.startsWith('/api/') ? '/api/' : '/'
  const before = path.slice(0, path.lastIndexOf('/'))
  const last = path.slice(before.length + 1)
  // An unreserved character has the same meaning when percent-encoded (RFC 3986, 6.2.2.2).
  const encodedEnd = last.replace(/[a-z]$/i, inPercent)
  const letters = [...path.replaceAll(/%[0-9a-f]{2}/gi, '%%%').matchAll(/[a-z]/gi)]
  const all: readonly NearPath[] = [
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
    ...letters.flatMap(({ 0: letter, index: at }): NearPath[] => {
      const instead = (text: string) => splice(path, at, at + 1, text)
      const place = `its character ${at + 1}`
      return [
        [`with ${place} changed`, instead(letter.toLowerCase() === 'x' ? 'k' : 'x')],
        [`without ${place}`, instead('')],
        [`with ${place} doubled`, instead(letter + letter)],
        [`with ${place} in the other case`, instead(otherCase(letter))],
      ]
    }),
  ]
  const seen = new Set([path, root])
  return all.filter(([, near]) => {
    const isNew = seen.size < seen.add(near).size
    return isNew && near.startsWith(root) && !refusedByItself.test(near)
  })
}

/** Classes for `fuzz/query`: undocumented parameters, which are either valid or refused as invalid input. */
export function queryClasses({ query }: GeneratorInput) {
  const [own = '', ownName] = /^([\w-]+)=[^&]*/.exec(query ?? '') ?? []
  const again = `the parameter ${ownName} again, with`
  const repeatedOwn = [
    judged(`${again} another value`, withQuery(`${ownName}=zz`)),
    judged(`${again} the same value`, withQuery(own)),
  ]
  const repeated = [...(ownName ? repeatedOwn : []), ...repeatedLikely]
  return [...parameterClasses, caseClass('repeated-parameter', 2, repeated), ...unusualQueryClasses]
}

/**
 * Common parameter names for list endpoints; they shrink to the first. Excludes names that choose a format or method, because
 * their effect is not shown.
 */
const likelyName = fc.constantFrom(
  ...'limit page offset size sort order filter q id search fields since'.split(' '),
)

/** Parameters with a likely name: what follows it in the description, and in the query each time. */
function likely(says: string, rests: readonly string[], traits = {}) {
  return likelyName.map((name) =>
    judged(name + says, withQuery(rests.map((rest) => name + rest).join('&')), traits),
  )
}

/** A value of a likely parameter, percent-encoded. */
const likelyValue = (says: string, value: string, traits = {}) =>
  likely(says, [`=${percentEncoded(value)}`], traits)

/** Limits of number types, and lookalikes, most useful first. Avoids the exact values that firewalls block (2147483647, 1e309, …). */
const numbers = [
  ...'2147483649 -1 9007199254740993 1e310 NaN 0 18446744073709551616 0x10 １２ 1_000 1'.split(' '),
  ...'2147483646 -2147483650 4294967297 9007199254740991 9223372036854775808'.split(' '),
  ...'1,000 1e3 1.5 -0 +1 01 Infinity \u0661\u0662'.split(' '),
]

/** Numbers for parameters used in counting and searching, most useful first. */
const tellingNumbers = [
  'limit=-1',
  'page=-1',
  'limit=9007199254740993',
  'offset=1e310',
  'page=0',
  'offset=-1',
  'limit=2147483649',
  'q=NaN',
]

const longText = 'a'.repeat(1_000)
/** Text that causes trouble in programs, most useful first. */
const texts = [
  "'",
  longText,
  '',
  ...'% 🎨 " \\ null [] {} é你\u0639 e\u0301 \u200B \uFEFF'.split(' '),
  ' ',
  ...'undefined true * & = + # ; , < |'.split(' '),
]

/** Descriptions of texts that would not be legible. */
const described: Readonly<Record<string, string>> = {
  [longText]: '1,000 characters',
  '': 'nothing',
  'e\u0301': 'e and U+0301',
  '\u200B': 'U+200B',
  '\uFEFF': 'U+FEFF',
  ' ': 'a space',
}

/** Parameter names that cause trouble in programs, most useful first. A firewall may refuse the first one. */
const oddNames = [
  '__proto__',
  '',
  ...'a[] constructor zzunknown a[b] a.b LIMIT Page toString hasOwnProperty a[0] []'.split(' '),
  'a b',
  ...'é $ SORT Filter Q ID'.split(' '),
]

/** Signs, a space, and letters from other alphabets, simplest first. */
const odd = [...' !"#$%&\'()*+,-./:;<=>?@[\\]^`{|}~', ...'éßΩж\u0639你한🎨\u0301\u200B']
const plain = fc.string({ unit: fc.constantFrom(...'a1bZ'), maxLength: 8, size: 'max' })
/** Text with only one special character, because two may mean something to a firewall or a shell. */
const oddText = fc
  .tuple(plain, fc.constantFrom('', ...odd), plain)
  .map((parts) => percentEncoded(parts.join('')))

/** Maximum length of a query that is described, in characters. */
const sayable = 120

/** Queries that no form sends but that servers accept, most useful first. They are not known to be invalid. */
const oddQueries: readonly (readonly [says: string, query: string, traits?: Partial<MutatedRequest>])[] = [
  ['a parameter without =', 'zzflag'],
  ['limit in brackets', 'limit%5B%5D=1'],
  ['two ampersands', '&&'],
  ['limit=0', 'limit=0'],
  ['a bare question mark', ''],
  ['a parameter twice, 1 and 2', 'a=1&a=2'],
  ['only an equals sign', '='],
  ['a value without a name', '=1'],
  ['an ampersand at the end', 'zz=1&'],
  // Some servers, such as cpp-httplib, refuse a line like this before any program sees it.
  ['a second question mark', 'zz=1?zz=2', byTransport],
  ['brackets without a name', '%5B%5D=1'],
  ['page with a part in brackets', 'page%5Bsize%5D=2'],
  ['a parameter in brackets', 'filter%5Bzz%5D=1'],
  ['nested brackets', 'a%5Bb%5D%5Bc%5D=1'],
  ['a bracket that is not closed', 'a%5Bb=1'],
]

const repeatedLikely = [
  likely(' twice, 1 and 2', ['=1', '=2']),
  likely(' twice, 1 both times', ['=1', '=1']),
  likely(' twice, 1 and nothing', ['=1', '=']),
  likely(' three times', ['=1', '=a', '=1']),
]

/** Invalid or double percent-encodings, and unencoded reserved and excluded characters, except `#`, which cannot be in a request line. */
const rawValues = [
  ...'%00 %ff %2527 %zz % %0a %2525 %c3 %4 %0d %ed%a0%80 %c1%81 %2500 %u0041'.split(' '),
  ...Array.from('[]{}|\\^`"<>\';:@,$()*!/?=&+', (character) => `a${character}b`),
]

/** Harmless probes that show whether values are run as code. They never change, delete, run or call anything. */
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

/** Parameters of eight characters each, including the `&`. */
const parametersOfEight = Array.from({ length: 768 }, (_, at) => `zz${String(1_000 + at).slice(1)}=1`)

const randomParameters = someOf(fc.tuple(oddText, oddText), 3).map((pairs) => {
  const query = pairs.map((pair) => pair.join('=')).join('&')
  const isLong = query.length > sayable
  return judged(isLong ? `${pairs.length} random parameters` : `the parameters ${query}`, withQuery(query))
})

const textValues = texts.map((text) => likelyValue(` with ${described[text] ?? text}`, text))
const parameterNames = oddNames.map((name, index) => {
  const change = withQuery(`${percentEncoded(name)}=1`)
  return judged(`a parameter with the name ${name || 'no name'}`, change, { transportMayRefuse: index === 0 })
})

const parameterClasses = [
  caseClass('odd-queries', { always: 3, because: 'the most telling' }, [
    ...oddQueries.map(([says, query, traits]) => judged(`the query ${says}`, withQuery(query), traits)),
    likely(' without =', ['']),
    judged('the query limit with a superscript digit', withQuery('limit=%C2%B2')),
  ]),
  caseClass('number-values', 5, [
    ...tellingNumbers.map((query) => judged(query, withQuery(query))),
    ...numbers.map((value) => likelyValue(`=${value}`, value)),
  ]),
  caseClass('text-values', 3, textValues),
  caseClass('parameter-names', 4, parameterNames),
  caseClass('random-parameters', 2, [randomParameters]),
]

const manyParameters = startingAt(() => 50, fc.integer({ min: 1, max: 50 })).map((count) => {
  const pairs = Array.from({ length: count }, (_, index) => `zz${index}=${index}`)
  return judged(`${count} parameters`, withQuery(pairs.join('&')))
})
/** Parameters that choose a different format or wrap the answer. Their effect is not shown. */
const otherFormats = ['callback=zz', 'format=xml', 'format=csv', 'jsonp=zz', 'pretty=true'].map(
  (one): NamedChange => [one, withQuery(one)],
)
const asTheyAre = rawValues.map((value) => likely(`=${value} as it is`, [`=${value}`], byTransport))

const unusualQueryClasses = [
  caseClass('many-parameters', 1, [manyParameters]),
  observedClass('other-formats', {}, otherFormats),
  caseClass('raw-encoding', 2, asTheyAre),
  caseClass('injection-strings', { weight: 4, because: mayBan }, [
    ...injections.map((value) => likelyValue(` with ${JSON.stringify(value)}`, value, byTransport)),
    likely('[$ne]=1', ['%5B%24ne%5D=1'], byTransport),
  ]),
  caseClass('large-query', { weight: 1, because: mayBan }, [
    judged('a query of 6 KiB in one parameter', withQuery(`zz=${'a'.repeat(6_141)}`), nowhere),
    judged('a query of 6 KiB in 768 parameters', withQuery(parametersOfEight.join('&')), nowhere),
  ]),
]
