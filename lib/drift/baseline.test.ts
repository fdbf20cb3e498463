import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { baselines, observations } from './baseline.testing.ts'
import {
  baselineFormat,
  baselineText,
  emptyBaseline,
  mergeBaselines,
  observe,
  requestNameOf,
} from './baseline.ts'
import { parseBaseline } from './parse-baseline.ts'

const plain = requestNameOf('GET /api/customizations/list', null)
const withoutKey = requestNameOf('GET /api/customizations/list', 'no api key')

describe('a baseline', () => {
  it("counts how often each request got each answer, and holds the answer's shape", () => {
    const seen = [
      { requestName: plain, status: 200, errorCode: null, body: { value: { list: [] } } },
      { requestName: plain, status: 200, errorCode: null, body: { value: { list: [1] } } },
      { requestName: withoutKey, status: 400, errorCode: '1001', body: { value: { error_code: '1001' } } },
      { requestName: withoutKey, status: 500, errorCode: null, body: null },
    ].reduce(observe, emptyBaseline)

    expect(seen).toEqual({
      format: 'card-switch-conformance/baseline/1',
      stimuli: {
        'GET /api/customizations/list | none': {
          '200/': {
            seen: 2,
            shape: { $: { object: 2 }, '$.list': { array: 2 }, '$.list[]': { number: 1 } },
          },
        },
        'GET /api/customizations/list | no api key': {
          '400/1001': { seen: 1, shape: { $: { object: 1 }, '$.error_code': { string: 1 } } },
          '500/': { seen: 1, shape: {} },
        },
      },
    })
  })

  it('treats all undocumented codes as the same', () => {
    const codes = ['1001', '1004', 'sec-1b6e0d4f', '', null]
    const { stimuli } = codes
      .map((errorCode) => ({ requestName: plain, status: 400, errorCode, body: null }))
      .reduce(observe, emptyBaseline)

    expect(Object.keys(stimuli[plain] ?? {}).toSorted()).toEqual(['400/', '400/1001', '400/other'])
  })

  it('accepts any request name, even __proto__', () => {
    const observation = { requestName: '__proto__', status: 200, errorCode: null, body: null }
    const seen = observe(observe(emptyBaseline, observation), observation)

    expect(Object.keys(seen.stimuli)).toEqual(['__proto__'])
    expect(JSON.stringify(seen.stimuli)).toBe('{"__proto__":{"200/":{"seen":2,"shape":{}}}}')
    expect(Reflect.get({}, '200/')).toBeUndefined()
  })
})

describe('merging baselines', () => {
  it('gives the same result as observing the answers of both', () => {
    fc.assert(
      fc.property(fc.array(observations), fc.array(observations), (one, other) => {
        expect(
          mergeBaselines(one.reduce(observe, emptyBaseline), other.reduce(observe, emptyBaseline)),
        ).toEqual([...one, ...other].reduce(observe, emptyBaseline))
      }),
    )
  })
})

describe('the text of a baseline', () => {
  it('has one line per path, and everything is sorted', () => {
    const baseline = [{ b: [null, 1], a: 'x' }, { 'c d': true }]
      .map((value) => ({ requestName: 'GET /b | none', status: 200, errorCode: null, body: { value } }))
      .reduce(observe, emptyBaseline)
    const text = baselineText(
      observe(baseline, { requestName: 'GET /a | none', status: 400, errorCode: '1001', body: null }),
    )

    expect(text).toBe(`{
  "format": "card-switch-conformance/baseline/1",
  "stimuli": {
    "GET /a | none": {
      "400/1001": {
        "seen": 1,
        "shape": {}
      }
    },
    "GET /b | none": {
      "200/": {
        "seen": 2,
        "shape": {
          "$": { "object": 2 },
          "$.a": { "string": 1 },
          "$.b": { "array": 1 },
          "$.b[]": { "number": 1, "null": 1 },
          "$['c d']": { "boolean": 1 }
        }
      }
    }
  }
}
`)
  })

  it('parses to the same baseline, and does not depend on the order of its parts', () => {
    fc.assert(
      fc.property(baselines, (baseline) => {
        const text = baselineText(baseline)
        const reversed = {
          format: baseline.format,
          stimuli: Object.fromEntries(Object.entries(baseline.stimuli).toReversed()),
        }
        expect(parseBaseline(text)).toEqual({ kind: 'baseline', baseline })
        expect(parseBaseline(`\uFEFF${text}`).kind).toBe('baseline')
        expect(baselineText(reversed)).toBe(text)
      }),
    )
  })

  it('includes marks for omitted parts', () => {
    const shape = { $: { object: 1, cut: true } } as const
    const text = baselineText({ format: baselineFormat, stimuli: { one: { '200/': { seen: 1, shape } } } })

    expect(text).toContain('"$": { "object": 1, "cut": true }')
    expect(parseBaseline(text).kind).toBe('baseline')
  })
})

