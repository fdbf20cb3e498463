import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyBaseline, mergeBaselines, observe, type Baseline, type ObservedAnswer } from './baseline.ts'
import { baselines, observations } from './baseline.testing.ts'
import { compareBaselines } from './compare-baselines.ts'
import { changed, seeds } from './json.testing.ts'
import { toleratedChanges } from './tolerated.ts'

function learned(...all: readonly ObservedAnswer[]): Baseline {
  return all.reduce(observe, emptyBaseline)
}

function refused(status: number, errorCode: string | null): ObservedAnswer {
  return { requestName: 'GET /a | no api key', status, errorCode, body: { value: { error_code: errorCode } } }
}

function listed(value: unknown): ObservedAnswer {
  return { requestName: 'GET /a | none', status: 200, errorCode: null, body: { value } }
}

describe('a departure from the baseline', () => {
  it('is another status', () => {
    expect(compareBaselines(learned(refused(400, '1001')), learned(refused(401, '1001')))).toEqual([
      {
        requestName: 'GET /a | no api key',
        answer: '401/1001',
        path: null,
        kind: 'status-changed',
        severity: 'breaking',
        says: 'the answer was 401 / 1001, and 400 / 1001 before',
        shapes: { before: '400 / 1001', after: '401 / 1001' },
      },
    ])
  })

  it.each([
    [refused(400, '1002'), 'the answer was 400 / 1002, and 400 / 1001 before'],
    [refused(400, null), 'the answer was 400 without a code, and 400 / 1001 before'],
    [refused(400, 'E1'), 'the answer was 400 with a code that is not documented, and 400 / 1001 before'],
  ])('is another code, or none', (now, says) => {
    expect(compareBaselines(learned(refused(400, '1001')), learned(now))).toMatchObject([
      { kind: 'code-changed', severity: 'breaking', path: null, says },
    ])
  })

  it('is one answer among others that never came before', () => {
    const before = learned(refused(400, '1001'), refused(401, '1006'))
    const now = learned(refused(400, '1001'), { ...refused(200, null), body: null })

    expect(compareBaselines(before, now)).toMatchObject([
      {
        answer: '200/',
        kind: 'status-changed',
        says: 'the answer was 200, and 400 / 1001 or 401 / 1006 before',
      },
    ])
  })

  it('is another code where only one of several answers before was of that status', () => {
    const before = learned(refused(400, '1001'), refused(401, '1006'))

    expect(compareBaselines(before, learned(refused(401, '1001')))).toMatchObject([{ kind: 'code-changed' }])
    expect(compareBaselines(before, learned(refused(400, '1006')))).toMatchObject([{ kind: 'code-changed' }])
  })

  it.each([
    [
      ['a', 'b', 'c'],
      ['200/', '400/1001', '401/1006'],
    ],
    [
      ['b', 'c', 'a'],
      ['400/1001', '401/1006', '200/'],
    ],
    [
      ['c', 'a', 'b'],
      ['401/1006', '400/1001', '200/'],
    ],
  ])('comes sorted by request and answer, not as %j %j were seen', (stimuli, answers) => {
    const seen = { seen: 1, shape: {} }
    const now = Object.fromEntries(
      stimuli.map((requestName) => [
        requestName,
        Object.fromEntries(answers.map((answer) => [answer, seen])),
      ]),
    )
    const before = Object.fromEntries(stimuli.map((requestName) => [requestName, { '500/': seen }]))

    expect(
      compareBaselines({ ...emptyBaseline, stimuli: before }, { ...emptyBaseline, stimuli: now }).map(
        ({ requestName, answer }) => `${requestName} ${answer}`,
      ),
    ).toEqual(
      ['a', 'b', 'c'].flatMap((requestName) =>
        ['200/', '400/1001', '401/1006'].map((one) => `${requestName} ${one}`),
      ),
    )
  })

  it('is a difference of the shape of the same answer', () => {
    const before = learned(...Array.from({ length: 5 }, () => listed({ total: 1, list: [{ id: 'x' }] })))

    expect(compareBaselines(before, learned(listed({ list: [{ id: 7 }] })))).toEqual([
      {
        requestName: 'GET /a | none',
        answer: '200/',
        path: '$.list[].id',
        kind: 'type-changed',
        severity: 'breaking',
        says: '$.list[].id is number, and was string',
        shapes: { before: '$.list[] { id: string }', after: '$.list[] { id: number }' },
      },
      {
        requestName: 'GET /a | none',
        answer: '200/',
        path: '$.total',
        kind: 'removed',
        severity: 'breaking',
        says: '$.total was removed',
        shapes: { before: '$ { total: number, list: array }', after: '$ { list: array }' },
      },
    ])
  })
})

describe('no departure', () => {
  it('is said of a request that the baseline does not hold, nor of one that did not come now', () => {
    expect(compareBaselines(learned(refused(400, '1001')), learned(listed([])))).toEqual([])
    expect(compareBaselines(emptyBaseline, learned(listed([])))).toEqual([])
    expect(compareBaselines(learned(listed([])), emptyBaseline)).toEqual([])
    expect(compareBaselines(emptyBaseline, learned({ ...listed([]), requestName: 'toString' }))).toEqual([])
  })

  it('is said of a request of which the baseline holds no answer', () => {
    const baseline = { ...emptyBaseline, stimuli: { 'GET /a | none': {} } }

    expect(compareBaselines(baseline, learned(listed([])))).toEqual([])
  })

  it('is an answer that does not come any more while others do', () => {
    expect(
      compareBaselines(learned(refused(400, '1001'), refused(401, '1006')), learned(refused(401, '1006'))),
    ).toEqual([])
  })

  it('is there between a baseline and what it was widened by', () => {
    fc.assert(
      fc.property(baselines, baselines, (baseline, seen) => {
        expect(compareBaselines(mergeBaselines(baseline, seen), seen)).toEqual([])
      }),
    )
  })

  it('is made by any tolerated change of every answer', () => {
    fc.assert(
      fc.property(observations, seeds, (observation, seed) => {
        const before = learned(observation, observation, observation, observation, observation)
        const now = toleratedChanges.map(({ name }) =>
          learned({
            ...observation,
            body: observation.body === null ? null : { value: changed(observation.body.value, [name], seed) },
          }),
        )
        expect(now.flatMap((seen) => compareBaselines(before, seen))).toEqual([])
      }),
    )
  })
})
