import { anothers, key, prefix, secret } from './sent.ts'

/** Text in the head of some request: a whole line, or a pattern. */
type Text = string | RegExp

/** A class of the catalogue, with handwritten texts of its requests. */
export type Row = readonly [name: string, ...texts: readonly Text[]]

const escaped = (text: string): string => text.replaceAll(/\W/g, String.raw`\$&`)
/** A text in UTF-8, with one character per byte. */
const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const get = (target: string): string => `GET ${prefix}${target} HTTP/1.1`
const list = '/api/customizations/list'
/** A request line with parameters in addition to the query that the endpoint needs. */
const query = (parameters: string): string => get(`${list}?page=1&to=3&${parameters}`)
const valued = (value: string): RegExp =>
  new RegExp(`^GET \\S+/list\\?page=1&to=3&[a-z]+=${escaped(value)} HTTP/1\\.1$`, 'm')
const below = (rest: RegExp): RegExp =>
  new RegExp(`^GET ${escaped(prefix)}/api/zz[a-z]{14}${rest.source} HTTP/1\\.1$`, 'm')
const sized = (name: string, sizes: readonly number[]): readonly Text[] =>
  sizes.map((size) => `${name}: ${'x'.repeat(size)}`)

const usual = [255, 256, 1_024, 2_000]
const oversized = [4_096, 8_190, 8_191, 8_192, 8_193, 16_384, 65_536]

/** Characters in values that are not credentials, as patterns of UTF-8 bytes. */
const characters: Readonly<Record<string, string>> = {
  'zero-width': '\xe2\x80[\x8b-\x8d]',
  bidi: '(?:\xd8\x9c|\xe2\x80[\x8e\x8f\xaa-\xae])',
  BOM: '\xef\xbb\xbf',
  Cyrillic: '[\xd0\xd1][\x80-\xbf]',
  'full-width': '\xef[\xbc\xbd][\x80-\xbf]',
  'accent in NFC': '[\xc3-\xc5][\x80-\xbf]',
  'accent in NFD': '\\w\xcc[\x80-\xbf]',
  emoji: '\xf0\x9f[\x80-\xbf]{2}',
}
const separator = '\xe2\x80[\x80-\x8a\xa8\xa9\xaf]'
const broken = ['\xff', '[\x80-\xbf]', '\xc0[\x80-\xbf]', '\xed[\xa0-\xbf][\x80-\xbf]', '[\xe0-\xf6]']

interface Credential {
  readonly name: string
  readonly valid: string
  /** The valid value of the other field, and that of another client. */
  readonly others: readonly string[]
  /** Values that stores and caches may take for it. */
  readonly stored: readonly string[]
  readonly cased: string
}

const credentials: readonly Credential[] = [
  {
    name: 'x-api-key',
    valid: key,
    others: [secret, anothers.key],
    stored: [
      'Ak7-_Xq2Rb84TzNe',
      'Ak7-vXq2Rb84T%',
      'Ak7_vXq2Rb84TzNe',
      'Ak7vXq2Rb84TzNe',
      'A\u212a7-vXq2Rb84TzNe',
    ],
    cased: 'aK7-VxQ2rB84tZnE',
  },
  {
    name: 'x-secret-key',
    valid: secret,
    others: [key, anothers.secret],
    stored: ['sQ5._Gt1Jf08WuMi', 'sQ5.pGt1Jf08W%', 'sQ5_pGt1Jf08WuMi', 'sQ5pGt1Jf08WuMi', 'sQ5.pGt1JfO8WuMi'],
    cased: 'Sq5.PgT1jF08wUmI',
  },
]

