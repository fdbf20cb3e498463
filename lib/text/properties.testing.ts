import * as fc from 'fast-check'

const surrogates = { from: 0xd800, count: 0x800 }

/**
 * Any character, but no lone surrogates. fast-check's own `binary` first builds a table of a million
 * characters, which takes a second.
 */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - surrogates.count }).map(
  (at) => String.fromCodePoint(at < surrogates.from ? at : at + surrogates.count),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('not a character')
    return code < surrogates.from ? code : code - surrogates.count
  },
)

/** Texts of any characters, including names that are dangerous in JavaScript. */
export function anyText(lengths: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.string({ ...lengths, unit: anyCharacter })
}

/** Tests that a claim holds for any values of these arbitraries. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  ...property: [...{ [At in keyof Values]: fc.Arbitrary<Values[At]> }, claim: (...values: Values) => void]
): void {
  fc.assert(fc.property<Values>(...property))
}

/** A character with a code in this range. */
export function characterIn(min: number, max: number) {
  return fc.integer({ min, max }).map((code) => String.fromCharCode(code))
}
