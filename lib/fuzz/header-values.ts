import fc from 'fast-check'
import type { RequiredField } from '../specification/endpoints.ts'
import { grouped } from '../text/counts.ts'
import { oneOf, startingAt } from './arbitraries.ts'
import {
  byTransport,
  caseClass,
  credentialOf,
  judged,
  mayBan,
  onlyObserved,
  type Base,
  type CaseClass,
  type ClientInput,
  type CredentialField,
  type MutatedRequest,
} from './case-class.ts'
import {
  after,
  credentialSubject,
  otherField,
  splice,
  turned,
  type Subject,
  type Traits,
  type ValueRow,
  type ValueRows,
} from './mutated-value.ts'
import { nearMissClasses, otherCase } from './near-misses.ts'
import { without } from './request-changes.ts'
import { isHexadecimal, sameShape } from './seeded.ts'
import {
  atEnd,
  bidirectional,
  brokenEncodings,
  byteOrderMark,
  characterOf,
  combiningMarks,
  emoji,
  insertedAt,
  separators,
  strippable,
  toComposedAccent,
  toCyrillic,
  toFullWidth,
  utf8,
  zeroWidth,
  type Character,
} from './unicode.ts'

/** Text that programs write for a missing value, and wildcards. Most useful first. */
export const literals = ['null', '*', '%', 'undefined', 'true', '0', '[]', 'None', '-1', '{}', 'NaN'] as const

/** Sizes that every common server accepts, most useful first. Limits of 255 or 256 characters are common. */
export const usualSizes = [1_024, 256, 2_000, 255] as const

/** Characters that break out of quoted text, an escape or a pattern, most useful first. */
export const signs: readonly Character[] = [
  { bytes: "'", says: "a single quote (')" },
  { bytes: '%', says: 'a percent sign (%)' },
  { bytes: '"', says: 'a double quote (")' },
  { bytes: '\\', says: 'a backslash (\\)' },
]

/** Harmless injection probes. They never end a statement, start a comment, call a function, read a real file or name a host. */
export const probes = [
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
] as const

/** An invalid value made up of one repeated letter. At most two such values are valid. */
export function ofSize(subject: Subject, size: number): ValueRow {
  const values = ['x', 'k', 'q'].map((letter) => letter.repeat(size))
  const characters = size === 1 ? '1 character' : `${grouped(size)} characters`
  return [`${subject.field} of ${characters}`, values.find((one) => !subject.isValid(one)) ?? '']
}

/** White space made up of SP and HTAB, plainest first. */
const blanks: readonly Character[] = [
  { bytes: ' ', says: 'a space' },
  { bytes: '\t', says: 'a tab' },
  { bytes: '  ', says: 'two spaces' },
  { bytes: '\t\t', says: 'two tabs' },
  { bytes: ' \t', says: 'a space and a tab' },
  { bytes: '\t ', says: 'a tab and a space' },
  { bytes: ' '.repeat(40), says: '40 spaces' },
]

/** Tabs are excused, because some firewalls and frameworks refuse every control character in a value. */
function traitsOfBlank(blank: string): Traits {
  return blank.includes('\t') ? byTransport : {}
}

/** A required field that is absent, empty or only white space. */
export function presenceClass(subject: Subject): CaseClass {
  const { field } = subject
  const blanked = [
    [`an empty ${field}`, ''],
    [`a space as ${field}`, ' '],
    [`a tab as ${field}`, '\t'],
    [`spaces and tabs as ${field}`, ' \t  '],
  ] as const
  return caseClass('presence', 1, [
    judged(`no ${field}`, without(field)),
    ...blanked.map(([says, value]) => subject.sent([says, value, traitsOfBlank(value)])),
  ])
}

/** Bases in which this field is intact: at most one flaw, in a different field. */
const basesBeside: Readonly<Record<RequiredField, readonly Base[]>> = {
  'x-api-key': ['secret-key-wrong', 'version-unsupported', 'secret-key-absent', 'version-absent', 'valid'],
  'x-secret-key': ['api-key-wrong', 'version-unsupported', 'api-key-absent', 'version-absent', 'valid'],
  'x-version': ['api-key-wrong', 'secret-key-wrong', 'api-key-absent', 'secret-key-absent', 'valid'],
}

/** White space before the value, after it, or both, as one number that is never zero. */
const some = blanks.length + 1
const anyAround = fc.integer({ min: 1, max: some * some - 1 })
/** A space on each side of the value. */
const spaces = startingAt(some + 1, anyAround)

