import fc, { type Arbitrary } from 'fast-check'
import { oneOf } from './arbitraries.ts'
import { byTransport, mayBan, type CaseClass, type ClientInput } from './case-class.ts'
import {
  literals,
  ofSize,
  presenceClass,
  probes,
  signs,
  usualSizes,
  whiteSpaceAroundClasses,
} from './header-values.ts'
import {
  after,
  splice,
  versionSubject,
  type Subject,
  type ValueRow,
  type ValueRows,
} from './mutated-value.ts'
import { brokenEncodings, hexadecimalOf, noDigits, utf8 } from './unicode.ts'

/** Version values: integers of every class, the served version in odd or padded spellings, and no version. Total weight 20. */
export function versionClasses(input: ClientInput): readonly CaseClass[] {
  const subject = versionSubject(input)
  const { text, valueClass } = subject
  const between = (min: number, max: number): ValueRows => [fc.integer({ min, max }).map(version)]
  return [
    valueClass('boundary', 6, boundaries(text)),
    // No service has a version from 10⁸ up.
    valueClass('nine-digits', 4, between(100_000_000, 2 ** 31 - 2)),
    valueClass('small-integer', 3, between(3, 1_000)),
    valueClass('long-integer', 2, [longIntegers]),
    valueClass('written-oddly', 3, /^\d+$/.test(text) ? writtenOddly(text) : []),
    presenceClass(subject),
    ...whiteSpaceAroundClasses(subject),
  ]
}

/** Versions that are not integers, although lenient parsers may read some of them as integers. */
export function oddVersionClasses(subject: Subject): readonly CaseClass[] {
  const { text, valueClass } = subject
  const injection = probes.map((probe): ValueRow => [...version(probe), byTransport])
  return [
    valueClass('version-not-an-integer', 2, notIntegers(text).map(version)),
    valueClass('version-unicode', 1, unreadable(text)),
    valueClass(
      'version-size',
      1,
      usualSizes.map((size) => ofSize(subject, size)),
    ),
    valueClass('version-injection', { weight: 1, because: mayBan }, injection),
  ]
}

function version(value: number | bigint | string): readonly [says: string, value: string] {
  return [`x-version ${value}`, String(value)]
}

/** Integers near the served version and the limits of number types, most useful first. They wrap, round or overflow. */
function boundaries(served: string): readonly ValueRow[] {
  const number = /^\d+$/.test(served) ? BigInt(served) : 1n
  const rows = [
    version(number + 1n),
    version(0),
    power('2^32', 2n ** 32n, number),
    version(-1),
    power('2^31', 2n ** 31n, 0n),
    power('10^309', 10n ** 309n, 0n),
    power('2^64', 2n ** 64n, number),
    version(2),
    version(number - 1n),
    power('2^53', 2n ** 53n, 1n),
    power('2^32', 2n ** 32n, 1n),
    power('2^64', 2n ** 64n, 1n),
    power('2^31', 2n ** 31n, 1n),
    power('2^31', 2n ** 31n, -2n),
    // Cut to eight digits, or to the bits left in a packed field, these equal the served version.
    power('10^8', 10n ** 8n, number),
    power('2^28', 2n ** 28n, number),
  ]
  return rows.filter(([, value], index) => rows.findIndex(([, one]) => one === value) === index)
}

function power(name: string, value: bigint, more: bigint): ValueRow {
  const sum = value + more
  const written = more === 0n ? name : `${name}${more > 0n ? '+' : ''}${more}`
  return [`x-version ${written}${sum < 10n ** 20n ? ` (${sum})` : ''}`, String(sum)]
}

/** The served version as some parsers write or read integers, and in the digits of other scripts, in UTF-8. */
function writtenOddly(text: string): ValueRows {
  const hexadecimal = `0x${BigInt(text).toString(16)}`
  const inDigits = (zero: number, script: string): ValueRow => {
    const value = utf8(text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))))
    return [`x-version ${text} in ${script} digits (${hexadecimalOf(value)})`, value, byTransport]
  }
  return [
    ...[`0${text}`, `${text}.0`, `+${text}`, `${text}e0`, hexadecimal].map(version),
    inDigits(0xff10, 'full-width'),
    inDigits(0x660, 'Arabic-Indic'),
  ]
}

/** Repeated digits that exceed any usual integer type. */
const longIntegers: Arbitrary<ValueRow> = fc
  .tuple(fc.integer({ min: 11, max: 400 }), fc.integer({ min: 1, max: 9 }))
  .map(([length, digit]) => [`x-version of ${length} digits (${digit})`, String(digit).repeat(length)])

/** Text that lenient parsers read as the served version, text that breaks out of quotes, and literals. Most useful first. */
function notIntegers(served: string): readonly string[] {
  const values = new Set([
    `${served}abc`,
    'abc',
    `${served}'`,
    `${served}.5`,
    'null',
    `v${served}`,
    `${served},2`,
    ...signs.map(({ bytes }) => served + bytes),
    ...literals.filter((literal) => !/^-?\d+$/.test(literal)),
  ])
  return [...values]
}

/** Characters beyond ASCII that are not digits, and broken UTF-8, placed after the served version, before it, and alone. */
function unreadable({ length }: string): ValueRows {
  return [noDigits, brokenEncodings].flatMap(oneOf).map((character) =>
    fc.tuple(character, fc.nat(2)).map(([{ bytes, says }, place]): ValueRow => {
      if (place === 2) return [`${says} as x-version`, bytes, byTransport]
      const at = place === 0 ? length : 0
      return [`with ${says} ${after(at)}`, (text) => splice(text, at, at, bytes), byTransport]
    }),
  )
}
