import type { Facts } from './facts.ts'

/** What is known about versions: the one under which the endpoint is served, and one that does not exist. */
export interface KnownVersions {
  readonly served: string
  readonly unsupported: string
}

const greatest = 2 ** 31 - 1
/** From here up to the greatest, integers are drawn at random; no service has so many versions. */
const improbable = 10 ** 8

/** The fact about an `x-version` value as it arrives (characters up to U+00FF, one a byte). Source: Versioning. */
export function versionFact(value: string, known: KnownVersions): Facts['version'] {
  const text = fromBytes(value)
  if (text === '') return 'blank'
  if (!/^(?:0|-?[1-9][0-9]*)$/.test(text)) return isWrittenOddly(text) ? 'odd' : 'malformed'
  if (text === known.served) return 'served'
  if (text === known.unsupported) return 'unsupported'

  // A double holds all that is in range to the digit, and rounds nothing that is not into it.
  const version = Number(text)
  if (version < 0 || version > greatest) return 'out-of-range'
  return version >= improbable ? 'unsupported' : 'other'
}

/** Integers as some parser reads them: a sign, leading zeros, a fraction of zeros, hexadecimal, exponents, other scripts' digits, underscores. */
function isWrittenOddly(text: string): boolean {
  return (
    /^[+-]?[0-9]+\.0*$/.test(text) ||
    /^[+-]?0(?:x[0-9a-f]+|o[0-7]+|b[01]+)$/i.test(text) ||
    /^[+-]?[0-9]+(?:\.[0-9]*)?e[+-]?[0-9]+$/i.test(text) ||
    /^[+-]?[0-9]+(?:_[0-9]+)+$/.test(text) ||
    /^[+-]?\p{Nd}+$/u.test(text)
  )
}

function fromBytes(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8')
}
