import { beforeEach, describe, expect, it, test } from 'vitest'
import { finderOf } from '../../tests/leaks/finder.ts'
import { hiddenOrdinary, ordinaryTexts } from '../../tests/leaks/ordinary.ts'
import { disguisedEnvelopes, envelopes, packedKey, packings } from '../../tests/leaks/packed.ts'
import { hideOpaque } from './opaque-text.ts'
import { redactorFor, type Redactor } from './redact.ts'
import { Secret } from './secret.ts'

// Made for each test: a mutant is there only once the tests begin.
let redactor: Redactor
let ofAnswer: Redactor
beforeEach(() => {
  redactor = redactorFor([new Secret('KEY', packedKey)], ['/api/customizations/list'])
  ofAnswer = redactor.ofAnswer()
})
const find = finderOf([packedKey])
const opaque = (text: string): string => hideOpaque(text, () => false)
const token = 'H4sIAAxU2UC9zXLTQuCQBSF4b8id91CxTTdGyIRESl'

/** Whether 24 characters of a text in a row stand in another, more than what one piece of it holds. */
function isReadable(text: string, shown: string): boolean {
  const starts = Array.from({ length: Math.max(1, Math.floor((text.length - 24) / 4)) }, (_, at) => at * 4)
  const kept = starts.filter((start) => shown.includes(text.slice(start, start + 24)))
  return kept.length > Math.min(starts.length / 4, 15)
}

describe('packed data in an answer is not readable', () => {
  // Each packing in a third of the envelopes: all of them take half a minute, and hold as well.
  const forms = Object.entries(packings).flatMap(([name, packed], at) =>
    Object.entries(envelopes)
      .filter((_, index) => index % 3 === at % 3)
      .map(([how, write]) => [`${name}, ${how}`, write(packed)] as const),
  )
  test.each(forms)('%s', (_, text) => {
    const shown = ofAnswer.redact(text)

    expect(find(Buffer.from(shown))).toEqual([])
    expect(isReadable(text, shown)).toBe(false)
    expect(ofAnswer.redact(shown)).toBe(shown)
  })

  // The documents name these.
  test.each(Object.entries(disguisedEnvelopes))('but is %s', (_, write) => {
    const text = write(packings['gzip of Node'] ?? Buffer.alloc(0))

    expect(isReadable(text, ofAnswer.redact(text))).toBe(true)
  })
})

describe('an ordinary text', () => {
  test.each(ordinaryTexts)('stays: %s', (text) => {
    expect(ofAnswer.redact(text)).toBe(text)
  })

  test.each(Object.entries(hiddenOrdinary))('is hidden all the same: %s', (_, text) => {
    expect(ofAnswer.redact(text)).toMatch(/.{8}… \(opaque: \d+ characters\)/)
  })
})

