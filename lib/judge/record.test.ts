import { describe, expect, it } from 'vitest'
import { success, type Answer } from '../specification/answers.ts'
import { answersOneOf, type Breach } from './judge.ts'
import { fingerprintOf, isIntermittent, isSteady } from './record.ts'
import { answer, exchange, fieldsWith, refused, requestWith } from './testing/exchanges.ts'

const endpoint = 'GET /api/customizations/list'
const allowed: readonly Answer[] = [
  { status: 400, errorCode: '1001' },
  { status: 401, errorCode: '1006' },
]

function breachBy(
  response: ReturnType<typeof answer>,
  request = requestWith(),
  wanted: readonly Answer[] = allowed,
): Breach {
  const judged = answersOneOf(wanted).judge(exchange(response, request))
  if (judged.kind !== 'violates') throw new Error('the answer is allowed')
  return judged.breach
}

const known = breachBy(refused(401, '1007'))

describe('a fingerprint', () => {
  // Waivers store fingerprints, so these must never change.
  it('stays the same in every release', () => {
    expect(fingerprintOf(endpoint, known)).toMatch(/^[0-9a-f]{16}$/)
    expect(fingerprintOf(endpoint, known)).toBe('874c4354178c976c')
    expect(fingerprintOf(endpoint, breachBy(answer(404, ''), requestWith(), [success]))).toBe(
      '5bfa8751a49341b4',
    )
    expect(fingerprintOf(endpoint, { ...known, difference: 'no answer: timeout', answered: null })).toBe(
      'ea0518075eb3ccaf',
    )
  })

  it('does not depend on the values sent, the message, or the order of the allowed answers', () => {
    const others = [
      breachBy(refused(401, '1007'), requestWith({ target: '/api/customizations/list?seed=2' })),
      breachBy(refused(401, '1007'), requestWith({ fields: fieldsWith({ 'x-api-key': 'another value' }) })),
      breachBy(answer(401, { error_message: 'another', error_code: '1007', more: 1 })),
      breachBy(refused(401, '1007', { fields: [] })),
      breachBy(refused(401, '1007'), requestWith(), allowed.toReversed()),
      { ...known, summary: 'told in other words, by another seed, at another address' },
    ]

    expect(new Set(others.map((breach) => fingerprintOf(endpoint, breach)))).toEqual(
      new Set([fingerprintOf(endpoint, known)]),
    )
  })

  it('depends on the endpoint, the allowed set, the status, the code and the kind of difference', () => {
    const different = [
      fingerprintOf(endpoint, known),
      fingerprintOf('GET /api/cards/list', known),
      fingerprintOf(endpoint, breachBy(refused(401, '1007'), requestWith(), allowed.slice(1))),
      fingerprintOf(endpoint, breachBy(refused(403, '1007'))),
      fingerprintOf(endpoint, breachBy(refused(401, '1012'))),
      fingerprintOf(endpoint, breachBy(answer(401, { error_code: '1007' }))),
      fingerprintOf(endpoint, breachBy(answer(401, ''))),
      fingerprintOf(endpoint, { ...known, difference: 'no answer: timeout', answered: null }),
      fingerprintOf(endpoint, { ...known, difference: 'no answer: tls', answered: null }),
    ]

    expect(new Set(different).size).toBe(different.length)
  })
})

it.each<[reproduced: string, steady: boolean, intermittent: boolean]>([
  ['3 of 3', true, false],
  ['2 of 2', true, false],
  ['1 of 1', false, false],
  ['1 of 3', false, true],
  ['12 of 13', false, true],
])('a finding seen in %s is steady (%s) or intermittent (%s)', (reproduced, steady, intermittent) => {
  expect(isSteady({ reproduced })).toBe(steady)
  expect(isIntermittent({ reproduced })).toBe(intermittent)
})
