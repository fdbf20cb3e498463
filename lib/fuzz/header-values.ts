import fc from 'fast-check'
import { credentialOf, type CredentialField } from '../redact/secret.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { grouped } from '../text/printable.ts'
import { oneOf, startingAt } from './arbitraries.ts'
import {
  nowhere,
  bases,
  byTransport,
  caseClass,
  mayBan,
  onlyObserved,
  type Base,
  type ClientInput,
} from './case-class.ts'
import {
  atEnd,
  atPlaces,
  inserted,
  insertedAt,
  nearMissClasses,
  otherCase,
  splice,
  subjectOf,
  turned,
  type Subject,
  type Traits,
  type ValueClass,
  type Row,
  type Rows,
} from './mutated-value.ts'
import { inTurn, raw, withQuery } from './request-changes.ts'
import { isHex, randomSegment, sameShape } from './seeded.ts'
import * as unicode from './unicode.ts'

/** Text that programs write for a missing value, and wildcards. Most useful first. */
const literals = ['null', '*', '%', 'undefined', 'true', '0', '[]', 'None', '-1', '{}', 'NaN']

/** Sizes that every common server accepts, most useful first. Limits of 255 or 256 characters are common. */
const usualSizes = [1_024, 256, 2_000, 255]

/** Characters that break out of quoted text, an escape or a pattern, most useful first. */
const signs = unicode.charactersNamed({
  "a single quote (')": "'",
  'a percent sign (%)': '%',
  'a double quote (")': '"',
  'a backslash (\\)': '\\',
})

/** Harmless injection probes. They never end a statement, start a comment, call a function, read a real file or name a host. */
const probes = [
  "' or '1'='1",
  '{"$ne":null}',
  '*)(objectClass=*',
  '{{7*7}}',
  '../../../../../../dev/null',
  '1%0d%0a1',
  '<b>1</b>',
  "' or 1=1 or ''='",
  '" or "1"="1',
  '[$ne]=1',
  '${7*7}',
  "') or ('1'='1",
  '..%2f..%2f..%2f..%2fdev%2fnull',
  '"><i title="1',
  '1 or 1=1',
  '{"$gt":""}',
  '#{7*7}',
  '..\\..\\..\\..\\nul',
  '%27%20or%20%271%27%3d%271',
  '<%= 7*7 %>',
]

/** A value made up of one repeated letter. */
function ofSize({ field }: Subject, size: number): Row {
  return [`${field} of ${size === 1 ? '1 character' : `${grouped(size)} characters`}`, 'x'.repeat(size)]
}

/** White space made up of SP and HTAB, plainest first. */
const blanks = unicode.charactersNamed({
  'a space': ' ',
  'a tab': '\t',
  'two spaces': '  ',
  'two tabs': '\t\t',
  'a space and a tab': ' \t',
  'a tab and a space': '\t ',
  '40 spaces': ' '.repeat(40),
})

/** A field without a value, and SP and HTAB around a valid one, in valid and flawed requests. Some servers strip only SP; trailing white space is only noted. */
function blankClasses({ field }: Subject): readonly ValueClass[] {
  // White space before the value, after it, or both, as one number that is never zero.
  const some = blanks.length + 1
  const anyAround = fc.integer({ min: 1, max: some * some - 1 })
  const around = (drawn: number, base: Base = 'valid'): Row => {
    const [before, behind] = [blanks[Math.floor(drawn / some) - 1], blanks[(drawn % some) - 1]]
    const where = [before ? `${before.says} before it` : [], behind ? `${behind.says} after it` : []].flat()
    const as = `${field}, ${behind?.says} behind it`
    const traits: Traits = { mayBeValid: true, base, ...(!behind && { weakness: 'implied' }) }
    return [
      `with ${where.join(' and ')}`,
      (valid) => (before?.bytes ?? '') + valid + (behind?.bytes ?? ''),
      before || base !== 'valid' ? traits : { ...traits, observe: { id: 'white-space-behind-values', as } },
    ]
  }
  const presence: Rows = [
    [`no ${field}`, null],
    [`an empty ${field}`, ''],
    [`a space as ${field}`, ' '],
    [`a tab as ${field}`, '\t'],
    [`spaces and tabs as ${field}`, ' \t  '],
  ]
  // Wrong values, absent ones, and the valid request, each with this field valid.
  const inOrder = [...bases.slice(4), ...bases.slice(1, 4), ...bases.slice(0, 1)]
  const besides = inOrder.filter((base) => !base.startsWith(field.slice('x-'.length)))
  const before = [undefined, ...besides.slice(0, 2)].map((base) => around(some, base))
  const spaces = startingAt(() => some + 1, anyAround).map((drawn) => around(drawn))
  const inBases = besides.map((base) => anyAround.map((drawn) => around(drawn, base)))
  return [
    ['presence', 1, presence],
    ['white-space-around', 1, [spaces, ...inBases]],
    // One case with a credential shows it.
    ['white-space-before', { always: field === 'x-version' ? 0 : 1, because: 'a key shows it' }, before],
    ['white-space-behind', { because: onlyObserved }, blanks.map((_, index) => around(index + 1))],
  ]
}

