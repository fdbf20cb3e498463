import type { Code } from '../../../lib/serve/reference/answer.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { shipped } from './shipped.ts'

/** Which versions are served, and the answers to others and to odd spellings. */
export const versionVariants: readonly Variant[] = [
  versions(
    'odd-versions-read-as-numbers',
    'Leading zeros, signs, fractions of zeros, exponents and hexadecimal digits are read as the number that they mean.',
    (version) => served(/^[+-]?[\d.xe+]+$/i.test(version) && Number(version) === 1),
  ),
  versions(
    'odd-versions-in-digits-of-any-alphabet',
    'Digits of any alphabet count, full-width and Arabic ones too.',
    (version) => served(inAsciiDigits(utf8(version)) === '1'),
  ),
  versions('odd-versions-invalid-input', 'Anything but plain digits is called invalid input.', (version) =>
    /^(?:0|-?[1-9]\d*)$/.test(version) ? served(version === '1') : '1030',
  ),
  versions(
    'versions-out-of-range-invalid-input',
    'Integers that are negative or need more than 31 bits are called invalid input, as is what is no integer.',
    (version) =>
      /^\d{1,10}$/.test(version) && Number(version) <= 2_147_483_647 ? served(version === '1') : '1030',
  ),
  versions('version-zero-invalid-input', 'Version 0 is called invalid input.', (version) =>
    version === '0' ? '1030' : served(version === '1'),
  ),
  shipped('versions-1-and-2-served'),
  versions(
    'versions-below-1000-served',
    'The endpoint exists under every version from 0 to 999.',
    (version) => served(/^(?:0|[1-9]\d{0,2})$/.test(version)),
  ),
  versions('version-2-inactive', 'The endpoint is inactive under version 2.', (version) =>
    version === '2' ? '1011' : served(version === '1'),
  ),
  versions('versions-2-and-0-not-permitted', 'Nobody is permitted to use versions 0 and 2.', (version) =>
    version === '2' || version === '0' ? '1013' : served(version === '1'),
  ),
  blank('blank-version-means-the-default', 'A blank version means version 1.', (version) =>
    served(version === '1' || version === ''),
  ),
  blank('blank-version-unsupported', 'A blank version is one under which there is no endpoint.', (version) =>
    served(version === '1'),
  ),
  blank('blank-version-invalid-input', 'A blank version is invalid input.', (version) =>
    version === '' ? '1030' : served(version === '1'),
  ),
  asked('2', 'version-2-judged', 'The endpoint exists under versions 1 and 2, and 2 is what is judged.'),
  asked('20260101', 'version-that-is-a-date', 'Versions after the first one are dates without hyphens.'),
  asked('2147483646', 'version-next-to-the-greatest', 'A version is nearly the greatest integer of 31 bits.'),
]

function versions(name: string, about: string, refusesVersion: (version: string) => Code | null): Variant {
  return { name, about, manner: () => ({ reading: { refusesVersion } }) }
}

function blank(name: string, about: string, refusesVersion: (version: string) => Code | null): Variant {
  return { name, about, manner: () => ({ reading: { refusesVersion, blankVersion: 'a version' } }) }
}

/** A service judged under one of its versions other than the default. */
function asked(one: string, name: string, about: string): Variant {
  return {
    ...versions(name, about, (version) => served(version === one || version === '1')),
    settings: { TARGET_VERSION: one },
  }
}

function served(isServed: boolean): Code | null {
  return isServed ? null : '1010'
}

function inAsciiDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit)))
}

/** Decimal digits come in blocks of ten, starting with zero. */
function valueOf(digit: string): number {
  let value = 0
  let before = (digit.codePointAt(0) ?? 0) - 1
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(before))) {
    value += 1
    before -= 1
  }
  return value
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
