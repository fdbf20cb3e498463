import fc, { type Arbitrary } from 'fast-check'
import { oneOf } from './arbitraries.ts'
import {
  byTransport,
  caseClass,
  mayBan,
  type CaseClass,
  type CaseDraw,
  type ClientInput,
  type Share,
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
import { after, versionSubject, type Subject, type ValueRow } from './mutated-value.ts'
import { brokenEncodings, hexadecimalOf, noDigits, utf8 } from './unicode.ts'

/** Version values: integers of every class, the served version in odd or padded spellings, and no version. Total weight 20. */
export function versionClasses(input: ClientInput): readonly CaseClass[] {
  const subject = versionSubject(input)
  const { text } = subject
  const drawn = (name: string, weight: number, values: Arbitrary<ValueRow>): CaseClass =>
    caseClass(name, weight, [values.map((row) => subject.invented(row))])

  return [
    caseClass('boundary', 6, subject.inventedEach(boundaries(text))),
    // No service has a version from 10⁸ up.
    drawn('nine-digits', 4, fc.integer({ min: 100_000_000, max: 2 ** 31 - 2 }).map(version)),
    drawn('small-integer', 3, fc.integer({ min: 3, max: 1_000 }).map(version)),
    drawn('long-integer', 2, longIntegers),
    caseClass('written-oddly', 3, /^\d+$/.test(text) ? writtenOddly(subject) : []),
    presenceClass(subject),
    ...whiteSpaceAroundClasses(subject),
  ]
}

/** Versions that are not integers, although lenient parsers may read some of them as integers. */
export function oddVersionClasses(subject: Subject): readonly CaseClass[] {
  const of = (name: string, share: number | Share, rows: readonly ValueRow[], traits = {}): CaseClass =>
    caseClass(name, share, subject.inventedEach(rows, traits))
  return [
    of('version-not-an-integer', 2, notIntegers(subject.text).map(version)),
    caseClass('version-unicode', 1, unreadable(subject)),
    of(
      'version-size',
      1,
      usualSizes.map((size) => ofSize(subject, size)),
    ),
    of('version-injection', { weight: 1, because: mayBan }, probes.map(version), byTransport),
  ]
}

function version(value: number | bigint | string): ValueRow {
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
function writtenOddly(subject: Subject): readonly CaseDraw[] {
  const { text } = subject
  const hexadecimal = `0x${BigInt(text).toString(16)}`
  const inDigits = (zero: number, script: string): ValueRow => {
    const value = utf8(text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))))
    return [`x-version ${text} in ${script} digits (${hexadecimalOf(value)})`, value, byTransport]
  }
  return subject.inventedEach([
    ...[`0${text}`, `${text}.0`, `+${text}`, `${text}e0`, hexadecimal].map(version),
    inDigits(0xff10, 'full-width'),
    inDigits(0x660, 'Arabic-Indic'),
  ])
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
function unreadable(subject: Subject): readonly CaseDraw[] {
  const { text } = subject
  return [noDigits, brokenEncodings]
    .flatMap(oneOf)
    .map((character) =>
      fc
        .tuple(character, fc.nat(2))
        .map(([{ bytes, says }, place]) =>
          subject.invented(
            [
              subject.made(`with ${says} ${after(text.length)}`, text + bytes, byTransport),
              subject.made(`with ${says} ${after(0)}`, bytes + text, byTransport),
            ][place] ?? [`${says} as x-version`, bytes, byTransport],
          ),
        ),
    )
}