/** SP and HTAB around a valid value, in valid and flawed requests. Some servers strip only SP; trailing white space is only noted. */
export function whiteSpaceAroundClasses(subject: Subject): readonly CaseClass[] {
  const besides = basesBeside[subject.field]
  return [
    caseClass('white-space-around', 1, [
      spaces.map((drawn) => withAround(subject, 'valid', drawn)),
      ...besides.map((base) => anyAround.map((drawn) => withAround(subject, base, drawn))),
    ]),
    caseClass(
      'white-space-before',
      subject.field === 'x-version'
        ? { because: 'credentials show whether it is stripped' }
        : { always: 1, because: 'one case shows whether it is stripped' },
      (['valid', ...besides.slice(0, 2)] as const).map((base) => withAround(subject, base, some)),
    ),
    caseClass(
      'white-space-behind',
      { because: onlyObserved },
      blanks.map((_, index) => withAround(subject, 'valid', index + 1)),
    ),
  ]
}

function withAround(subject: Subject, base: Base, drawn: number): MutatedRequest {
  const behind = blanks[(drawn % some) - 1]
  const before = blanks[Math.floor(drawn / some) - 1]
  const where = [
    ...(before === undefined ? [] : [`${before.says} before it`]),
    ...(behind === undefined ? [] : [`${behind.says} after it`]),
  ]
  const [first, last] = [before?.bytes ?? '', behind?.bytes ?? '']
  const traits = { base, ...traitsOfBlank(first + last) }
  const mutated = subject.sent([`with ${where.join(' and ')}`, (text) => first + text + last, traits])
  if (behind === undefined) return { ...mutated, weakness: 'implied' }
  if (before !== undefined || base !== 'valid') return mutated
  const as = `${subject.field}, ${behind.says} behind it`
  return { ...mutated, observe: { id: 'white-space-behind-values', as } }
}

/** If this many are correctly refused, a rate of one accepted request in 37 is ruled out with 95 % confidence. */
const freshValues = 110

/** Words in an error body. A service that masks received values must not mask its own text. */
const wordsOfErrors = ['error', '1007', 'message', '1006', 'error_code', 'invalid'] as const

/** Names that every object has in some languages. They are too short to count as echoes of a secret, since answers may contain them. */
const propertyNames = ['constructor', 'toString', '__proto__', 'valueOf', '__class__'] as const

/** Replacements for a credential: half of them near misses, the rest other values that any HTTP client can send. Weight 20 in a gate, 23 otherwise. */
export function credentialClasses(field: CredentialField, input: ClientInput): readonly CaseClass[] {
  const subject = credentialSubject(field, input)
  const { text, everywhere, valueClass } = subject
  const { target, second } = input
  const isKey = field === 'x-api-key'
  const as = (texts: readonly string[], the = '', traits: Traits = {}): readonly ValueRow[] =>
    texts.map((value) => [`${the}${value} as ${field}`, value, traits])
  // A percent sign must not be followed by two hexadecimal digits.
  const placesOf = ({ bytes }: Character): readonly number[] =>
    everywhere.filter((at) => bytes !== '%' || !/^[0-9a-f]{2}/i.test(text.slice(at, at + 2)))
  const others = [
    credentialOf(target, otherField(field)),
    ...(second === null ? [] : [credentialOf(second, field)]),
  ].map((one): ValueRow => [`${one.name} as ${field}`, one])
  const near = [text.length + 1, text.length - 1].filter((size) => size > 0)
  const sizes = new Set([1_024, 256, ...near, ...usualSizes])
  const [firstProbe, ...moreProbes] = probes
  const fresh = fc
    .noShrink(fc.nat())
    .map((seed): ValueRow => [`a fresh value of its shape as ${field}`, sameShape(text, seed, 'fresh')])

  return [
    ...nearMissClasses(subject),
    valueClass('store', { always: 4, because: 'the most telling cases' }, likeInStores(text)),
    valueClass(
      'list',
      { always: 1, because: 'one order with the key, the other with the secret' },
      inLists(text, isKey ? input.wrongKey : input.wrongSecret, isKey),
    ),
    valueClass('letter-case', 1, [
      ['with the case of every letter changed', otherCase],
      ...turned(subject, 'with the case of its character # changed', (one) =>
        /[a-z]/i.test(one) ? otherCase(one) : null,
      ),
      ['in upper case', (valid) => valid.toUpperCase()],
      ['in lower case', (valid) => valid.toLowerCase()],
    ]),
    valueClass('other-credential', 1, others),
    valueClass('quoted-or-encoded', 1, dressed(text)),
    valueClass(
      'lone-sign',
      2,
      signs.flatMap((sign) => insertedAt(placesOf(sign), [sign])),
    ),
    valueClass('literal', 1, as(literals, 'the literal ')),
    valueClass(
      'property-name',
      isKey
        ? { always: 1, because: 'one name shows whether credentials are looked up in an object' }
        : { because: 'the key alone shows it' },
      as(propertyNames, 'the literal ', byTransport),
    ),
    valueClass(
      'word-of-errors',
      isKey
        ? { because: 'the secret shows it' }
        : { always: 1, because: 'one word shows whether a service masks what it was sent' },
      as(wordsOfErrors, 'the literal '),
    ),
    valueClass(
      'size',
      1,
      Array.from(sizes, (size) => ofSize(subject, size)),
    ),
    valueClass('white-space-inside', 1, withWhiteSpace(subject)),
    valueClass('unicode', 2, inUnicode(subject)),
    valueClass(
      'broken-encoding',
      1,
      brokenEncodings.flatMap((bytes) => insertedAt(everywhere, [bytes], byTransport)),
    ),
    presenceClass(subject),
    ...whiteSpaceAroundClasses(subject),
    // A firewall may itself refuse what an interpreter would take for code.
    valueClass('injection', { weight: 2, because: mayBan }, [
      ...as([firstProbe], '', byTransport),
      [`with ' and '1'='1 after it`, (valid) => `${valid}' and '1'='1`, byTransport],
      ...as(moreProbes, '', byTransport),
    ]),
    valueClass(
      'separator-at-end',
      { weight: 1, because: onlyObserved },
      strippable.map((one) => atEnd(text, one, byTransport)),
    ),
    // Only a large number of values shows how seldom a service accepts a random one.
    valueClass(
      'fresh',
      { because: 'a gate does not measure rates' },
      Array.from({ length: freshValues }, () => fresh),
    ),
  ]
}

