import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { broken, breakingChangesOf } from '../../drift/breaking.testing.ts'
import { changeText, toleratedChanges } from '../../drift/tolerated.ts'
import { wholeValue } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { answers, answersOneOf, holds, succeeds, violates, type Judgement } from '../../judge/judge.ts'
import { answeredBy } from '../../judge/answered.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import { answer, exchange, requestWith } from '../../judge/testing/exchanges.ts'
import { documentedPairs, success } from '../../specification/answers.ts'
import { growth, linear } from '../../../tests/support/processor-time.ts'
import { Tolerance } from './tolerance.ts'

const json = fc.jsonValue({ maxDepth: 4 })
const beside = fc.dictionary(
  fc.string().filter((name) => name !== 'error_code' && name !== 'error_message'),
  json,
)
const pair = fc.constantFrom(...documentedPairs)
const errorBody = fc.tuple(pair, fc.string(), beside).map(([{ status, errorCode }, text, more]) => ({
  status,
  errorCode,
  body: { ...more, error_code: errorCode, error_message: text },
}))
/** Any answer: successes, documented errors, and neither. */
const anyAnswer = fc.oneof(
  fc
    .tuple(fc.constantFrom(200, 201, 299, 400, 404, 500), json)
    .map(([status, body]) => answer(status, JSON.stringify(body))),
  errorBody.map(({ status, body }) => answer(status, body)),
  errorBody.map(({ body }) => answer(200, body)),
)
const allowedSets = fc.subarray([success, ...documentedPairs], { minLength: 1 })

const {
  'conventions/json-response': jsonResponse,
  'errors/body-shape': bodyShape,
  'errors/documented-pairs': documentedPair,
} = runWideChecks

describe('what the suite expects', () => {
  it('is never turned by a tolerated change, whatever the answer and whatever is allowed', () => {
    fc.assert(
      fc.property(anyAnswer, allowedSets, fc.nat(), (response, allowed, seed) => {
        const one = exchange(response)
        const check = answersOneOf(allowed)
        const before = [check.judge, jsonResponse, bodyShape, documentedPair].map((judge) => judge(one)?.kind)
        for (const { name } of toleratedChanges) {
          const { text } = changeText(response.text, [name], seed)
          const changed = exchange(answer(response.status, text))
          expect(
            [check.judge, jsonResponse, bodyShape, documentedPair].map((judge) => judge(changed)?.kind),
          ).toEqual(before)
        }
        expect(new Tolerance(seed).intolerances(one, check.judge)).toEqual([])
      }),
    )
  })

  it('is always turned by a breaking change of what an error body must have', () => {
    fc.assert(
      fc.property(errorBody, fc.nat(), ({ status, errorCode, body }, which) => {
        const changes = breakingChangesOf(body).filter(
          ({ place: [first, ...deeper] }) =>
            deeper.length === 0 &&
            (first === undefined || first === 'error_code' || first === 'error_message'),
        )
        const change = changes[which % changes.length]
        if (change === undefined) throw new Error('an error body can always be broken')
        const check = answers({ status, errorCode })

        expect(check.judge(exchange(answer(status, body))).kind).toBe('holds')
        const now = exchange(answer(status, JSON.stringify(broken(body, change))))
        expect([check.judge(now).kind, bodyShape(now)?.kind]).toEqual(['violates', 'violates'])
      }),
    )
  })

  it('is turned by another status, and by another code', () => {
    for (const one of documentedPairs) {
      const check = answers(one)
      for (const other of documentedPairs.filter(({ errorCode }) => errorCode !== one.errorCode)) {
        const body = { error_code: other.errorCode, error_message: '' }
        expect(check.judge(exchange(answer(one.status, body))).kind).toBe('violates')
      }
      expect(check.judge(exchange(answer(409, { error_code: one.errorCode, error_message: '' }))).kind).toBe(
        'violates',
      )
    }
  })
})

