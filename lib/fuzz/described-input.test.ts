import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MutatedRequest } from './case-class.ts'
import { draw, drawNamed } from './case-schedule.ts'
import { describedClasses } from './described-input.ts'
import { inputOf, plain } from './testing/requests.ts'

const input = inputOf('key-1234567890', 'secret-1234567890', {
  path: '/api/cards/c-1/day',
  query: 'status=active',
  described: {
    file: 'e.json',
    number: 2,
    template: '/api/cards/{cardId}/{kind}',
    pathParameters: {
      cardId: { schema: { type: 'string', maxLength: 4 }, example: 'c-1' },
      kind: { schema: { enum: ['day', 'month'] }, example: 'day' },
    },
    query: {
      type: 'object',
      required: ['status'],
      properties: {
        status: { enum: ['active', 'a b'] },
        limit: { type: 'integer', minimum: 1, maximum: 9 },
        tag: { type: 'array', maxItems: 1, items: { enum: ['x'] } },
      },
    },
    body: null,
  },
})

function casesOf(name: string, given = input): readonly MutatedRequest[] {
  const found = describedClasses(given).find((one) => one.name === name)
  return Array.from({ length: found?.count ?? 0 }, (_, nth) =>
    fc.sample(found?.nth(nth) ?? fc.constant(null), { numRuns: 1, seed: 1 }),
  )
    .flat()
    .filter((one) => one !== null)
}

function sentBy(name: string): readonly string[] {
  return casesOf(name).map(({ apply }) => apply(plain(input)).target.replace('/api/cards/', ''))
}

describe('described input', () => {
  it('that is forbidden is sent for each parameter in turn, and must never be served', () => {
    const sent = sentBy('described-outside')

    expect(sent.slice(0, 6)).toEqual([
      'c-1/day?status=activezz',
      'c-1/day?status=active&limit=10',
      'c-1/day?status=active&tag=xzz',
      'c-1/day?',
      'aaaaa/day?status=active',
      'c-1/dayzz?status=active',
    ])
    for (const { allowed = [] } of casesOf('described-outside'))
      expect(allowed.map(({ errorCode }) => errorCode)).not.toContain(null)
  })

  it('that is valid and complete must not be refused', () => {
    expect(sentBy('described-inside')).toEqual(
      expect.arrayContaining([
        'c-1/day?status=a%20b',
        'c-1/day?status=active&limit=9',
        'c-1/day?status=active&tag=x',
      ]),
    )
    for (const { allowed } of casesOf('described-inside'))
      expect(allowed).toEqual([{ status: '2xx', errorCode: null }])
  })

  it('for a path may name something that does not exist', () => {
    expect(sentBy('described-open')).toContain('c-1/month?status=active')
    for (const { allowed = [] } of casesOf('described-open')) expect(allowed).toHaveLength(3)
  })

  it('for a body is sent with one member changed, as JSON with a content type', () => {
    const described = {
      file: 'e.json',
      number: 1,
      template: '/api/cards',
      pathParameters: {},
      query: null,
      body: {
        schema: {
          type: 'object',
          required: ['limit', 'owner'],
          additionalProperties: false,
          properties: {
            limit: { type: 'integer', minimum: 1, maximum: 9 },
            owner: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string', maxLength: 3 } },
            },
          },
        },
        example: { limit: 5, owner: { name: 'Ada' } },
      },
    }
    const sent = (name: string, more: object = {}) =>
      casesOf(name, { ...input, described: { ...described, body: { ...described.body, ...more } } }).map(
        ({ apply, says, allowed = [] }) => [
          apply({ ...plain(input), body: '{}' }).body,
          says.replace(' (e.json, entry 1)', ''),
          allowed.map(({ errorCode }) => errorCode).join(' '),
        ],
      )

    expect(sent('described-outside')).toEqual(
      expect.arrayContaining([
        ['', 'empty body', '1030'],
        ['{{"limit":5,"owner":{"name":"Ada"}}', 'body that is broken JSON', '1030'],
        ['{"limit":10,"owner":{"name":"Ada"}}', 'body with limit 10, must be <= 9', '1030'],
        ['{"limit":"9","owner":{"name":"Ada"}}', 'body with limit "9", must be integer', '1030'],
        ['{"limit":null,"owner":{"name":"Ada"}}', 'body with limit null, must be integer', '1030'],
        [
          '{"limit":5,"owner":{"name":"aaaa"}}',
          'body with owner.name "aaaa", must NOT have more than 3 characters',
          '1030',
        ],
        ['{"limit":5,"owner":{}}', "body without owner.name, must have required property 'name'", '1030'],
        ['{"owner":{"name":"Ada"}}', "body without limit, must have required property 'limit'", '1030'],
        [
          '{"limit":5,"owner":{"name":"Ada"},"zz":"zz"}',
          'body with zz "zz", must NOT have additional properties',
          '1030',
        ],
        ['[]', 'body with [], must be object', '1030'],
      ]),
    )
    expect(sent('described-inside')).toContainEqual([
      '{"limit":9,"owner":{"name":"Ada"}}',
      'body with limit 9',
      '',
    ])
    expect(sent('described-open', { required: false })).toEqual([
      ['', 'empty body', ' 1030'],
      ['{"limit":5,"owner":{"name":"aaa"}}', 'body with owner.name "aaa"', ' 1030'],
      ['{"limit":5,"owner":{"name":"😀😀😀"}}', 'body with owner.name "😀😀😀"', ' 1030'],
    ])
  })

  it('continues after the listed cases with draws of the same kind, each found by its name', () => {
    const classes = describedClasses(input)
    const outside = classes.find(({ name }) => name === 'described-outside')
    const says = Array.from({ length: 200 }, (_, at) =>
      outside === undefined ? null : draw({ caseClass: outside, nth: at }, 1, 'fuzz/query'),
    )

    expect(new Set(says.map((one) => one?.mutated.says)).size).toBeGreaterThan(100)
    for (const one of says)
      expect(drawNamed(one?.name ?? '', classes, 1, 'fuzz/query')?.mutated.says).toBe(one?.mutated.says)
  })

  it('is empty without an endpoints file', () => {
    expect(describedClasses({ ...input, described: null })).toEqual([])
  })
})