/** Maximum length read by bcrypt, in bytes. */
const readByBcrypt = 72

/** Characters that fold to the credential's own characters by NFC (the Kelvin sign), NFKC or letter case. */
const foldings = ['K\u212a', 's\u017f', 'k\u212a', '2\u00b2', '1\u2460']

/** Characters that people confuse and that Crockford's base32 equates. */
const confused = ['0O', 'O0', '1l', 'l1', 'Il']

/** Maximum length, in characters. Even at three bytes each, every server must accept it. */
const longestInUnicode = 600

/** Values that a store or cache may equate with the valid one because of its form: numbers, cut keys, LIKE patterns, normal forms. Most useful first. */
function likeInStores(text: string): ValueRows {
  const when = (
    isOfForm: boolean,
    rows: readonly (readonly [how: string, value: string])[],
    traits: Traits = {},
  ): ValueRows => (isOfForm ? rows.map(([how, value]) => fc.constant([how, () => value, traits])) : [])
  // In LIKE, `_` stands for any single character and `%` for any number of characters.
  const found = text.search(/[0-9a-z](?!.*[^0-9a-z])/i)
  const at = found === -1 ? text.length - 1 : found
  const isPattern = text.length >= 4
  const separator = /(?<=[0-9a-z])[-_.](?=[0-9a-z])/gi
  const other = text.includes('_') ? '-' : '_'
  const [folded, confusing] = [withOne(text, foldings), withOne(text, confused)]
  const fullWidth = Array.from(text, (one) => toFullWidth(one) ?? one).join('')
  const raised = text.replaceAll(/[0-9]/g, (digit) => utf8(superscripts.charAt(Number(digit))))
  const read = text.slice(0, readByBcrypt)
  return [
    ...when(/^[0-9]+$/.test(text), [
      ['with a zero before it', `0${text}`],
      ['with .0 after it', `${text}.0`],
      ['with e0 after it', `${text}e0`],
      ['with a plus sign before it', `+${text}`],
    ]),
    ...when(text.length > readByBcrypt, [
      [`with a different end after its first ${readByBcrypt} characters`, read.padEnd(text.length, 'x')],
      [`cut to its first ${readByBcrypt} characters`, read],
    ]),
    ...when(isPattern, [
      [`with _ in place of its character ${at + 1}`, splice(text, at, at + 1, '_')],
      ['with % in place of its last 3 characters', `${text.slice(0, -3)}%`],
    ]),
    ...when(
      text.search(separator) !== -1,
      [
        [`with ${other} in place of its separators`, text.replaceAll(separator, other)],
        ['without its separators', text.replaceAll(separator, '')],
      ],
      observedIf(mayBeDecoded(text)),
    ),
    ...when(folded !== text, [['with a character of another normal form', folded]], byTransport),
    ...when(text.length <= longestInUnicode, [['in full-width characters', fullWidth]], byTransport),
    ...when(
      confusing !== text,
      [['with a character that looks like its own', confusing]],
      observedIf(isCrockford(text)),
    ),
    ...when(isPattern, [
      ['with * in place of its last 3 characters', `${text.slice(0, -3)}*`],
      ['with % in place of its first 3 characters', `%${text.slice(3)}`],
    ]),
    ...when(
      raised !== text && text.length <= longestInUnicode,
      [['with its digits raised', raised]],
      byTransport,
    ),
  ]
}

