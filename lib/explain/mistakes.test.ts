import { describe, expect, it } from 'vitest'
import { causesOf, type JudgedRule } from './causes.ts'
import type { Finding, ShownExchange } from '../judge/record.ts'
import { failed, found, served } from './testing/causes.ts'

const flaws = ['apiKey absent', 'secretKey absent', 'version absent'] as const

/** A finding of each of three flaws, all with this answer. */
function three(more: (flaw: string) => Partial<Finding>): JudgedRule {
  return failed('fuzz/headers', ...flaws.map((flaw) => found(flaw, { flaws: [flaw] }, more(flaw))))
}

function exchange(body: string, accept: string | null, status = 400): ShownExchange {
  return {
    request: {
      method: 'GET',
      url: 'https://cards.example/api',
      headers: accept === null ? [] : [['accept', accept]],
    },
    response: { status, headers: [['content-type', 'application/json']], body, bodyCut: 0 },
    durationMs: 1,
  }
}

const sound = exchange('{"error_code":"1001","error_message":"m"}', 'application/json')
const page = exchange('<h1>Error</h1>', null)

describe('one mistake', () => {
  it.each<[string, (flaw: string) => Partial<Finding>]>([
    [
      'Every error answer has a body that is not JSON',
      () => ({ difference: 'body is not JSON', exchange: page }),
    ],
    ['Every error answer lacks error_message', () => ({ difference: 'error_message is missing' })],
    ['Every error answer has status 422', () => ({ exchange: { ...sound, response: null } })],
    [
      'Every error answer with accept-language: de has status 422',
      () => ({
        exchange: { ...sound, response: null },
        sent: {
          endpoint: 'GET /a',
          client: 'target',
          plain: false,
          flaws: null,
          requests: 1,
          conditions: ['accept-language: de'],
        },
      }),
    ],
    [
      'Every error answer has error_code "E1001" in the place of "1001", or alike',
      () => ({ answered: { status: 400, errorCode: 'E1001' }, exchange: { ...sound, response: null } }),
    ],
  ])('is told once: %s', (sentence, more) => {
    expect(causesOf([three(more)]).map((cause) => cause.sentence)).toEqual([sentence])
  })

  it('names what makes it, where a sound answer shows that', () => {
    const rules = [three(() => ({ difference: 'body is not JSON', exchange: page }))].map((rule) => ({
      ...rule,
      sample: sound,
    }))

    expect(causesOf(rules)).toMatchObject([
      { sentence: 'Every error answer without accept has a body that is not JSON' },
    ])
  })

  it('is not said of every answer where some are sound', () => {
    const other = exchange('{"error_code":"1002","error_message":"m"}', null)
    const rule = { ...three(() => ({ difference: 'error_message is missing' })), sample: other }

    expect(causesOf([rule])).toMatchObject([
      { sentence: 'Several kinds of error answer: each lacks error_message' },
    ])
  })

  it('is as grave as the gravest of its findings', () => {
    const rule = failed(
      'fuzz/headers',
      found('a', { flaws: ['apiKey invalid'], conditions: ['accept: */*'] }, served),
      found('b', { flaws: ['version absent'], conditions: ['accept: */*'] }, served),
    )

    expect(causesOf([rule])).toMatchObject([{ severity: 'security', cases: ['a', 'b'] }])
  })

  it('is another where requests with other flaws are let in', () => {
    expect(causesOf([three(() => served)])).toHaveLength(3)
  })
})

describe('answers that are documented for another request', () => {
  const answers = ['1001', '1003', '1007'] as const
  const crossing = (count: number, reproduced: `${number} of ${number}`): JudgedRule =>
    failed(
      'fuzz/headers',
      ...flaws.slice(0, count).map((flaw, place) =>
        found(
          flaw,
          { flaws: [flaw] },
          {
            reproduced,
            answered: { status: place === 2 ? 401 : 400, errorCode: answers[place] ?? '1001' },
          },
        ),
      ),
    )

  it('are one cause where three came only sometimes, with those that were not sent again', () => {
    const unconfirmed = { reproduced: '1 of 1', answered: { status: 400, errorCode: '1002' } } as const
    const alone = failed('fuzz/api-key', found('a', { flaws: ['version malformed'] }, unconfirmed))

    expect(causesOf([crossing(3, '1 of 3'), alone]).map(({ sentence }) => sentence)).toEqual([
      'Requests get an answer that is documented for another request (only sometimes)',
    ])
  })

  it.each([
    ['came every time', 3, '3 of 3', 3],
    ['are told by the simplest one where they are two', 2, '1 of 3', 1],
  ] as const)('%s', (_, count, reproduced, causes) => {
    const told = causesOf([crossing(count, reproduced)])

    expect(told).toHaveLength(causes)
    expect(told.map(({ sentence }) => sentence).join()).not.toContain('for another request')
  })
})
