import type { Made } from './subject.ts'
import { hexadecimalOf, utf8 } from './unicode-characters.ts'

/** An integer as a version. */
export function integer(value: number | bigint | string): Made {
  return { value: String(value), says: `x-version ${value}` }
}

/**
 * Integers about the served version and about the limits of number types, most telling first: what wraps around to the served
 * version or is rounded to it, what signed types cannot hold, what a floating-point number cannot.
 */
export function boundaries(served: string): readonly Made[] {
  const version = /^\d+$/.test(served) ? BigInt(served) : 1n
  const values = [
    integer(version + 1n),
    integer(0),
    power('2^32', 2n ** 32n, version),
    integer(-1),
    power('2^31', 2n ** 31n, 0n),
    power('10^309', 10n ** 309n, 0n),
    power('2^64', 2n ** 64n, version),
    integer(2),
    integer(version - 1n),
    power('2^53', 2n ** 53n, 1n),
    power('2^32', 2n ** 32n, 1n),
    power('2^64', 2n ** 64n, 1n),
    power('2^31', 2n ** 31n, 1n),
    power('2^31', 2n ** 31n, -2n),
  ]
  return unique(values)
}

/** The served version as some parsers write or read integers. */
export function writtenOddly(served: string): readonly Made[] {
  if (!/^\d+$/.test(served)) return []
  const ways = [`0${served}`, `${served}.0`, `+${served}`, `${served}e0`, `0x${BigInt(served).toString(16)}`]
  return ways.map((value) => ({ value, says: `x-version ${value}` }))
}

/** The served version in digits of other scripts, as UTF-8. */
export function inOtherDigits(served: string): readonly Made[] {
  if (!/^\d+$/.test(served)) return []
  return [
    { zero: 0xff10, script: 'full-width' },
    { zero: 0x660, script: 'Arabic-Indic' },
  ].map(({ zero, script }) => {
    const text = served.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
    const value = utf8(text)
    return { value, says: `x-version ${served} in ${script} digits (${hexadecimalOf(value)})` }
  })
}

function power(name: string, value: bigint, more: bigint): Made {
  const sum = value + more
  const written = more === 0n ? name : `${name}${more > 0n ? '+' : '-'}${more > 0n ? more : -more}`
  return { value: String(sum), says: `x-version ${written}${sum < 10n ** 20n ? ` (${sum})` : ''}` }
}

function unique(values: readonly Made[]): readonly Made[] {
  return values.filter(({ value }, index) => values.findIndex((one) => one.value === value) === index)
}
