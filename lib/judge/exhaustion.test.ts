import { describe, expect, it } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import { isRefused, judgeExhaustion } from './exhaustion.ts'
import { answer, exchange, refused, served } from './testing/exchanges.ts'

/** S is served, R refused for its quota, O anything else. */
const letters = ['S', 'R', 'O'] as const
type Letter = (typeof letters)[number]

const answers: Readonly<Record<Letter, ReturnType<typeof answer>>> = {
  S: served,
  R: refused(429, '1020'),
  O: refused(401, '1006'),
}

function exchangesOf(word: string): readonly Exchange[] {
  return [...word].map((letter) => exchange(answers[letters.find((one) => one === letter) ?? 'O']))
}

function* words(longest: number): Generator<string> {
  let grown = ['']
  for (let length = 1; length <= longest; length += 1) {
    grown = grown.flatMap((word) => letters.map((letter) => `${word}${letter}`))
    yield* grown
  }
}

/** "Only successes, or success for good after some 1020: inconclusive. A 1020 and success in turn: a violation." */
function expected(word: string): 'holds' | 'violates' | 'unclear' {
  if (word.includes('O') || /R+S+R/.test(word)) return 'violates'
  return word.endsWith('R') ? 'holds' : 'unclear'
}

describe('the answers of a client whose quota is used up', () => {
  it('are judged alike by another formulation, over every sequence of up to six', () => {
    let count = 0
    for (const word of words(6)) {
      count += 1
      const { judgement } = judgeExhaustion(exchangesOf(word), 'the client')
      if (judgement.kind !== expected(word)) expect.fail(`${word}: ${judgement.kind}, not ${expected(word)}`)
    }

    expect(count).toBe(3 + 9 + 27 + 81 + 243 + 729)
  })

  it('are shown by the one that tells', () => {
    const about = (word: string): number => {
      const exchanges = exchangesOf(word)
      return exchanges.indexOf(judgeExhaustion(exchanges, 'the client').about)
    }

    expect(about('RRR')).toBe(2)
    expect(about('SSR')).toBe(2)
    expect(about('RSR')).toBe(1)
    expect(about('SRRSSR')).toBe(3)
    expect(about('RSRO')).toBe(3)
    expect(about('RSS')).toBe(2)
  })

  it('say whose quota says nothing today', () => {
    const { judgement } = judgeExhaustion(exchangesOf('SS'), 'the client of FIXTURE_EXHAUSTED_API_KEY')

    expect(judgement).toEqual({
      kind: 'unclear',
      because: 'the client of FIXTURE_EXHAUSTED_API_KEY is not exhausted today',
    })
  })

  it('are a breach of 429 / 1020', () => {
    const { judgement } = judgeExhaustion(exchangesOf('RSR'), 'the client')

    expect(judgement).toMatchObject({
      breach: {
        allowed: [{ status: 429, errorCode: '1020' }],
        summary: 'answered 200 with JSON where 429 / 1020 is documented',
      },
    })
  })

  it('cannot be judged when there are none', () => {
    expect(() => judgeExhaustion([], 'the client')).toThrow(new RangeError('no answers to judge'))
  })
})

describe('a refusal for the quota', () => {
  it.each([
    ['the whole documented answer', refused(429, '1020'), true],
    ['another status', refused(403, '1020'), false],
    ['no code', answer(429, { message: 'slow down' }), false],
    ['a numeric code', answer(429, { error_code: 1020, error_message: 'a' }), false],
    ['no message', answer(429, { error_code: '1020' }), false],
    ['a success', served, false],
  ])('%s', (_, response, isOne) => {
    expect(isRefused(exchange(response))).toBe(isOne)
  })
})