describe('an expectation that demands too much', () => {
  const listing = exchange(
    answer(200, {
      id: 'a',
      name: 'b',
      items: [
        { id: 'c', size: 1 },
        { id: 'd', size: 2 },
      ],
    }),
  )
  const unless =
    (meets: (value: unknown, text: string) => boolean) =>
    (one: Exchange): Judgement =>
      meets(wholeValue(one.response), one.response.text)
        ? holds
        : violates([success], answeredBy(one.response))
  const rulesAgainst = (expects: (one: Exchange) => Judgement): readonly string[] =>
    new Tolerance(7).intolerances(listing, expects).map(({ rule }) => rule)
  const names = (value: unknown): readonly string[] => Object.keys(Object(value))

  it('is found by added properties where it counts them', () => {
    expect(rulesAgainst(unless((value) => names(value).length === 3))).toEqual(['tolerance/added-properties'])
  })

  it('is found by another order where it goes by positions', () => {
    expect(rulesAgainst(unless((_, text) => text.indexOf('"id"') < text.indexOf('"name"')))).toContain(
      'tolerance/property-order',
    )
  })

  it('is found by other strings where it knows them', () => {
    expect(rulesAgainst(unless((_, text) => text.includes('"a"')))).toEqual(['tolerance/opaque-strings'])
  })

  it('blames the suite, or the endpoints file where it is that, and never the service', () => {
    const blames = (difference: string): unknown =>
      new Tolerance(7)
        .intolerances(listing, (one) => {
          if (one === listing) return holds
          return { kind: 'violates', breach: { allowed: [], answered: null, difference, summary: 'x' } }
        })
        .map(({ breach }) => breach.blames)

    expect(blames('whatever')).toEqual(['suite', 'suite', 'suite'])
    expect(blames('not the success of the endpoints file: type')).toEqual(Array(3).fill('endpoints-file'))
  })

  it('says nothing of what was not met anyway, and of an answer that is no JSON', () => {
    expect(new Tolerance(7).intolerances(listing, answers({ status: 400, errorCode: '1001' }).judge)).toEqual(
      [],
    )
    expect(new Tolerance(7).intolerances(exchange(answer(200, '<html>')), succeeds().judge)).toEqual([])
  })
})

describe('an answer that costs much to change', () => {
  const deep = (levels: number): string => `{"id":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const long = (marker: number): string =>
    JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, marker, name: 'a' })))
  /** Whether a tolerance tests an expectation that these answers never meet against changed answers. */
  const isChanged = (tolerance: Tolerance, text: string, target = '/api/customizations/list'): boolean => {
    const one = exchange(answer(200, text), requestWith({ target }))
    const expects = (other: Exchange): Judgement =>
      other === one ? holds : violates([success], answeredBy(other.response))
    const found = tolerance.intolerances(one, expects)
    // Again, from the cache.
    expect(tolerance.intolerances(one, expects)).toHaveLength(found.length)
    return found.length > 0
  }

  it.each([
    [10, true],
    [200, true],
    [201, false],
    [100_000, false],
  ])('of %i levels is changed: %s', (levels, changed) => {
    expect(isChanged(new Tolerance(7), deep(levels))).toBe(changed)
  })

  it('is left out in no time where it is deep', async () => {
    const leave = (levels: number): void => {
      const response = answer(200, deep(levels))
      for (let times = 0; times < 10; times += 1)
        new Tolerance(times).intolerances(exchange(response), succeeds().judge)
    }

    expect(await growth(leave, 100_000)).toBeLessThan(linear)
  })

  it('of thousands of values is changed twice for each path, whatever the query', () => {
    const tolerance = new Tolerance(7)
    const list = '/api/customizations/list'

    expect([1, 2, 3].map((marker) => isChanged(tolerance, long(marker)))).toEqual([true, true, false])
    expect(isChanged(tolerance, long(4), `${list}?page=2`)).toBe(false)
    expect([5, 6, 7].map((marker) => isChanged(tolerance, long(marker), '/api/other'))).toEqual([
      true,
      true,
      false,
    ])
    expect(isChanged(tolerance, '{"id":1}')).toBe(true)
  })

  it('of thousands of values is changed for eight paths', () => {
    const tolerance = new Tolerance(7)
    const changed = Array.from({ length: 10 }, (_, at) => isChanged(tolerance, long(at), `/api/${at}`))

    expect(changed).toEqual([...Array<boolean>(8).fill(true), false, false])
  })
})
