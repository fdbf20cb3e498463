import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forAll } from '../text/properties.testing.ts'
import { judgeLasting, judgeUse, quotaAnswer, type QuotaTurn } from './quota-walk.ts'
import { exchange, refused, requestWith, served } from './testing/exchanges.ts'

const lettered = { S: served, R: refused(429, '1020'), O: refused(400, '1010'), X: refused(403, '1020') }

/**
 * One turn: S means served, R refused for the quota, O refused for another flaw, X odd. `~` stands for a
 * silence before it.
 */
function turnOf(text: string): QuotaTurn {
  const answers = [...text.replace('~', '')].map((letter) => {
    const response = Object.entries(lettered).find(([name]) => name === letter)?.[1] ?? served
    return quotaAnswer(exchange(response), () => letter === 'O')
  })
  return { answers, unanswered: 0, settled: text.startsWith('~') }
}

/** Turns, separated by spaces. */
const turnsOf = (text: string): readonly QuotaTurn[] => text.split(' ').map(turnOf)

function strength({ judgement }: ReturnType<typeof judgeUse>): string {
  if (judgement.kind !== 'violates') return judgement.kind
  const { warning, implied } = judgement.breach
  if (warning === true) return 'warning'
  return implied === true ? 'implied' : 'documented'
}

const client = { whose: 'the client', quota: 3 }

describe('the answers before the first 1020', () => {
  const used = (text: string, quota: number | null = 3, noReset = true): string =>
    strength(judgeUse(turnsOf(text), { ...client, quota, noReset }))

  it.each([
    ['holds', 'SSS R', 'SSR', 'R'],
    ['warning', 'SR', 'SSS S R', 'SSS S SS R', 'SSS S ~R', 'SSS ~S R'],
    ['documented', 'SSS S SS S', 'SSS S ~S R', 'SSS X'],
    ['unclear', 'SSS'],
  ])('give the result %s with a declared quota of three: %j', (expected, ...all) => {
    for (const text of all) expect(used(text), text).toBe(expected)
  })

  it('may span two days unless the quota was certainly not reset', () => {
    expect(used('SSS S ~S R', 3, false)).toBe('warning')
    expect(used('SSS S SS S', 3, false)).toBe('documented')
  })

  it('prove nothing without a declared quota', () => {
    expect([used('SSSS S R', null), used('SSSS S', null)]).toEqual(['holds', 'unclear'])
  })
})

describe('the answers since the first 1020', () => {
  const lasting = (text: string, quota: number | null = 3): string =>
    strength(judgeLasting(turnsOf(text), { ...client, quota }))

  it.each<[result: string, quota: number | null, ...turns: readonly string[]]>([
    ['holds', 3, 'SSS R R R', 'SSS R S S S R R', 'SSS R S S O R R', 'SSS R S S R', 'SSSR S S R R'],
    ['holds', 3, 'SSS R S S S S R R'],
    ['documented', 3, 'SSS R S S R R', 'SSS R RSS R R', 'SSS R S S S S ~S', 'SSS R S S S R R S', 'SSS R X'],
    ['unclear', 3, 'SSS R S', 'SSS'],
    ['holds', null, 'R R'],
    ['unclear', null, 'R S R'],
    ['implied', null, 'R S R S'],
    ['documented', null, 'R X'],
  ])('give the result %s with a declared quota of %s: %j', (expected, quota, ...all) => {
    for (const text of all) expect(lasting(text, quota), text).toBe(expected)
  })

  it('cause only an implied breach if all successes answer HEAD', () => {
    const head = { ...exchange(served), request: requestWith({ method: 'HEAD' }) }
    const turn: QuotaTurn = { answers: [quotaAnswer(head, () => true)], unanswered: 0, settled: false }
    const turns = [...turnsOf('SSS R'), turn, ...turnsOf('R R')]

    expect(strength(judgeLasting(turns, client))).toBe('implied')
  })

  it('break no rule if a retried request may have used the quota', () => {
    const turns = turnsOf('SSS R S S R R').map((turn, at) => (at === 3 ? { ...turn, unanswered: 1 } : turn))

    expect(strength(judgeLasting(turns, client))).toBe('holds')
  })
})

const breach = 'answered 200 with JSON where 429 / 1020 is documented'
const after = 'after it was refused for its quota'

it.each([
  ['SR', 1, { kind: 'violates', breach: { difference: 'refused within its quota' } }, judgeUse],
  ['SSS', 2, { because: 'the client is not exhausted today' }, judgeUse],
  ['SSS S R S', 3, { breach: { summary: `${breach}, 4 times of a declared quota of 3` } }, judgeUse],
  ['SSS', 0, { because: 'the client is not exhausted today' }, judgeLasting],
  ['SSS R S', 4, { because: 'the quota of the client may have been reset' }, judgeLasting],
  ['SSS R S S R R', 4, { breach: { summary: `${breach}, ${after}` } }, judgeLasting],
] as const)('in the turns %s, answer %i gets the judgement %j', (text, shown, says, judge) => {
  const turns = turnsOf(text)
  const { judgement, about } = judge(turns, { ...client, noReset: true })

  expect(turns.flatMap(({ answers }) => answers).findIndex((one) => one.exchange === about)).toBe(shown)
  expect(judgement).toMatchObject(says)
})

const size = fc.integer({ min: 1, max: 4 })
/** Honest days in sequence: at most one reset, before any request, under either reading of "exceeded". */
const honest = fc
  .record({
    quota: fc.integer({ min: 1, max: 5 }),
    grace: fc.boolean(),
    countsOthers: fc.boolean(),
    resetAt: fc.integer({ min: 0, max: 40 }),
    sizes: fc.array(fc.tuple(size, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 20 }),
  })
  .map(({ quota, grace, countsOthers, resetAt, sizes }) => {
    let [used, sent] = [0, 0]
    const words = sizes.map(([length, isOther, isSettled]) => {
      const letters = Array.from({ length }, () => {
        if (sent++ === resetAt) used = 0
        if (isOther && length === 1) {
          if (countsOthers) used += 1
          return 'O'
        }
        if (used >= quota + (grace ? 1 : 0)) return 'R'
        used += 1
        return 'S'
      })
      return `${isSettled ? '~' : ''}${letters.join('')}`
    })
    return { quota, text: words.join(' ') }
  })

it('an honest quota with one reset never breaks the rule, in any sequence of turns', () => {
  forAll(honest, ({ quota, text }) => {
    const [known, turns] = [{ ...client, quota }, turnsOf(text)]
    expect(['holds', 'unclear']).toContain(strength(judgeLasting(turns, known)))
    expect(strength(judgeUse(turns, { ...known, noReset: false }))).not.toBe('implied')
  })
})