/** If this many are correctly refused, a rate of one accepted request in 37 is ruled out with 95 % confidence. */
const mostFresh = 110

/** Words in an error body. A service that masks received values must not mask its own text. */
const wordsOfErrors = ['error', '1007', 'message', '1006', 'error_code', 'invalid']

/** Names that every object has in some languages. They are too short to count as echoes of a secret, since answers may contain them. */
const propertyNames = ['constructor', 'toString', '__proto__', 'valueOf', '__class__']

/** Replacements for a credential: half of them near misses, the rest other values that any HTTP client can send. Weight 20 in a gate, 23 otherwise. */
export function credentialClasses(field: CredentialField, input: ClientInput) {
  const { target, second, wrongKey, wrongSecret } = input
  const subject = subjectOf(field, input)
  const { text, everywhere, inside, classes } = subject
  const isKey = field === 'x-api-key'
  const wrong = isKey ? wrongKey : wrongSecret
  const as = (texts: readonly string[], traits: Traits = {}, the = 'the literal '): readonly Row[] =>
    texts.map((value) => [`${the}${value} as ${field}`, value, traits])
  const others = [isKey ? target.secretKey : target.apiKey, second ? credentialOf(second, field) : []].flat()
  // A service that reads only one member of a list may accept it.
  const lists: Rows = [
    ['with a comma and an invented value after it', (valid) => `${valid},${wrong}`],
    ['with an invented value and a comma before it', (valid) => `${wrong},${valid}`],
    ['with a comma, a space and an invented value after it', (valid) => `${valid}, ${wrong}`],
    ['with an invented value, a comma and a space before it', (valid) => `${wrong}, ${valid}`],
  ]
  const listsOfSecret = [lists.slice(1, 2), lists.slice(0, 1), lists.slice(2)].flat()
  const letterCases: Rows = [
    ['with the case of every letter changed', otherCase],
    ...turned(subject, 'with the case of its character # changed', otherCase),
    ['in upper case', (valid) => valid.toUpperCase()],
    ['in lower case', (valid) => valid.toLowerCase()],
  ]
  // A percent sign must not be followed by two hexadecimal digits.
  const placesOf = ({ bytes }: unicode.Character) =>
    everywhere.filter((at) => bytes !== '%' || !/^[0-9a-f]{2}/i.test(text.slice(at, at + 2)))
  const sizes = new Set([1_024, 256, text.length + 1, text.length - 1 || 1_024, ...usualSizes])
  // Inside a value, SP and HTAB are part of it. A single space comes first.
  const spaced = [blanks.slice(0, 1), blanks].flatMap((all) =>
    atPlaces(inside, fc.constantFrom(...all), inserted),
  )
  const injection: Row = [`with ' and '1'='1 after it`, (valid) => `${valid}' and '1'='1`, byTransport]
  const atEnds = unicode.strippable.map((one) => atEnd(text, one))
  const fresh = fc
    .noShrink(fc.nat())
    .map((seed): Row => [`a fresh value of its shape as ${field}`, sameShape(text, seed, 'fresh')])

  return classes([
    ...nearMissClasses(subject),
    ['store', { always: 4, because: 'the most telling' }, likeInStores(text)],
    ['list', { always: 1, because: 'one order with each credential' }, isKey ? lists : listsOfSecret],
    ['letter-case', 1, letterCases],
    ['other-credential', 1, others.map((one) => [`${one.name} as ${field}`, one])],
    ['quoted-or-encoded', 1, dressed],
    ['lone-sign', 2, signs.flatMap((sign) => insertedAt(placesOf(sign), [sign]))],
    ['literal', 1, as(literals)],
    // One key shows whether objects are searched, one secret whether answers mask their own words.
    ['property-name', { always: isKey ? 1 : 0, because: 'one key shows it' }, as(propertyNames, byTransport)],
    ['word-of-errors', { always: isKey ? 0 : 1, because: 'one secret shows if masked' }, as(wordsOfErrors)],
    ['size', 1, Array.from(sizes, (size) => ofSize(subject, size))],
    ['white-space-inside', 1, spaced],
    ['unicode', 2, inUnicode(subject)],
    ['broken-encoding', 1, unicode.brokenEncodings.flatMap((one) => insertedAt(everywhere, [one]))],
    ...blankClasses(subject),
    // A firewall may itself refuse what an interpreter would take for code.
    ['injection', { weight: 2, because: mayBan }, as(probes, byTransport, '').toSpliced(1, 0, injection)],
    ['separator-at-end', { weight: 1, because: onlyObserved }, atEnds],
    // Only a large number of values shows how seldom a service accepts a random one.
    ['fresh', { because: 'a gate measures no rates' }, Array.from({ length: mostFresh }, () => fresh)],
  ])
}

