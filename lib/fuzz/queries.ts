import fc from 'fast-check'
import { someOf, startingAt } from './arbitraries.ts'
import {
  atUnknownPath,
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
import { withQuery } from './request-changes.ts'

/** Cases for `fuzz/query`: undocumented parameters, which are either valid or refused as invalid input. */
export function queryClasses({ query }: GeneratorInput): readonly CaseClass[] {
  return [...plainQueries, repeatedParameter(query), ...unusualQueries]
}

/** Percent-encodes UTF-8, except for letters, digits, `-`, `.`, `_` and `~` (RFC 3986, 2.3). Throws a URIError for a lone surrogate. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

type Parameter = readonly [name: string, value: string]

function written(...parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`).join('&')
}

function adding(says: string, ...parameters: readonly Parameter[]): MutatedRequest {
  return judged(says, withQuery(written(...parameters)))
}

/**
 * Common parameter names for list endpoints; they shrink to the first. Excludes names that choose a format or method, because
 * their effect is not shown.
 */
const likelyName = fc.constantFrom(
  ...'limit page offset size sort order filter q id search fields since'.split(' '),
)

/** Limits of number types, and lookalikes, most useful first. Avoids the exact values that firewalls block (2147483647, 1e309, …). */
const numbers = [
  ...'2147483649 -1 9007199254740993 1e310 NaN 0 18446744073709551616 0x10 \uFF11\uFF12 1_000 1'.split(' '),
  ...'2147483646 -2147483650 4294967297 9007199254740991 9223372036854775808'.split(' '),
  ...'1,000 1e3 1.5 -0 +1 01 Infinity \u0661\u0662'.split(' '),
]

/** Numbers for parameters used in counting and searching, most useful first. */
const tellingNumbers: readonly Parameter[] = [
  ['limit', '-1'],
  ['page', '-1'],
  ['limit', '9007199254740993'],
  ['offset', '1e310'],
  ['page', '0'],
  ['offset', '-1'],
  ['limit', '2147483649'],
  ['q', 'NaN'],
]

/** Text and its description. */
type Text = readonly [text: string, says: string]

function asItIs(text: string): Text {
  return [text, text]
}

/** Text that causes trouble in programs, most useful first. */
const texts: readonly Text[] = [
  asItIs("'"),
  ['a'.repeat(1_000), '1,000 characters'],
  ['', 'nothing'],
  ...['%', '\u{1F3A8}', '"', '\\', 'null', '[]', '{}', '\u00E9\u4F60\u0639'].map(asItIs),
  ['e\u0301', 'e and U+0301'],
  ['\u200B', 'U+200B'],
  ['\uFEFF', 'U+FEFF'],
  [' ', 'a space'],
  ...['undefined', 'true', '*', '&', '=', '+', '#', ';', ',', '<', '|'].map(asItIs),
]

const furtherNames = 'a[] constructor zzunknown a[b] a.b LIMIT Page toString hasOwnProperty a[0] []'.split(
  ' ',
)

/** Parameter names that cause trouble in programs, most useful first. A firewall may refuse the first one. */
const oddNames: readonly Text[] = [
  asItIs('__proto__'),
  ['', 'no name'],
  ...[...furtherNames, 'a b', '\u00E9', '$', 'SORT', 'Filter', 'Q', 'ID'].map(asItIs),
]

/** Signs, a space, and letters from other alphabets, simplest first. */
const odd = [
  ...' !"#$%&\'()*+,-./:;<=>?@[\\]^`{|}~',
  ...'\u00E9\u00DF\u03A9\u0436\u0639\u4F60\uD55C\u{1F3A8}\u0301\u200B',
]
const plain = fc.string({ unit: fc.constantFrom(...'a1bZ'), maxLength: 8, size: 'max' })
/** Text with only one special character, because two may mean something to a firewall or a shell. */
const oddText = fc
  .tuple(plain, fc.constantFrom('', ...odd), plain)
  .map(([before, character, behind]) => before + character + behind)

/** Maximum length of a query that is described, in characters. */
const sayable = 120

function repeatedParameter(query: string | null): CaseClass {
  const [own = '', ownName] = /^([\w-]+)=[^&]*/.exec(query ?? '') ?? []
  const again = `the parameter ${ownName} again, with`
  const repeatedOwn = [
    judged(`${again} another value`, withQuery(`${ownName}=zz`)),
    judged(`${again} the same value`, withQuery(own)),
  ]
  return caseClass('repeated-parameter', 2, [
    ...(ownName === undefined ? [] : repeatedOwn),
    likelyName.map((name) => adding(`${name} twice, 1 and 2`, [name, '1'], [name, '2'])),
    likelyName.map((name) => adding(`${name} twice, 1 both times`, [name, '1'], [name, '1'])),
    likelyName.map((name) => adding(`${name} twice, 1 and nothing`, [name, '1'], [name, ''])),
    likelyName.map((name) => adding(`${name} three times`, [name, '1'], [name, 'a'], [name, '1'])),
  ])
}

const mostParameters = 50

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

/** Size of an oversized query, in bytes. */
const oversized = 6 * 1_024

/** Parameters of eight characters each, including the `&`. */
const manyParametersOfEight = Array.from(
  { length: oversized / 8 },
  (_, index) => `zz${String(1_000 + index).slice(1)}=1`,
)

const plainQueries: readonly CaseClass[] = [
  // Queries that no form sends but that servers accept, most useful first. They are not known to be invalid.
  caseClass('odd-queries', { always: 3, because: 'the most telling cases' }, [
    ...[
      ['a parameter without =', 'zzflag'],
      ['limit in brackets', 'limit%5B%5D=1'],
      ['two ampersands', '&&'],
      ['limit=0', 'limit=0'],
      ['a bare question mark', ''],
      ['a parameter twice, 1 and 2', 'a=1&a=2'],
      ['only an equals sign', '='],
      ['a value without a name', '=1'],
      ['an ampersand at the end', 'zz=1&'],
      ['a second question mark', 'zz=1?zz=2'],
      ['brackets without a name', '%5B%5D=1'],
      ['page with a part in brackets', 'page%5Bsize%5D=2'],
      ['a parameter in brackets', 'filter%5Bzz%5D=1'],
      ['nested brackets', 'a%5Bb%5D%5Bc%5D=1'],
      ['a bracket that is not closed', 'a%5Bb=1'],
    ].map(([says, query = '']) =>
      // Some servers, such as cpp-httplib, refuse a line like this before any program sees it.
      judged(`the query ${says}`, withQuery(query), query.includes('?') ? byTransport : {}),
    ),
    likelyName.map((name) => judged(`${name} without =`, withQuery(name))),
    judged('the query limit with a superscript digit', withQuery('limit=%C2%B2')),
  ]),
  caseClass('number-values', 5, [
    ...tellingNumbers.map(([name, value]) => adding(`${name}=${value}`, [name, value])),
    ...numbers.map((value) => likelyName.map((name) => adding(`${name}=${value}`, [name, value]))),
  ]),
  caseOfEach('text-values', 3, texts, ([text, says]) =>
    likelyName.map((name) => adding(`${name} with ${says}`, [name, text])),
  ),
  caseOfEach('parameter-names', 4, oddNames, ([text, says], index) => ({
    ...adding(`a parameter with the name ${says}`, [text, '1']),
    transportMayRefuse: index === 0,
  })),
  caseClass('random-parameters', 2, [
    someOf(fc.tuple(oddText, oddText), 3).map((parameters) => {
      const query = written(...parameters)
      const said =
        query.length > sayable ? `${parameters.length} random parameters` : `the parameters ${query}`
      return judged(said, withQuery(query))
    }),
  ]),
]

const unusualQueries: readonly CaseClass[] = [
  caseClass('many-parameters', 1, [
    startingAt(mostParameters, fc.integer({ min: 1, max: mostParameters })).map((count) =>
      adding(
        `${count} parameters`,
        ...Array.from({ length: count }, (_, index): Parameter => [`zz${index}`, String(index)]),
      ),
    ),
  ]),
  // Parameters that choose a different format or wrap the answer. Their effect is not shown.
  caseOfEach(
    'other-formats',
    { because: onlyObserved },
    ['callback=zz', 'format=xml', 'format=csv', 'jsonp=zz', 'pretty=true'],
    (query) => observedOnly('other formats', query, withQuery(query)),
  ),
  caseOfEach('raw-encoding', 2, rawValues, (value) =>
    likelyName.map((name) => judged(`${name}=${value} as it is`, withQuery(`${name}=${value}`), byTransport)),
  ),
  caseClass('injection-strings', { weight: 4, because: mayBan }, [
    ...injections.map((value) =>
      likelyName.map((name) =>
        judged(`${name} with ${JSON.stringify(value)}`, withQuery(written([name, value])), byTransport),
      ),
    ),
    likelyName.map((name) =>
      judged(`${name}[$ne]=1`, withQuery(written([`${name}[$ne]`, '1'])), byTransport),
    ),
  ]),
  caseClass('large-query', { weight: 1, because: mayBan }, [
    judged('a query of 6 KiB in one parameter', withQuery(`zz=${'a'.repeat(oversized - 3)}`), atUnknownPath),
    judged('a query of 6 KiB in 768 parameters', withQuery(manyParametersOfEight.join('&')), atUnknownPath),
  ]),
]
