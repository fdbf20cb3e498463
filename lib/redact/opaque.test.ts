import { expect, it, test } from 'vitest'
import { finderOf } from '../../tests/leaks/finder.ts'
import { hiddenOrdinary, ordinaryTexts } from '../../tests/leaks/ordinary.ts'
import { envelopes, packedKey, packings } from '../../tests/leaks/packed.ts'
import { redactorFor } from './redact.ts'
import { Secret } from './secret.ts'

const redactor = redactorFor([new Secret('KEY', packedKey)], ['/api/customizations/list'])
const ofAnswer = redactor.ofAnswer()
const find = finderOf([packedKey])
const opaque = (text: string): string => redactorFor([]).ofAnswer().redact(text)
const token = 'H4sIAAxU2UC9zXLTQuCQBSF4b8id91CxTTdGyIRESl'

/** Whether too much of a text is still shown: more runs of 24 characters than a single piece of it has. */
function isReadable(text: string, shown: string): boolean {
  const starts = Array.from({ length: Math.max(1, Math.floor((text.length - 24) / 4)) }, (_, at) => at * 4)
  const kept = starts.filter((start) => shown.includes(text.slice(start, start + 24)))
  return kept.length > Math.min(starts.length / 4, 15)
}

// Each packing in a third of the envelopes. All combinations would take half a minute and prove the same.
const forms = Object.entries(packings).flatMap(([name, packed], at) =>
  Object.entries(envelopes)
    .filter((_, index) => index % 3 === at % 3)
    .map(([how, write]) => [`${name}, ${how}`, write(packed)] as const),
)
test.each(forms)('packed data in an answer is not readable: %s', (_, text) => {
  const shown = ofAnswer.redact(text)

  expect(find(Buffer.from(shown))).toEqual([])
  expect(isReadable(text, shown)).toBe(false)
  expect(ofAnswer.redact(shown)).toBe(shown)
})

test.each(ordinaryTexts)('ordinary text stays unchanged: %s', (text) => {
  expect(ofAnswer.redact(text)).toBe(text)
})

test.each(Object.entries(hiddenOrdinary))('ordinary text is hidden if it looks opaque: %s', (_, text) => {
  expect(ofAnswer.redact(text)).toMatch(/.{8}… \(opaque: \d+ characters\)/)
})

it('an opaque text is shown by its first eight characters and its length, and the text around it stays', () => {
  const shown = `H4sIAAxU… (opaque: ${token.length} characters)`
  expect(opaque(`{"id":"a","state":"${token}"}`)).toBe(`{"id":"a","state":"${shown}"}`)
  const bytes = '[31,139,8,0,149,202,65,10,194,48,16,5,208,187,252,117,131,3,171,209,241,9,133,254]'
  expect(opaque(`{"data":${bytes}}`)).toBe('{"data":[31,139,8… (opaque: 80 characters)]}')
})

const parts = `${token}/${token.split('').toReversed().join('')}`
const folded = `${token.slice(0, 20)}\r\n  ${token.slice(20)}`
const inQuery = `/api/customizations/list?cursor=${encodeURIComponent(`${token}+/`)}`
const echoes = [`cursor=${token}`, JSON.stringify({ path: inQuery }), `${token}%2B%2F`]

it.each<[how: string, text: string, echoes: readonly string[], other?: string]>([
  ['it, even escaped', inQuery, echoes, `${token}AbC1dEf2`],
  ['it after text that looks like an escape', `0x41${token}`, [`41${token}`]],
  ['its parts', parts.replace('/', ' '), [parts], `${parts.toLowerCase()}9Z9z9Z9z9Z9z9Z9z`],
  ['it without the folds of the answer', token, [folded]],
])('an opaque text stays if the request contained %s', (_, text, same, other) => {
  const own = redactor.ofAnswer({ secrets: [], text })

  for (const echo of same) expect(own.redact(echo)).toBe(echo)
  if (other !== undefined) expect(own.redact(other)).toMatch(/opaque: \d+ characters/)
})

it('an opaque text stays if the suite wrote it, and is hidden in an answer even if it is folded', () => {
  const known = redactorFor([], [`--only ${token}`])

  expect([redactor.redact(token), known.ofAnswer().redact(token)]).toEqual([token, token])
  expect(ofAnswer.redact(folded)).toContain('opaque')
})

it.each([
  ['eight changes of character class within 32 characters', `${'gggg1111'.repeat(4)}g`, true],
  ['nine changes, the last one far away', `${'gggg1111'.repeat(4)}gggggggg11111111`, true],
  ['seven changes', `${'ggggg11111'.repeat(4)}g`, false],
  ['eight changes, but fewer within eight characters', `g1g1g1g1${'g'.repeat(25)}`, false],
  ['many changes, and a digit far away', `${'gH'.repeat(17)}${'g'.repeat(32)}1`, false],
])('an opaque text with %s, such as %s, is hidden: %s', (_, text, isHidden) => {
  expect(opaque(text) !== text).toBe(isHidden)
})

const list = (count: number, ...more: number[]) => Array.from({ length: count }, (_, at) => at).concat(more)
it.each<[string, boolean, readonly number[]]>([
  ['of letters', true, [...Buffer.from('password')]],
  ['of seven letters', false, [...Buffer.from('passwor')]],
  ['in which half are below 32', true, list(8, 32, 64, 97, 98, 99, 128, 200, 255)],
  ['in which more than half are below 32', false, list(9, 64, 97, 98, 99, 128, 200, 255)],
  ['with negative numbers', true, list(8, -1, -2, -100, -128, 33, 34, 35, 36)],
  ['with a number that is not a byte', false, list(8, 33, 97, 98, 99, 128, 200, 255, 256)],
  ['with a negative number that is not a byte', false, list(8, 33, 97, 98, 99, 128, 200, 255, -129)],
])('an opaque text can be a list of bytes %s: %s', (_, isHidden, bytes) => {
  const positions = JSON.stringify(Object.fromEntries(bytes.entries()))

  for (const text of [JSON.stringify(bytes), positions, JSON.stringify({ text: positions })])
    expect(opaque(text) !== text).toBe(isHidden)
})