describe('what is opaque', () => {
  it('is shown by its first eight characters and its length, and what stands around it stays', () => {
    expect(opaque(`{"id":"a","state":"${token}"}`)).toBe(
      `{"id":"a","state":"H4sIAAxU… (opaque: ${token.length} characters)"}`,
    )
    expect(
      opaque('{"data":[31,139,8,0,149,202,65,10,194,48,16,5,208,187,252,117,131,3,171,209,241,9,133,254]}'),
    ).toBe('{"data":["31,139,8… (opaque: 80 characters)"]}')
  })

  it('stays where the request held it, in any escapes, and in our own texts', () => {
    const sent = { secrets: [], text: `/api/customizations/list?cursor=${encodeURIComponent(`${token}+/`)}` }
    for (const echo of [`cursor=${token}`, JSON.stringify({ path: sent.text }), `${token}%2B%2F`])
      expect(redactor.ofAnswer(sent).redact(echo)).toBe(echo)

    for (const own of [token, Buffer.from(token).toString('hex')]) expect(redactor.redact(own)).toBe(own)
    expect(
      redactorFor([], [`--only ${token}`])
        .ofAnswer()
        .redact(token),
    ).toBe(token)
    expect(redactor.ofAnswer(sent).redact(`${token}AbC1dEf2`)).toMatch(/opaque: \d+ characters/)
  })

  it('stays where the request held it behind what reads as an escape', () => {
    const echo = `41${token}`

    expect(redactor.ofAnswer({ secrets: [], text: `0x${echo}` }).redact(echo)).toBe(echo)
  })

  it('is shown as such, whatever it decodes to', () => {
    expect(ofAnswer.redact(btoa(token))).toBe('SDRzSUFB… (opaque: 56 characters)')
  })

  it('stays where the request held its parts', () => {
    const other = token.split('').toReversed().join('')
    const parts = { secrets: [], text: `${token} ${other}` }

    expect(redactor.ofAnswer(parts).redact(`${token}/${other}`)).toBe(`${token}/${other}`)
    expect(redactor.ofAnswer(parts).redact(`${token}/${other.toLowerCase()}9Z9z9Z9z9Z9z9Z9z`)).toContain(
      'opaque',
    )
  })

  it('stays where the request held it and the answer folds it', () => {
    const folded = `${token.slice(0, 20)}\r\n  ${token.slice(20)}`

    expect(redactor.ofAnswer({ secrets: [], text: token }).redact(folded)).toBe(folded)
    expect(ofAnswer.redact(folded)).toContain('opaque')
  })

  it.each([
    ['eight changes of kind in 32 characters', `${'gggg1111'.repeat(4)}g`, true],
    ['nine, the last one far away', `${'gggg1111'.repeat(4)}gggggggg11111111`, true],
    ['seven', `${'ggggg11111'.repeat(4)}g`, false],
    ['eight, none of them in eight characters', `g1g1g1g1${'g'.repeat(25)}`, false],
    ['many, and a digit far away', `${'gH'.repeat(17)}${'g'.repeat(32)}1`, false],
    ['escaped bytes as a quarter of its characters', `${'%ff'.repeat(6)}${'a'.repeat(18)}`, true],
    ['escaped bytes and ASCII', `${'%ff'.repeat(5)}%7f${'a'.repeat(18)}`, false],
    ['bytes that are escaped twice', '%25ff'.repeat(24), true],
    ['50 hexadecimal digits in pairs', `${'a1 '.repeat(24)}a1`, true],
    ['48', `${'a1 '.repeat(23)}a1`, false],
    ['an eighth of letters in hexadecimal', `${'a1 '.repeat(8)}${'11 '.repeat(23)}11`, true],
    ['less', `${'a1 '.repeat(7)}${'11 '.repeat(24)}11`, false],
  ])('has %s: %s: %s', (_, text, isHidden) => {
    expect(opaque(text) !== text).toBe(isHidden)
  })

  const numbers = (count: number, ...others: readonly number[]): readonly number[] => [
    ...Array.from({ length: count }, (_, at) => at * 5),
    ...others,
  ]
  const eight = [128, 140, 150, 160, 170, 180, 190, 255]
  it.each<[string, boolean, readonly number[]]>([
    ['of which a quarter is beyond ASCII', true, numbers(24, ...eight)],
    ['of which less is', false, numbers(24, ...eight.slice(1), 127)],
    ['with a sign', true, numbers(24, ...eight.map((one) => one - 256))],
    ['of which one is no byte', false, numbers(24, ...eight, 256)],
    ['of which one with a sign is none', false, numbers(24, ...eight, -129)],
  ])('is a list of bytes %s: %s', (_, isHidden, list) => {
    const positions = JSON.stringify(Object.fromEntries(list.entries()))

    for (const text of [JSON.stringify(list), positions]) expect(opaque(text) !== text).toBe(isHidden)
  })

  it('is found behind another encoding, which is withheld', () => {
    const hex = Buffer.from(token).toString('hex')

    expect(ofAnswer.redact(`{"a":"${hex}","b":1}`)).toBe(
      `{"a":"(withheld: ${hex.length} characters, opaque text in hexadecimal)","b":1}`,
    )
  })
})