/** Maximum length read by bcrypt, in bytes. */
const readByBcrypt = 72

/** Characters that fold to the credential's own characters by NFC (the Kelvin sign), NFKC or letter case. */
const foldings = ['K\u212a', 's\u017f', 'k\u212a', '2\u00b2', '1\u2460']

/** Characters that people confuse and that Crockford's base32 equates. */
const confused = ['0O', 'O0', '1l', 'l1', 'Il']

/** Maximum length, in characters. Even at three bytes each, every server must accept it. */
const longestInUnicode = 600

/** Values that a store or cache may equate with the valid one because of its form: numbers, cut keys, LIKE patterns, normal forms. Most useful first. A form that leaves the value as it is is not sent. */
function likeInStores(text: string): Rows {
  // In LIKE, `_` stands for any single character and `%` for any number of characters.
  const found = text.search(/[0-9a-z](?!.*[^0-9a-z])/i)
  const at = found === -1 ? text.length - 1 : found
  const separator = /(?<=[0-9a-z])[-_.](?=[0-9a-z])/gi
  const other = text.includes('_') ? '-' : '_'
  const replaced = (how: string, part: RegExp, instead: string, traits: Traits = {}): Row => [
    how,
    (valid) => valid.replaceAll(part, instead),
    traits,
  ]
  const [all, lastThree] = [/^[0-9]+$/g, /(?<=.).{3}$/g]
  const ifDecoded: Traits = mayBeDecoded(text) ? { treatment: 'observed' } : {}
  const ifConfusable: Traits = isCrockford(text) ? { treatment: 'observed' } : {}
  const ifShort = (made: string) => (text.length <= longestInUnicode ? made : text)
  const raised = text.replaceAll(/[0-9]/g, (digit) => unicode.utf8(superscripts.charAt(Number(digit))))
  // As a drawn row, it gets a further character if the value has `_` there.
  const underscored = fc.constant<Row>([
    `with _ in place of its character ${at + 1}`,
    (valid) => splice(valid, at, at + 1, '_'),
  ])
  return [
    replaced('with a zero before it', all, '0$&'),
    replaced('with .0 after it', all, '$&.0'),
    replaced('with e0 after it', all, '$&e0'),
    replaced('with a plus sign before it', all, '+$&'),
    [
      `with a different end after its first ${readByBcrypt} characters`,
      (valid) => valid.slice(0, readByBcrypt).padEnd(valid.length, 'x'),
    ],
    [`cut to its first ${readByBcrypt} characters`, (valid) => valid.slice(0, readByBcrypt)],
    ...(text.length < 4 ? [] : [underscored]),
    replaced('with % in place of its last 3 characters', lastThree, '%'),
    replaced(`with ${other} in place of its separators`, separator, other, ifDecoded),
    replaced('without its separators', separator, '', ifDecoded),
    ['with a character of another normal form', (valid) => withOne(valid, foldings)],
    ['in full-width characters', (valid) => ifShort(unicode.toFullWidth(valid))],
    ['with a character that looks like its own', (valid) => withOne(valid, confused), ifConfusable],
    replaced('with * in place of its last 3 characters', lastThree, '*'),
    replaced('with % in place of its first 3 characters', /^.{3}(?=.)/g, '%'),
    ['with its digits raised', () => ifShort(raised)],
  ]
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** Replaces a character using the first pair that applies. The description must not reveal the pair, because it would reveal a character. */
function withOne(text: string, pairs: readonly string[]) {
  const [of = '', is = ''] = pairs.find(([one = '']) => text.includes(one)) ?? ''
  return text.replace(of, unicode.utf8(is))
}

/** Whether a text may be a UUID, hexadecimal or base64 of either alphabet, which decoders read leniently. */
function mayBeDecoded(text: string) {
  return isHex(text) || /[+/=]/.test(text) || (/-/.test(text) && /_/.test(text) && text.length % 4 === 0)
}

/** Whether the last part of a text may be Crockford's base32, which lacks I, L, O and U. Hexadecimal digits alone do not count. */
function isCrockford(text: string) {
  const last = text.split(/[-_.]/).findLast((part) => part.length >= 8) ?? text
  return /^[0-9a-hjkmnp-tv-z]+$/i.test(last) && !/^[0-9a-f]+$/i.test(last)
}

/** Maximum length of an encoding that is sent, in characters. Servers need not accept a long credential three times as long. */
const mostEncoded = 2_000

/** The valid value in quotes, encoded, or as one of several in a field. */
const dressed: Rows = [
  ['in double quotes', (valid) => `"${valid}"`],
  ['with every byte percent-encoded', (valid) => encoded(valid, 'hex')],
  ['in base64', (valid) => encoded(valid, 'base64')],
  ['with Bearer and a space before it', (valid) => `Bearer ${valid}`],
  ['with a comma after it', (valid) => `${valid},`],
  ['with a semicolon after it', (valid) => `${valid};`],
  ['in single quotes', (valid) => `'${valid}'`],
]

/** The value with its bytes encoded, or the value itself if that is too long. */
function encoded(valid: string, encoding: 'hex' | 'base64') {
  const text = Buffer.from(valid, 'latin1').toString(encoding)
  const sent = encoding === 'hex' ? text.replaceAll(/../g, '%$&') : text
  return sent.length <= mostEncoded ? sent : valid
}

/** UTF-8 beyond ASCII: inserted characters, and characters that look like or equate to the value's own. */
function inUnicode(subject: Subject): Rows {
  const { text, inside, everywhere } = subject
  const decomposed = { bytes: '\xcc\x81', says: 'a decomposed accent (NFD) U+0301 (cc 81)' }
  const behindLetters = everywhere.filter((at) => /[a-z]/i.test(text.charAt(at - 1)))
  // Characters that a service may strip from the ends are never placed there.
  return [
    ...insertedAt(inside, [unicode.characterOf(0x200b)], 3),
    ...turned(subject, 'with the full-width form of its character #', unicode.toFullWidth),
    ...insertedAt(everywhere, unicode.emoji, 3),
    ...turned(subject, 'with an acute accent on its character #, as one code point (NFC)', unicode.withAcute),
    ...insertedAt(inside, unicode.separators, 3),
    ...turned(subject, 'with the Cyrillic look-alike of its character #', unicode.toCyrillic),
    ...insertedAt(behindLetters, [decomposed]),
    ...insertedAt(everywhere, unicode.bidirectional, 3),
    ...insertedAt(inside, [unicode.byteOrderMark], 3),
    ...insertedAt(inside, unicode.zeroWidth, 3),
    ...insertedAt(everywhere, unicode.combiningMarks, 3),
  ]
}

/** Version values: integers of every class, the served version in odd or padded spellings, and no version. Total weight 20. */
export function versionClasses(input: ClientInput) {
  const subject = subjectOf('x-version', input)
  const { text } = subject
  const isNumber = /^\d+$/.test(text)
  // Repeated digits that exceed any usual integer type.
  const long = fc
    .tuple(fc.integer({ min: 11, max: 400 }), fc.integer({ min: 1, max: 9 }))
    .map(([length, digit]): Row => [`x-version of ${length} digits (${digit})`, String(digit).repeat(length)])
  return subject.classes([
    ['boundary', 6, boundaries(isNumber ? BigInt(text) : 1n)],
    // No service has a version from 10⁸ up.
    ['nine-digits', 4, [fc.integer({ min: 100_000_000, max: 2 ** 31 - 2 }).map(version)]],
    ['small-integer', 3, [fc.integer({ min: 3, max: 1_000 }).map(version)]],
    ['long-integer', 2, [long]],
    ['written-oddly', 3, isNumber ? writtenOddly(text) : []],
    ...blankClasses(subject),
  ])
}

/** Versions that are not integers, although lenient parsers may read some of them as integers, and values beyond ordinary bytes. */
export function oddValueClasses(input: ClientInput) {
  const subject = subjectOf('x-version', input)
  const { text } = subject
  // Text that lenient parsers read as the served version, text that breaks out of quotes, and literals. Most useful first.
  const notIntegers = new Set([
    `${text}abc`,
    'abc',
    `${text}'`,
    `${text}.5`,
    'null',
    `v${text}`,
    `${text},2`,
    ...signs.map(({ bytes }) => text + bytes),
    ...literals.filter((literal) => !/^-?\d+$/.test(literal)),
  ])
  // Characters that are neither digits in any script nor white space, and broken UTF-8: after the served version, before it, and alone.
  const placed = ([one, place]: readonly [unicode.Character, number]): Row =>
    place === 2 ? [`${one.says} as x-version`, one.bytes] : inserted(one, place === 0 ? text.length : 0)
  const unreadable = [unicode.noDigits, unicode.brokenEncodings]
    .flatMap(oneOf)
    .map((character) => fc.tuple(character, fc.nat(2)).map(placed))
  const injected = probes.map((probe): Row => [...version(probe), byTransport])
  const odd = subject.classes([
    ['version-not-an-integer', 2, [...notIntegers].map(version)],
    ['version-unicode', 1, unreadable],
    ['version-size', 1, usualSizes.map((size) => ofSize(subject, size))],
    ['version-injection', { weight: 1, because: mayBan }, injected],
  ])
  return [...odd, ...rawValueClasses(input)]
}

function version(value: number | bigint | string): readonly [says: string, value: string] {
  return [`x-version ${value}`, String(value)]
}

/** Integers near the served version and the limits of number types, most useful first. They wrap, round or overflow. */
function boundaries(served: bigint): Rows {
  const rows = [
    version(served + 1n),
    version(0),
    power(2n, 32n, served),
    version(-1),
    power(2n, 31n),
    power(10n, 309n),
    power(2n, 64n, served),
    version(2),
    version(served - 1n),
    power(2n, 53n, 1n),
    power(2n, 32n, 1n),
    power(2n, 64n, 1n),
    power(2n, 31n, 1n),
    power(2n, 31n, -2n),
    // Cut to eight digits, or to the bits left in a packed field, it equals the served version.
    power(10n, 8n, served),
    power(2n, 28n, served),
  ]
  return rows.filter(([, value], index) => rows.findIndex(([, one]) => one === value) === index)
}

/** A version written as a power and a number: `2^32+1`. */
function power(base: bigint, exponent: bigint, more = 0n) {
  const value = base ** exponent + more
  const sum = more === 0n ? '' : `${more > 0n ? '+' : ''}${more}`
  const digits = value < 10n ** 20n ? ` (${value})` : ''
  return [`x-version ${base}^${exponent}${sum}${digits}`, String(value)] as const
}

/** The served version as some parsers write or read integers, and in the digits of other scripts, in UTF-8. */
function writtenOddly(text: string): Rows {
  const inDigits = (zero: number, script: string): Row => {
    const value = unicode.utf8(text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))))
    return [`x-version ${text} in ${script} digits (${unicode.hexadecimalOf(value)})`, value]
  }
  return [
    ...[`0${text}`, `${text}.0`, `+${text}`, `${text}e0`, `0x${BigInt(text).toString(16)}`].map(version),
    inDigits(0xff10, 'full-width'),
    inDigits(0x660, 'Arabic-Indic'),
  ]
}

