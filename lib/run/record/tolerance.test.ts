import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growth, linear } from '../../../tests/support/processor-time.ts'
import { changeText, toleratedChanges } from '../../drift/tolerated.ts'
import { wholeValue } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { answeredBy } from '../../judge/answered.ts'
import { answers, answersOneOf, holds, succeeds, violates, type Judgement } from '../../judge/judge.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import { answer, exchange, requestWith } from '../../judge/testing/exchanges.ts'
import { documentedPairs, success } from '../../specification/answers.ts'
import { Tolerance } from './checks.ts'

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

const bodyShape = runWideChecks['errors/body-shape']
const judges = [
  runWideChecks['conventions/json-response'],
  bodyShape,
  runWideChecks['errors/documented-pairs'],
]

describe('a judgement of the suite', () => {
  it('stays the same after a tolerated change, for any answer and any allowed set', () => {
    fc.assert(
      fc.property(anyAnswer, allowedSets, fc.nat(), (response, allowed, seed) => {
        const one = exchange(response)
        const { judge: check } = answersOneOf(allowed)
        const kinds = (of: Exchange): unknown => [check, ...judges].map((judge) => judge(of)?.kind)
        for (const { name } of toleratedChanges) {
          const { text } = changeText(response.text, [name], seed)
          expect(kinds(exchange(answer(response.status, text)))).toEqual(kinds(one))
        }
        expect(new Tolerance(seed).intolerances(one, check)).toEqual([])
      }),
    )
  })
})

const items = [
  { id: 'c', size: 1 },
  { id: 'd', size: 2 },
]
const listing = exchange(answer(200, { id: 'a', name: 'b', items }))
type Expects = (one: Exchange) => Judgement
const unless =
  (meets: (value: unknown, text: string) => boolean): Expects =>
  ({ response }) =>
    meets(wholeValue(response), response.text) ? holds : violates([success], answeredBy(response))

describe('an expectation that demands too much', () => {
  it.each<[string, Expects, readonly string[]]>([
    ['counts properties', unless((value) => Object.keys(Object(value)).length === 3), ['added-properties']],
    ['relies on positions', unless((_, text) => /"id".*"name"/.test(text)), ['property-order']],
    ['relies on opaque strings', unless((_, text) => text.includes('"a"')), ['opaque-strings']],
  ])('is found if it %s', (_, expects, rules) => {
    const found = new Tolerance(7).intolerances(listing, expects).map(({ rule }) => rule)

    expect(found).toEqual(rules.map((rule) => `tolerance/${rule}`))
  })

  it.each([
    ['suite', 'whatever'],
    ['endpoints-file', 'not the success of the endpoints file: type'],
  ])('is blamed on the %s, and never on the service, for the difference "%s"', (blamed, difference) => {
    const breach = { allowed: [], answered: null, difference, summary: 'x' }
    const expects: Expects = (one) => (one === listing ? holds : { kind: 'violates', breach })

    const found = new Tolerance(7).intolerances(listing, expects)
    expect(found.map(({ breach: { blames } }) => blames)).toEqual(Array(3).fill(blamed))
  })

  it.each<[string, Exchange, Expects]>([
    ['if it failed before the change', listing, answers({ status: 400, errorCode: '1001' }).judge],
    ['for an answer that is not JSON', exchange(answer(200, '<html>')), succeeds().judge],
  ])('is not found %s', (_, one, expects) => {
    expect(new Tolerance(7).intolerances(one, expects)).toEqual([])
  })
})

describe('an answer that is expensive to change', () => {
  const deep = (levels: number): string => `{"id":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const long = (marker: number): string =>
    JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, marker, name: 'a' })))
  /** Whether a tolerance changes this answer to test an expectation that every changed answer fails. */
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

  it('is skipped quickly if it is deep', async () => {
    const leave = (levels: number): void => {
      const response = answer(200, deep(levels))
      for (let times = 0; times < 10; times += 1)
        new Tolerance(times).intolerances(exchange(response), succeeds().judge)
    }

    expect(await growth(leave, 100_000)).toBeLessThan(linear)
  })

  it('of thousands of values is changed twice for each of eight paths, whatever the query', () => {
    const tolerance = new Tolerance(7)
    const list = '/api/customizations/list'
    const targets = [list, list, list, `${list}?page=2`, '/api/b', '/api/b', '/api/b', '/api/c']
    const changed = targets.map((target, marker) => isChanged(tolerance, long(marker), target))
    const more = [...'defghi'].map((path, at) => isChanged(tolerance, long(100 + at), `/api/${path}`))

    expect(changed).toEqual([true, true, false, false, true, true, false, true])
    expect(more).toEqual([...Array<boolean>(5).fill(true), false])
    expect(isChanged(tolerance, '{"id":1}')).toBe(true)
  })
})
