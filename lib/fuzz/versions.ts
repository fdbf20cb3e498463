import fc, { type Arbitrary } from 'fast-check'
import { oneOf } from './arbitraries.ts'
import {
  byTransport,
  caseClass,
  type CaseDraw,
  type CaseClass,
  type ClientInput,
  type MutatedRequest,
} from './case-class.ts'
import {
  literals,
  ofSize,
  presenceClass,
  probes,
  signs,
  usualSizes,
  whiteSpaceAroundClasses,
} from './header-values.ts'
import { after, versionSubject, type MutatedValue, type Subject } from './mutated-value.ts'
import { brokenEncodings, hexadecimalOf, noDigits, utf8, type Character } from './unicode.ts'

/** Version values: integers of every class, the served one written oddly or padded, none at all. Total weight 20. */
export function versionClasses(input: ClientInput): readonly CaseClass[] {
  const subject = versionSubject(input)
  const { text } = subject
  const drawn = (name: string, weight: number, values: Arbitrary<MutatedValue>): CaseClass =>
    caseClass(name, { weight }, [values.map((made) => subject.invented(made))])

  return [
    caseClass('boundary', { weight: 6 }, subject.inventedEach(boundaries(text))),
    // From 10⁸ on, no service has a version.
    drawn('nine-digits', 4, fc.integer({ min: 100_000_000, max: 2 ** 31 - 2 }).map(version)),
    drawn('small-integer', 3, fc.integer({ min: 3, max: 1_000 }).map(version)),
    drawn('long-integer', 2, longIntegers),
    caseClass('written-oddly', { weight: 3 }, [
      ...subject.inventedEach(writtenOddly(text)),
      ...subject.inventedEach(inOtherDigits(text), byTransport),
    ]),
    presenceClass(subject),
    ...whiteSpaceAroundClasses(subject),
  ]
}

/** Versions that are not integers, though lenient parsers may read some as such. */
export function oddVersionClasses(subject: Subject): readonly CaseClass[] {
  const sizes = usualSizes.map((size) => ofSize(subject, size))
  return [
    caseClass(
      'version-not-an-integer',
      { weight: 2 },
      subject.inventedEach(notIntegers(subject.text).map(version)),
    ),
    caseClass('version-unicode', { weight: 1 }, unreadable(subject)),
    caseClass('version-size', { weight: 1 }, subject.inventedEach(sizes)),
    caseClass('version-injection', { weight: 1 }, subject.inventedEach(probes.map(version), byTransport)),
  ]
}

function version(value: number | bigint | string): MutatedValue {
  return { value: String(value), says: `x-version ${value}` }
}

/** Integers near the served version and the limits of number types, most telling first: they wrap, round, or overflow. */
function boundaries(served: string): readonly MutatedValue[] {
  const number = /^\d+$/.test(served) ? BigInt(served) : 1n
  const values = [
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
    // Cut to eight digits, or to the bits that a packed field has left, they are the served one.
    power('10^8', 10n ** 8n, number),
    power('2^28', 2n ** 28n, number),
  ]
  return values.filter(({ value }, index) => values.findIndex((one) => one.value === value) === index)
}

function power(name: string, value: bigint, more: bigint): MutatedValue {
  const sum = value + more
  const written = more === 0n ? name : `${name}${more > 0n ? '+' : ''}${more}`
  return { value: String(sum), says: `x-version ${written}${sum < 10n ** 20n ? ` (${sum})` : ''}` }
}

/** The served version as some parsers write or read integers. */
function writtenOddly(served: string): readonly MutatedValue[] {
  if (!/^\d+$/.test(served)) return []
  const hexadecimal = `0x${BigInt(served).toString(16)}`
  return [`0${served}`, `${served}.0`, `+${served}`, `${served}e0`, hexadecimal].map(version)
}

/** The served version in digits of other scripts, as UTF-8. */
function inOtherDigits(served: string): readonly MutatedValue[] {
  if (!/^\d+$/.test(served)) return []
  return [
    { zero: 0xff10, script: 'full-width' },
    { zero: 0x660, script: 'Arabic-Indic' },
  ].map(({ zero, script }) => {
    const value = utf8(served.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))))
    return { value, says: `x-version ${served} in ${script} digits (${hexadecimalOf(value)})` }
  })
}

/** Repeated digits, beyond any usual integer type. */
const longIntegers = fc
  .tuple(fc.integer({ min: 11, max: 400 }), fc.integer({ min: 1, max: 9 }))
  .map(([length, digit]) => ({
    value: String(digit).repeat(length),
    says: `x-version of ${length} digits (${digit})`,
  }))

/** Most telling first: what lenient parsers read as the served version, what breaks out of a quoted text, the literals. */
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

/** Characters beyond ASCII that are no digits, and broken UTF-8: after the served version, before it, and alone. */
function unreadable(subject: Subject): readonly CaseDraw[] {
  return [noDigits, brokenEncodings]
    .flatMap(oneOf)
    .map((character) =>
      fc.tuple(character, fc.nat(2)).map(([one, place]) => withUnreadable(subject, one, place)),
    )
}

function withUnreadable(subject: Subject, { bytes, says }: Character, place: number): MutatedRequest {
  const { text } = subject
  if (place === 2) return subject.invented({ value: bytes, says: `${says} as x-version` }, byTransport)
  return place === 0
    ? subject.altered(`with ${says} ${after(text.length)}`, text + bytes, byTransport)
    : subject.altered(`with ${says} ${after(0)}`, bytes + text, byTransport)
}