const superscripts = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079'

/** The valid value and an invented one as a list in a single line. A service that reads only one member may accept it. */
function inLists(text: string, wrong: string, isValidFirst: boolean): ValueRows {
  const both: ValueRows = [
    ['with a comma and an invented value after it', () => `${text},${wrong}`],
    ['with an invented value and a comma before it', () => `${wrong},${text}`],
  ]
  return [
    ...(isValidFirst ? both : both.toReversed()),
    ['with a comma, a space and an invented value after it', () => `${text}, ${wrong}`],
    ['with an invented value, a comma and a space before it', () => `${wrong}, ${text}`],
  ]
}

function observedIf(mayEqual: boolean): Traits {
  return mayEqual ? { treatment: 'observed' } : {}
}

/** Replaces a character using the first pair that applies. The description must not reveal the pair, because it would reveal a character. */
function withOne(text: string, pairs: readonly string[]): string {
  const [of = '', is = ''] = pairs.find(([one = '']) => text.includes(one)) ?? ''
  return text.replace(of, utf8(is))
}

/** Whether a text may be a UUID, hexadecimal or base64 of either alphabet, which decoders read leniently. */
function mayBeDecoded(text: string): boolean {
  return (
    isHexadecimal(text) || /[+/=]/.test(text) || (/-/.test(text) && /_/.test(text) && text.length % 4 === 0)
  )
}

/** Whether the last part of a text may be Crockford's base32, which lacks I, L, O and U. Hexadecimal digits alone do not count. */
function isCrockford(text: string): boolean {
  const last = text.split(/[-_.]/).findLast((part) => part.length >= 8) ?? text
  return /^[0-9a-hjkmnp-tv-z]+$/i.test(last) && !/^[0-9a-f]+$/i.test(last)
}

/** Maximum length of an encoding that is sent, in characters. Servers need not accept a long credential three times as long. */
const mostEncoded = 2_000

function dressed(text: string): ValueRows {
  const bytes = Buffer.from(text, 'latin1')
  const encoded: readonly (readonly [how: string, value: string])[] = [
    ['with every byte percent-encoded', bytes.toString('hex').replaceAll(/../g, '%$&')],
    ['in base64', bytes.toString('base64')],
  ]
  return [
    ['in double quotes', (valid) => `"${valid}"`],
    ...encoded
      .filter(([, value]) => value.length <= mostEncoded)
      .map(([how, value]): ValueRow => [how, () => value]),
    ['with Bearer and a space before it', (valid) => `Bearer ${valid}`],
    ['with a comma after it', (valid) => `${valid},`],
    ['with a semicolon after it', (valid) => `${valid};`],
    ['in single quotes', (valid) => `'${valid}'`],
  ]
}

/** SP and HTAB inside a value, where they are part of it. A single space comes first. */
function withWhiteSpace({ inside }: Subject): ValueRows {
  return oneOf(inside).flatMap((place) =>
    [blanks.slice(0, 1), blanks].map((all) =>
      fc
        .tuple(fc.constantFrom(...all), place)
        .map(([{ bytes, says }, at]): ValueRow => [
          `with ${says} ${after(at)}`,
          (valid) => splice(valid, at, at, bytes),
          traitsOfBlank(bytes),
        ]),
    ),
  )
}

/** UTF-8 beyond ASCII: inserted characters, and characters that look like or equate to the value's own. */
function inUnicode(subject: Subject): ValueRows {
  const { text, inside, everywhere } = subject
  // Characters that a service may strip from the ends are never placed there.
  const insert = (places: readonly number[], ...characters: readonly Character[]): ValueRows =>
    insertedAt(places, characters, { most: 3, ...byTransport })
  const { bytes, says } = characterOf(0x301)
  const accent = { bytes, says: `a decomposed accent (NFD) ${says}` }
  const behindLetters = everywhere.filter((at) => /[a-z]/i.test(text.charAt(at - 1)))
  return [
    ...insert(inside, characterOf(0x200b)),
    ...turned(subject, 'with the full-width form of its character #', toFullWidth, byTransport),
    ...insert(everywhere, ...emoji),
    ...turned(
      subject,
      'with an acute accent on its character #, as one code point (NFC)',
      toComposedAccent,
      byTransport,
    ),
    ...insert(inside, ...separators),
    ...turned(subject, 'with the Cyrillic look-alike of its character #', toCyrillic, byTransport),
    ...insertedAt(behindLetters, [accent], byTransport),
    ...insert(everywhere, ...bidirectional),
    ...insert(inside, byteOrderMark),
    ...insert(inside, ...zeroWidth),
    ...insert(everywhere, ...combiningMarks),
  ]
}
