import { describe, expect, it } from 'vitest'
import { parseBaseline } from './parse-baseline.ts'

const format = 'card-switch-conformance/baseline/1'

function wrong(value: unknown): string {
  const parsed = parseBaseline(typeof value === 'string' ? value : JSON.stringify(value))
  return parsed.kind === 'wrong' ? parsed.wrong : 'nothing'
}

describe('what is no baseline', () => {
  const answers = (shape: unknown, seen: unknown = 1): unknown => ({
    format,
    stimuli: { one: { '200/': { seen, shape } } },
  })

  it.each([
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['{"format":', 'it is not JSON'],
    ['{}\uFEFF', 'it is not JSON'],
    ['"format"', `it does not say that its format is ${format}`],
    ['7', `it does not say that its format is ${format}`],
    ['null', `it does not say that its format is ${format}`],
    ['[]', `it does not say that its format is ${format}`],
    [{ format: 1 }, `it does not say that its format is ${format}`],
    [{ name: 'package' }, `it does not say that its format is ${format}`],
    [{ format: 'card-switch-conformance/verdict/1' }, `it is of another format than ${format}`],
    [
      { format: 'card-switch-conformance/baseline/2', stimuli: {} },
      `its format is card-switch-conformance/baseline/2, and this version of the suite reads ${format}`,
    ],
    [{ format }, "it is a broken baseline: the whole file must have required property 'stimuli'"],
    [{ format, stimuli: [] }, 'it is a broken baseline: /stimuli must be object'],
    [answers({}, 0), 'it is a broken baseline: /stimuli/one/200~1/seen must be >= 1'],
    [
      answers({ $: { object: -1 } }),
      'it is a broken baseline: /stimuli/one/200~1/shape/$/object must be >= 1',
    ],
    [
      answers({ $: { object: 1.5 } }),
      'it is a broken baseline: /stimuli/one/200~1/shape/$/object must be integer',
    ],
    [
      answers({ $: {} }),
      'it is a broken baseline: /stimuli/one/200~1/shape/$ must NOT have fewer than 1 properties',
    ],
    [
      answers({ $: { text: 1 } }),
      'it is a broken baseline: /stimuli/one/200~1/shape/$ must NOT have additional properties',
    ],
    [answers({}, 2 ** 53), 'it is a broken baseline: /stimuli/one/200~1/seen must be <= 9007199254740991'],
    [answers(undefined), "it is a broken baseline: /stimuli/one/200~1 must have required property 'shape'"],
    [
      { format, stimuli: { one: { '200/': { shape: {} } } } },
      "it is a broken baseline: /stimuli/one/200~1 must have required property 'seen'",
    ],
    [
      { format, stimuli: { one: { '200/': { seen: 1, shape: {}, more: 1 } } } },
      'it is a broken baseline: /stimuli/one/200~1 must NOT have additional properties',
    ],
    [
      { format, stimuli: {}, more: 1 },
      'it is a broken baseline: the whole file must NOT have additional properties',
    ],
    [{ format, stimuli: { one: [] } }, 'it is a broken baseline: /stimuli/one must be object'],
    [
      { format, stimuli: { one: { '200/': [] } } },
      'it is a broken baseline: /stimuli/one/200~1 must be object',
    ],
    [answers([]), 'it is a broken baseline: /stimuli/one/200~1/shape must be object'],
    [answers({ $: [1] }), 'it is a broken baseline: /stimuli/one/200~1/shape/$ must be object'],
    [
      answers({ $: { cut: false } }),
      'it is a broken baseline: /stimuli/one/200~1/shape/$/cut must be equal to constant',
    ],
    [
      '{"format":"card-switch-conformance/baseline/1","stimuli":{"one":{"200/":{"seen":1,"shape":{"__proto__":{"object":1}}}}}}',
      expect.stringContaining('it is a broken baseline: /stimuli/one/200~1/shape '),
    ],
    [
      { format, stimuli: { one: { ok: { seen: 1, shape: {} } } } },
      expect.stringContaining('it is a broken baseline: /stimuli/one '),
    ],
  ])('%j', (value, expected) => {
    expect(wrong(value)).toEqual(expected)
  })

  it.each([
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

  it.each(['', 'a', 'a$', ' $'])('is one with the path %j', (path) => {
    expect(wrong(answers({ [path]: { object: 1 } }))).toContain('/stimuli/one/200~1/shape ')
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
