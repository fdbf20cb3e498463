import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { baselineFormat, emptyBaseline, mergeBaselines, observe, stimulusOf } from './baseline.ts'
import { baselines, observations } from './baseline.testing.ts'

const plain = stimulusOf('GET /api/customizations/list', null)
const withoutKey = stimulusOf('GET /api/customizations/list', 'no api key')

describe('a baseline', () => {
  it('holds how often each answer came to each stimulus, and its shape', () => {
    const seen = [
      { stimulus: plain, status: 200, errorCode: null, body: { value: { list: [] } } },
      { stimulus: plain, status: 200, errorCode: null, body: { value: { list: [1] } } },
      { stimulus: withoutKey, status: 400, errorCode: '1001', body: { value: { error_code: '1001' } } },
      { stimulus: withoutKey, status: 500, errorCode: null, body: null },
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

  it('tells codes that are not documented apart no further: they may be anything', () => {
    const codes = ['1001', '1004', 'sec-1b6e0d4f', '', null]
    const { stimuli } = codes
      .map((errorCode) => ({ stimulus: plain, status: 400, errorCode, body: null }))
      .reduce(observe, emptyBaseline)

    expect(Object.keys(stimuli[plain] ?? {}).toSorted()).toEqual(['400/', '400/1001', '400/other'])
  })

  it('takes any name of a stimulus for a name', () => {
    const observation = { stimulus: '__proto__', status: 200, errorCode: null, body: null }
    const seen = observe(observe(emptyBaseline, observation), observation)

    expect(Object.keys(seen.stimuli)).toEqual(['__proto__'])
    expect(JSON.stringify(seen.stimuli)).toBe('{"__proto__":{"200/":{"seen":2,"shape":{}}}}')
    expect(Reflect.get({}, '200/')).toBeUndefined()
  })
})

describe('merging baselines', () => {
  it('is commutative and associative', () => {
    fc.assert(
      fc.property(baselines, baselines, baselines, (one, two, three) => {
        expect(mergeBaselines(one, two)).toEqual(mergeBaselines(two, one))
        expect(mergeBaselines(mergeBaselines(one, two), three)).toEqual(
          mergeBaselines(one, mergeBaselines(two, three)),
        )
      }),
    )
  })

  it('is the same as observing all that both have seen', () => {
    fc.assert(
      fc.property(fc.array(observations), fc.array(observations), (one, other) => {
        expect(
          mergeBaselines(one.reduce(observe, emptyBaseline), other.reduce(observe, emptyBaseline)),
        ).toEqual([...one, ...other].reduce(observe, emptyBaseline))
      }),
    )
  })

  it('with an empty one changes nothing', () => {
    fc.assert(
      fc.property(baselines, (baseline) => {
        expect(mergeBaselines(baseline, emptyBaseline)).toEqual(baseline)
      }),
    )
    expect(emptyBaseline).toEqual({ format: baselineFormat, stimuli: {} })
  })
})