/** Values beyond ordinary bytes: control characters, broken and folded lines, and sizes that servers need not accept. */
function rawValueClasses(input: ClientInput) {
  const subjects = requiredFields.map((field) => subjectOf(field, input))
  /** Each item with each subject, in item order, with a different subject each time. */
  const ofPairs = <Item>(items: readonly Item[], rows: (item: Item, subject: Subject) => Rows) =>
    // Each round moves on by one subject, so that no pair is repeated, even if the two lengths have a common factor.
    subjects.flatMap((first, round) =>
      items.flatMap((item, index) => {
        const subject = subjects[(index + round) % subjects.length] ?? first
        return subject.cases(rows(item, subject))
      }),
    )
  // A control character inside a value, where no service may strip it. Before or after a value, services may.
  const controls = ofPairs(unicode.controlCharacters, (one, { inside }) =>
    inside.length === 0 ? [twice(one)] : insertedAt(inside, [one], 1, inPair),
  )
  const atEnds = ofPairs(unicode.controlCharacters, (one, { text }) => [atEnd(text, one, nowhere)])
  const behindKey = bytesBehind.map(([bytes, name, says, traits]) => {
    const more = { ...traits, ...byTransport, connection: 'fresh' } as const
    const made = subjectOf('x-api-key', input).sent([`followed by ${says}`, (text) => text + bytes, more])
    // Keeps caches from storing its answer for the path that others request.
    const apart = withQuery(`_=${randomSegment(input.seed, `byte behind key: ${name}`)}`)
    return { ...made, apply: inTurn(made.apply, apart, raw) }
  })
  // The size at which a value is refused is recorded as an observation.
  const oversized = ofPairs(oversizes, (size, subject) => {
    const [as, value] = ofSize(subject, size)
    return [[as, value, { ...nowhere, observe: { id: 'value-size', as } }]]
  })
  const stripped = 'some servers strip it, and some firewalls refuse it'
  return [
    caseClass('control-character', { weight: 2, requests: 2 }, controls),
    caseClass('control-character-at-end', { weight: 1, because: 'those inside are drawn' }, atEnds),
    caseClass('byte-behind-key', { because: stripped }, behindKey),
    caseClass('oversized', 1, oversized),
    caseClass('line-break', { weight: 1, requests: 2 }, ofPairs(lineBreaks, broken)),
  ]
}

