import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
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

  it('with an empty baseline changes nothing', () => {
    fc.assert(
      fc.property(baselines, (baseline) => {
        expect(mergeBaselines(baseline, emptyBaseline)).toEqual(baseline)
      }),
    )
    expect(emptyBaseline).toEqual({ format: baselineFormat, stimuli: {} })
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