function ofCredential({ name, valid, others, stored, cased }: Credential): readonly Row[] {
  const are = (...values: readonly string[]): readonly Text[] => values.map((value) => `${name}: ${value}`)
  const inside = (bytes: string): RegExp => new RegExp(`^${name}: [\\w.-]+(?:${bytes})+[\\w.-]+$`, 'm')
  const holding = (bytes: string): RegExp => new RegExp(`^${name}: [\\w.-]+(?:${bytes})+[\\w.-]*$`, 'm')
  const hexadecimal = Array.from(valid, (one) => `%${one.charCodeAt(0).toString(16)}`).join('')
  const rows: readonly Row[] = [
    ['cut', ...are(valid.slice(0, -1), valid.slice(1))],
    ['reversed, in another letter case', ...are(Array.from(valid).toReversed().join(''), cased)],
    ['the other credential, and another client’s', ...are(...others)],
    ['quoted', ...are(`"${valid}"`, `'${valid}'`, `Bearer ${valid}`, `${valid},`, `${valid};`)],
    ['encoded', ...are(hexadecimal, btoa(valid))],
    ['stores and caches', ...are(...stored.map(utf8))],
    ['literals', ...are('null', 'undefined', 'None', 'NaN', 'true', '0', '-1', '[]', '{}', '*', '%')],
    ['size', ...sized(name, [valid.length - 1, valid.length + 1, ...usual, ...oversized])],
    ['white space inside', inside(' '), inside('\t'), inside(separator)],
    ['a lone sign', inside(`["']`), inside('%'), inside('\\\\')],
    ['Unicode', ...Object.values(characters).map(holding)],
    ['broken encoding', ...broken.map(inside)],
    ['full width', `${name}: ${utf8(Array.from(valid, fullWidth).join(''))}`],
    ['a separator at an end', `${name}: ${utf8('\u3000')}${valid}`, `${name}: ${valid}${utf8('\u2028')}`],
  ]
  return rows.map(([what, ...texts]) => [`${name}: ${what}`, ...texts])
}

function fullWidth(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 0xfee0)
}

function ofField(name: string, valid: string): readonly Row[] {
  const is = (value: string): string => `${name}: ${value}`
  // For a version of one character, both halves are the whole value.
  const [first, second] = valid.length === 1 ? [valid, valid] : ['[\\w.-]+', '[\\w.-]+']
  const between = (bytes: string): RegExp => new RegExp(`\r\n${name}: ${first}${bytes}${second}\r\n(?![ \t])`)
  const rows: readonly Row[] = [
    ['blank', is(''), is(' '), is('\t')],
    ['white space around', is(` ${valid} `), is(` ${valid}`), is(`${valid}\t`)],
    ['injection', is(`' or '1'='1`), is('{"$ne":null}'), is('*)(objectClass=*'), is('{{7*7}}')],
    ['injection, more', is('../../../../../../dev/null'), is('1%0d%0a1'), is('<b>1</b>')],
    ['control', ...['\0', '\x0b', '\x1f', '\x7f', '\xc2\x80', '\xc2\x9f'].map(between)],
    ['line', ...['\r', '\r\n ', '\r\n\t', '\n '].map(between), is(`\r\n ${valid}`), is(`\r\n\t${valid}`)],
    ['name case', `${name.toUpperCase()}: ${valid}`],
    ['without hyphens, and 2 after it', `${name.replaceAll('-', '')}: ${valid}`, `${name}2: ${valid}`],
    ['zero-width in the name', `x-${utf8('\u200b')}${name.slice(2)}: ${valid}`],
    ['a space before the colon', `${name} : ${valid}`, `${name}\t: ${valid}`],
    ['valid twice', `${is(valid)}\r\n${is(valid)}`],
    ['valid and wrong', new RegExp(`\r\n${name}: ${valid}\r\n(?:.+\r\n)?${name}: (?!${valid}\r)`)],
    ['wrong and valid', new RegExp(`\r\n${name}: (?!${valid}\r).+\r\n${name}: ${valid}\r\n`)],
    [
      'two in one line',
      new RegExp(`^${name}: ${valid}, ?\\w`, 'm'),
      new RegExp(`^${name}: .+\\w, ?${valid}$`, 'm'),
    ],
    ['hop by hop', `connection: ${name}`],
  ]
  return rows.map(([what, ...texts]) => [`${name}: ${what}`, ...texts])
}

const version = (...values: readonly string[]): readonly Text[] => values.map((one) => `x-version: ${one}`)

