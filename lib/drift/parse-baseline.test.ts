import { describe, expect, it } from 'vitest'
import { parseBaseline } from './parse-baseline.ts'

const format = 'card-switch-conformance/baseline/1'

function wrong(value: unknown): string {
  const parsed = parseBaseline(typeof value === 'string' ? value : JSON.stringify(value))
  return parsed.kind === 'wrong' ? parsed.wrong : 'nothing'
}

describe('what is no baseline', () => {
  const answered = (answer: unknown): unknown => ({ format, stimuli: { one: { '200/': answer } } })
  const answers = (shape: unknown, seen: unknown = 1): unknown => answered({ seen, shape })

  it.each([
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['{"format":', 'it is not JSON'],
    ['{}\uFEFF', 'it is not JSON'],
    [{ format: 'card-switch-conformance/verdict/1' }, `it is of another format than ${format}`],
    [
      { format: 'card-switch-conformance/baseline/2', stimuli: {} },
      `its format is card-switch-conformance/baseline/2, and this version of the suite reads ${format}`,
    ],
  ])('%j', (value, expected) => {
    expect(wrong(value)).toBe(expected)
  })

  it.each(['"format"', '7', 'null', '[]', { format: 1 }, { name: 'package' }])(
    'is %j, which names no format',
    (value) => {
      expect(wrong(value)).toBe(`it does not say that its format is ${format}`)
    },
  )

  it.each([
    [{ format }, "the whole file must have required property 'stimuli'"],
    [{ format, stimuli: {}, more: 1 }, 'the whole file must NOT have additional properties'],
    [{ format, stimuli: [] }, '/stimuli must be object'],
    [{ format, stimuli: { one: [] } }, '/stimuli/one must be object'],
    [answered([]), '/stimuli/one/200~1 must be object'],
    [answered({ shape: {} }), "/stimuli/one/200~1 must have required property 'seen'"],
    [answered({ seen: 1, shape: {}, more: 1 }), '/stimuli/one/200~1 must NOT have additional properties'],
    [answers({}, 0), '/stimuli/one/200~1/seen must be >= 1'],
    [answers({}, 2 ** 53), '/stimuli/one/200~1/seen must be <= 9007199254740991'],
    [answers(undefined), "/stimuli/one/200~1 must have required property 'shape'"],
    [answers([]), '/stimuli/one/200~1/shape must be object'],
    [answers({ $: [1] }), '/stimuli/one/200~1/shape/$ must be object'],
    [answers({ $: {} }), '/stimuli/one/200~1/shape/$ must NOT have fewer than 1 properties'],
    [answers({ $: { text: 1 } }), '/stimuli/one/200~1/shape/$ must NOT have additional properties'],
    [answers({ $: { object: -1 } }), '/stimuli/one/200~1/shape/$/object must be >= 1'],
    [answers({ $: { object: 1.5 } }), '/stimuli/one/200~1/shape/$/object must be integer'],
    [answers({ $: { cut: false } }), '/stimuli/one/200~1/shape/$/cut must be equal to constant'],
  ])('is %j, which is broken', (value, expected) => {
    expect(wrong(value)).toBe(`it is a broken baseline: ${expected}`)
  })

  it.each([
    'ok',
    '',
    '/',
    '200',
    '99/',
    '099/',
    '2000/',
    'x200/',
    '200/123',
    '200/12345',
    '200/others',
    '200/xother',
  ])('is one with the answer %j', (answer) => {
    expect(wrong({ format, stimuli: { one: { [answer]: { seen: 1, shape: {} } } } })).toContain(
      'it is a broken baseline: /stimuli/one ',
    )
  })

  it.each(['', 'a', 'a$', ' $', '__proto__'])('is one with the path %j', (path) => {
    const shape: unknown = JSON.parse(`{${JSON.stringify(path)}:{"object":1}}`)

    expect(wrong(answers(shape))).toContain('/stimuli/one/200~1/shape ')
  })

  it.each([
    'card-switch-conformance/baseline/',
    'card-switch-conformance/baseline/1x',
    'my-card-switch-conformance/baseline/2',
  ])('is one of the format %s', (other) => {
    expect(wrong({ format: other })).toBe(`it is of another format than ${format}`)
    expect(wrong({ format: 'card-switch-conformance/baseline/12' })).toContain('its format is ')
  })

  it('is not quoted', () => {
    expect(wrong({ format: 'secret-text' })).not.toContain('secret')
    expect(wrong('{"password": secret-text}')).not.toContain('secret')
    expect(wrong({ format, stimuli: 'secret-text' })).not.toContain('secret')
  })
})