const format = 'card-switch-conformance/baseline/1'

function wrong(value: unknown): string {
  const parsed = parseBaseline(typeof value === 'string' ? value : JSON.stringify(value))
  return parsed.kind === 'wrong' ? parsed.wrong : 'nothing'
}

function answered(answer: unknown): unknown {
  return { format, stimuli: { one: { '200/': answer } } }
}

function answers(shape: unknown, seen: unknown = 1): unknown {
  return answered({ seen, shape })
}

const unnamed = `it does not name the format ${format}`
const other = `its format is not ${format}`
const [next, twelfth] = ['card-switch-conformance/baseline/2', 'card-switch-conformance/baseline/12']
const later = (its: string): string => `its format is ${its}, but this suite version reads ${format}`
const missing = 'must have required property'
const beside = 'must NOT have additional properties'
const answer = '/stimuli/one/200~1'
const broken = (says: string): string => `it is a broken baseline: ${says}`

test.each<[says: string, ...values: readonly unknown[]]>([
  ['it is empty', '', ' \n'],
  ['it is not JSON', '{"format":', '{}\uFEFF', '{"password": secret-text}'],
  [other, { format: 'card-switch-conformance/verdict/1' }, { format: 'card-switch-conformance/baseline/' }],
  [other, { format: 'card-switch-conformance/baseline/1x' }, { format: 'secret-text' }],
  [other, { format: 'my-card-switch-conformance/baseline/2' }],
  [later(next), { format: next, stimuli: {} }],
  [later(twelfth), { format: twelfth }],
  [unnamed, '"format"', '7', 'null', '[]', { format: 1 }, { name: 'package' }],
  [broken(`the whole file ${missing} 'stimuli'`), { format }],
  [broken(`the whole file ${beside}`), { format, stimuli: {}, more: 1 }],
  [broken('/stimuli must be object'), { format, stimuli: [] }, { format, stimuli: 'secret-text' }],
  [broken('/stimuli/one must be object'), { format, stimuli: { one: [] } }],
  [broken(`${answer} must be object`), answered([])],
  [broken(`${answer} ${missing} 'seen'`), answered({ shape: {} })],
  [broken(`${answer} ${beside}`), answered({ seen: 1, shape: {}, more: 1 })],
  [broken(`${answer}/seen must be >= 1`), answers({}, 0)],
  [broken(`${answer}/seen must be <= 9007199254740991`), answers({}, 2 ** 53)],
  [broken(`${answer} ${missing} 'shape'`), answers(undefined)],
  [broken(`${answer}/shape must be object`), answers([])],
  [broken(`${answer}/shape/$ must be object`), answers({ $: [1] })],
  [broken(`${answer}/shape/$ must NOT have fewer than 1 properties`), answers({ $: {} })],
  [broken(`${answer}/shape/$ ${beside}`), answers({ $: { text: 1 } })],
  [broken(`${answer}/shape/$/object must be >= 1`), answers({ $: { object: -1 } })],
  [broken(`${answer}/shape/$/object must be integer`), answers({ $: { object: 1.5 } })],
  [broken(`${answer}/shape/$/cut must be equal to constant`), answers({ $: { cut: false } })],
])('the message "%s" is given for %j', (says, ...values) => {
  for (const value of values) expect(wrong(value)).toBe(says)
})

const names = ['ok', '', '/', '200', '99/', '099/', '2000/', 'x200/', '200/123', '200/12345', '200/others']
test.each([...names, '200/xother'])('a baseline with the answer key %j is broken', (name) => {
  const value = { format, stimuli: { one: { [name]: { seen: 1, shape: {} } } } }
  expect(wrong(value)).toContain(broken('/stimuli/one '))
})

test.each(['', 'a', 'a$', ' $', '__proto__'])('a baseline with the path %j is broken', (path) => {
  const shape: unknown = JSON.parse(`{${JSON.stringify(path)}:{"object":1}}`)
  expect(wrong(answers(shape))).toContain(`${answer}/shape `)
})