const inPair = { ...nowhere, inPair: true } as const

/** A value of one character has no inside, so the place between it and a copy of it is used. */
function twice({ bytes, says }: unicode.Character): Row {
  return [`twice, with ${says} between`, (text) => text + bytes + text, inPair]
}

/**
 * Bytes after the valid key: one that some languages strip, and one that ends a string in C, followed by a character, so that a
 * success proves that the value was cut. Sent to the real path, because only that path is served.
 */
const bytesBehind = [
  // Tornado and Waitress strip it, because it is white space in Latin-1.
  ['\xa0', 'a0', 'the byte a0', { mayBeStripped: true }],
  ['\0x', '00', 'the byte 00 and an x', {}],
] as const

/** Sizes near the limits of common servers and gateways, most useful first. */
const oversizes = [8_192, 4_096, 16_384, 65_536, 8_190, 8_191, 8_193]

/** Values over two lines. A break never ends a value and a colon never follows a CR, because parsers might see an end or a field. */
const lineBreaks = [
  ['a bare CR', '\r', 'inside'],
  ['CR LF SP', '\r\n ', 'inside'],
  ['CR LF SP', '\r\n ', 'before'],
  ['CR LF HTAB', '\r\n\t', 'inside'],
  ['CR LF HTAB', '\r\n\t', 'before'],
  ['LF SP', '\n ', 'inside'],
] as const

/** A break inside a value is part of it, whereas a fold before a value is white space. */
function broken([how, bytes, where]: (typeof lineBreaks)[number], { text, inside }: Subject): Rows {
  if (where === 'before') return [[`folded (${how}) before it`, (valid) => bytes + valid, nowhere]]
  const says = bytes === '\r' ? how : `a fold (${how})`
  const mayBreak = (at: number) => bytes !== '\r' || at > text.lastIndexOf(':')
  if (inside.length === 0) return mayBreak(0) ? [twice({ bytes, says })] : []
  const breaks = fc.constant({ bytes, says })
  return atPlaces(inside.filter(mayBreak), breaks, (one, at) => [...inserted(one, at), inPair])
}
