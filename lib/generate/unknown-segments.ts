import fc, { type Arbitrary } from 'fast-check'

/**
 * First segments below `/api/` that no service has, of the form by which the oracle knows them again (`unknownSegment`).
 * They do not shrink: nothing about their letters matters.
 */
export const unknownSegments: Arbitrary<string> = fc.noShrink(
  fc.tuple(fc.nat(), fc.nat()).map(([one, other]) => `zz${sevenLetters(one)}${sevenLetters(other)}`),
)

function sevenLetters(number: number): string {
  let rest = number
  let letters = ''
  for (let index = 0; index < 7; index += 1) {
    letters += String.fromCharCode(0x61 + (rest % 26))
    rest = Math.floor(rest / 26)
  }
  return letters
}
