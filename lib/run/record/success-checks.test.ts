import { expect, it } from 'vitest'
import type { Response } from '../../http/exchange.ts'
import { answer, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import { underLimits } from '../../specification/within.testing.ts'
import { MachineTooBusy } from '../../specification/within.ts'
import { listEndpoint } from '../testing/contexts.ts'
import { successChecks } from './checks.ts'

const cards = { type: 'array', items: { type: 'object', required: ['id'] } }
const describedBy = { file: 'e.json', number: 3, template: '/api/x', pathParameters: {} }
const described = { ...describedBy, query: null, body: null }
const busy = {
  get properties(): never {
    throw new MachineTooBusy(50_000)
  },
}
const shapes = {
  none: null,
  cards: { type: 'object', required: ['cards'], properties: { cards } },
  unique: { properties: { list: { uniqueItems: true } } },
  nested: { properties: { next: { $ref: '#' } } },
  busy,
}
const checks = await successChecks(
  Object.entries(shapes).map(([label, success]) => ({ ...listEndpoint, label, success, described })),
)

const long = Array.from({ length: 60_000 }, (_, a) => ({ a }))
const deep = `${'{"next":'.repeat(100_000)}{}${'}'.repeat(100_000)}`
const unchecked = 'could not be checked against its schema in e.json (entry 3)'
const holds = { kind: 'holds' }

it.each<[string, string, Response, object]>([
  ['with any JSON is a success if no shape is given', 'none', served, holds],
  ['with a list is a success if no shape is given', 'none', answer(200, []), holds],
  ['with an error is never a success', 'none', refused(401, '1006'), { kind: 'violates' }],
  ['from an unknown endpoint is a success', 'unknown', served, holds],
  ['that fits the shape is a success', 'cards', answer(200, { cards: [] }), holds],
  [
    'with more than the shape is a success',
    'cards',
    answer(200, { more: 1, cards: [{ id: 'a', colour: 'red' }] }),
    holds,
  ],
  ['is unclear if it is deep', 'nested', answer(200, deep), unclear('it is too large or too deep')],
  [
    'is unclear under heavy load',
    'busy',
    served,
    unclear('this machine was too busy to do this within 50 s'),
  ],
])('an answer %s', (_, label, response, judgement) => {
  expect(checks(label).judge(exchange(response))).toMatchObject(judgement)
})

it('a success that takes too long to check is unclear, and is not checked again', () => {
  const { judge } = checks('unique')
  const tooSlow = `an answer of unique ${unchecked}: it takes longer than 0.1 s`
  const late = { kind: 'unclear', because: tooSlow }
  const judged = (list: readonly unknown[]): unknown => judge(exchange(answer(200, { list })))

  expect(judged([])).toEqual(holds)
  expect(underLimits({ value: 100 }, () => judged(long))).toEqual(late)
  expect(judged([])).toEqual(late)
  expect(judge(exchange(refused(401, '1006'))).kind).toBe('violates')
})

function unclear(why: string): object {
  return { kind: 'unclear', because: expect.stringContaining(`${unchecked}: ${why}`) }
}

it.each([
  ['at the first item', { cards: [{}] }, '/cards/0'],
  ['at a later item', { cards: [{ id: 'a' }, {}] }, '/cards/1'],
])('a success that breaks its shape is reported with the place but one fingerprint: %s', (_, body, place) => {
  const check = checks('cards')

  expect(check.allowed).toEqual([{ status: '2xx', errorCode: null }])
  expect(check.judge(exchange(answer(200, body)))).toMatchObject({
    kind: 'violates',
    breach: {
      answered: { status: 200, errorCode: null },
      difference: 'not the success of the endpoints file: required',
      summary: `cards answered 200 without what e.json demands of it (entry 3: ${place} must have required property 'id')`,
    },
  })
})

it.each([refused(401, '1006'), refused(200, '1006'), answer(200, '<html>'), answer(204, '')])(
  'an error, a page or an empty body is not a success, whatever the shape',
  (response) => {
    const judgement = checks('cards').judge(exchange(response))
    const breach = { allowed: [{ status: '2xx', errorCode: null }] }

    expect(judgement).toMatchObject({ kind: 'violates', breach })
    expect(JSON.stringify(judgement)).not.toContain('e.json')
  },
)