/** The classes of the catalogue. */
export const rows: readonly Row[] = [
  ...credentials.flatMap(ofCredential),
  ...ofField('x-api-key', key),
  ...ofField('x-secret-key', secret),
  ...ofField('x-version', '1'),
  ['version: bounds', ...version('0', '-1', '2', '2147483648', '4294967297', '9007199254740993')],
  ['version: large', ...version('18446744073709551617', `1${'0'.repeat(309)}`), /^x-version: \d{9}$/m],
  ['version: odd spellings', ...version('01', '+1', '1.0', '0x1', '1e0', utf8('\uff11'), utf8('\u0661'))],
  ['version: not an integer', ...version('abc', 'v1', '1.5', '1,2', '1abc')],
  ['version: size', ...sized('x-version', [...usual, ...oversized])],
  ['version: invalid UTF-8', ...version('1\xff', '\xed\xa0\x80')],

  ['moved', /^authorization: (?:Bearer|Basic) \S+$/m, /^cookie: session=.+; authenticated=true$/m],
  ['unrelated', 'accept-language: de-CH, en;q=0.5', /^traceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01$/m],
  ['unrelated, more', /^x-request-id: \S+$/m, 'content-type: application/json', 'cache-control: no-cache'],
  ['50 random fields', /(?:\r\nx-zz\w+: \w+ \d+){50}\r\n/],
  ['coding', ...['gzip', 'gzip, deflate', 'gzip, deflate, br', 'identity', 'br', 'deflate'].map(accepting)],
  ['coding, odd', ...['*;q=0', 'identity;q=0', 'x-unknown'].map(accepting)],
  [
    'malformed',
    'traceparent: zz-not-a-trace',
    'if-modified-since: yesterday',
    'if-none-match: "unterminated',
  ],
  ['gateway', 'range: bytes=0-0', 'if-none-match: "abc"', 'x-forwarded-for: 127.0.0.1', 'accept: text/html'],
  ['gateway, more', 'origin: https://conformance.invalid', 'cookie: session=1; authenticated=true'],
  ['closing', 'connection: close', 'sec-fetch-site: same-origin'],
  ['another agent', 'user-agent: Mozilla/5.0 (compatible; MSIE 10.0) card-switch-conformance/0.0.0'],
  ['HTTP/1.0', /^GET \S+ HTTP\/1\.0$/m],

  [
    'unknown path',
    below(/(?:)/),
    below(/(?:\/[\w-]+){2,}/),
    below(/\/list\.json/),
    below(/(?:\/(?:%[C-F].%[89AB].)+)/),
  ],
  ['unknown path, broken encoding', ...[/\/%ff/, /\/%/, /\/%zz/, /\/%ed%a0%80/].map(below)],
  ['near path', get(`${list}/?page=1&to=3`), get('/api/customizations//list?page=1&to=3')],
  [
    'near path, more',
    ...['LIST', 'lis', 'list.json', 'list/1'].map((end) => get(`/api/customizations/${end}?page=1&to=3`)),
  ],
  ['parameter: numbers', ...['0', '-1', '1', '2147483646', '2147483649', '1e310'].map(valued)],
  ['parameter: large numbers', ...['9007199254740991', '9007199254740993'].map(valued)],
  ['parameter: odd numbers', ...['0x10', '1_000', '1%2C000', '%EF%BC%91%EF%BC%92', 'NaN', ''].map(valued)],
  ['parameter: text', ...['a'.repeat(1_000), '%F0%9F%8E%A8', '%27'].map(valued)],
  ['parameter names', ...['zzunknown=1', '=1', '__proto__=1', 'constructor=1', 'LIMIT=1'].map(query)],
  ['parameter names, nested', ...['a%5B%5D=1', 'a%5Bb%5D=1', 'a.b=1'].map(query)],
  ['encoding', ...['%00', '%0a', '%ff', '%', '%4', '%zz', '%2527'].map(valued)],
  ['unescaped characters', ...Array.from('[]{}|\\^`"<>\';:@,$()*!/?=&+', (one) => valued(`a${one}b`))],
  ['probes', ...["' OR '1'='1", '{"$ne":null}', '{{7*7}}', '../../../..', 'a\r\nb', '<b>a</b>'].map(encoded)],
  ['repeated parameter', /[?&]([a-z]+)=1&\1=1 HTTP/, /[?&]([a-z]+)=1&\1=[^1 ]* HTTP/],
  ['50 parameters', query(Array.from({ length: 50 }, (_, at) => `zz${at}=${at}`).join('&'))],
  ['6 KiB of query', below(/\?zz=a{6141}/), below(/\?(?:zz\d{3}=1&){600,}zz\d{3}=1/)],
  ['parameters in another order', get(`${list}?to=3&page=1`), /&zzb=\d+&zza=\d+ HTTP/],
]

function accepting(coding: string): string {
  return `accept-encoding: ${coding}`
}

function encoded(probe: string): RegExp {
  return valued(
    encodeURIComponent(probe).replaceAll(
      /[!'()*]/g,
      (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  )
}
