import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baselines } from './baseline.testing.ts'
import { emptyBaseline, mergeBaselines, observe, type Baseline, type ObservedAnswer } from './baseline.ts'
import { compareBaselines } from './compare-baselines.ts'

function learned(...all: readonly ObservedAnswer[]): Baseline {
  return all.reduce(observe, emptyBaseline)
}

function refused(status: number, errorCode: string | null): ObservedAnswer {
  return { requestName: 'GET /a | no api key', status, errorCode, body: { value: { error_code: errorCode } } }
}

function listed(value: unknown): ObservedAnswer {
  return { requestName: 'GET /a | none', status: 200, errorCode: null, body: { value } }
}

const before = learned(refused(400, '1001'))
const several = learned(refused(400, '1001'), refused(401, '1006'))
const withoutBody = { ...refused(200, null), body: null }
const anyOf = 'the answer was 200, and 400 / 1001 or 401 / 1006 before'

test.each<[kind: string, says: string, before: Baseline, now: readonly ObservedAnswer[]]>([
  ['status', 'the answer was 401 / 1001, and 400 / 1001 before', before, [refused(401, '1001')]],
  ['code', 'the answer was 400 / 1002, and 400 / 1001 before', before, [refused(400, '1002')]],
  ['code', 'the answer was 400 without a code, and 400 / 1001 before', before, [refused(400, null)]],
  [
    'code',
    `the answer was 400 with a code that is not documented, and 400 / 1001 before`,
    before,
    [refused(400, 'E1')],
  ],
  ['status', anyOf, several, [refused(400, '1001'), withoutBody]],
  // Only one of the earlier answers had this status.
  ['code', 'the answer was 401 / 1001, and 400 / 1001 or 401 / 1006 before', several, [refused(401, '1001')]],
  ['code', 'the answer was 400 / 1006, and 400 / 1001 or 401 / 1006 before', several, [refused(400, '1006')]],
])('a different %s departs from the baseline: %s', (kind, says, baseline, now) => {
  expect(compareBaselines(baseline, learned(...now))).toMatchObject([
    { path: null, kind: `${kind}-changed`, severity: 'breaking', says },
  ])
})

test('a departure holds its request, its answer and both shapes', () => {
  expect(compareBaselines(before, learned(refused(401, '1001')))).toMatchObject([
    {
      requestName: 'GET /a | no api key',
      answer: '401/1001',
      shapes: { before: '400 / 1001', after: '401 / 1001' },
    },
  ])
})

test.each([
  ['a b c', '200/ 400/1001 401/1006'],
  ['b c a', '400/1001 401/1006 200/'],
  ['c a b', '401/1006 400/1001 200/'],
])(
  'departures are sorted by request and answer, even if %s and %s were seen in another order',
  (requests, answers) => {
    const seen = { seen: 1, shape: {} }
    const sameFor = <Value>(names: string, value: Value): Readonly<Record<string, Value>> =>
      Object.fromEntries(names.split(' ').map((name) => [name, value]))
    const withStimuli = (stimuli: Baseline['stimuli']): Baseline => ({ ...emptyBaseline, stimuli })
    const now = withStimuli(sameFor(requests, sameFor(answers, seen)))

    const found = compareBaselines(withStimuli(sameFor(requests, { '500/': seen })), now)
    expect(found.map(({ requestName, answer }) => `${requestName} ${answer}`)).toEqual(
      ['a', 'b', 'c'].flatMap((name) => ['200/', '400/1001', '401/1006'].map((one) => `${name} ${one}`)),
    )
  },
)

test('a difference in the shape of the same answer is a departure', () => {
  const often = learned(...Array.from({ length: 5 }, () => listed({ total: 1, list: [{ id: 'x' }] })))
  const answer = { requestName: 'GET /a | none', answer: '200/', severity: 'breaking' }

  expect(compareBaselines(often, learned(listed({ list: [{ id: 7 }] })))).toEqual([
    {
      ...answer,
      path: '$.list[].id',
      kind: 'type-changed',
      says: '$.list[].id is number, and was string',
      shapes: { before: '$.list[] { id: string }', after: '$.list[] { id: number }' },
    },
    {
      ...answer,
      path: '$.total',
      kind: 'removed',
      says: '$.total was removed',
      shapes: { before: '$ { total: number, list: array }', after: '$ { list: array }' },
    },
  ])
})

const withoutAnswer: Baseline = { ...emptyBaseline, stimuli: { 'GET /a | none': {} } }
test.each<[about: string, before: Baseline, now: Baseline]>([
  ['a request that the baseline does not contain', before, learned(listed([]))],
  ['a request when the baseline is empty', emptyBaseline, learned(listed([]))],
  ['a request of the baseline that was not sent again', learned(listed([])), emptyBaseline],
  [
    'a request with a name such as toString',
    emptyBaseline,
    learned({ ...listed([]), requestName: 'toString' }),
  ],
  ['a request for which the baseline holds no answer', withoutAnswer, learned(listed([]))],
  ['a missing answer while other answers still occur', several, learned(refused(401, '1006'))],
])('%s is not a departure', (_, baseline, now) => {
  expect(compareBaselines(baseline, now)).toEqual([])
})

test('a baseline has no departures from a run that was merged into it', () => {
  fc.assert(
    fc.property(baselines, baselines, (baseline, seen) => {
      expect(compareBaselines(mergeBaselines(baseline, seen), seen)).toEqual([])
    }),
  )
})
