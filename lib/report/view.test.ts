import { expect, it } from 'vitest'
import type { Answer } from '../specification/answers.ts'
import { findingWith, ruleWith, targetWith, verdictWith, waiver } from '../verdict/verdict.testing.ts'
import type { VerdictRule } from '../verdict/verdict.ts'
import { summaryMarkdown } from './render/summary.ts'
import { alike, failing, unlike, violated } from './testing/verdicts.ts'
import { view } from './view.ts'

const causesOf = (...rules: readonly VerdictRule[]) => view(violated(...rules)).causes

it('the causes of a view show at least one finding each, more if there is room, and count the rest', () => {
  const of = (count: number) => causesOf(failing('fuzz/path', ...unlike(count, 'path')))
  const same = Array.from({ length: 500 }, (_, place) => alike(`${place}`))
  const shown = of(300)

  expect(shown).toHaveLength(300)
  expect(shown.every(({ findings, hidden }) => findings.length + hidden === 1 && hidden === 0)).toBe(true)
  expect(
    causesOf(failing('fuzz/path', ...same)).map(({ findings, hidden }) => [findings.length, hidden]),
  ).toEqual([[180, 320]])
})

it('the causes of a view show each fingerprint once, with its total count and three further cases', () => {
  const same = Array.from({ length: 10_000 }, (_, index) =>
    findingWith({ case: `case-${index}`, count: 2, examples: [] }),
  )
  const [cause] = causesOf(failing('fuzz/path', ...same))
  const also = cause?.findings[0]?.facts.filter(({ label }) => label === 'also')

  expect(cause?.findings).toHaveLength(1)
  expect(cause?.findings[0]?.often).toBe('3 of 3; met 20000 times')
  expect(also).toHaveLength(3)
  expect(cause?.hidden).toBe(0)
})

it.each<[Answer, expected: string]>([
  [{ status: 401, errorCode: '1006' }, ruleWith('fuzz/path').says],
  [{ status: 400, errorCode: '1006' }, '400 / 1006'],
  [{ status: 401, errorCode: '1001' }, '401 / 1001'],
])('if %j is documented, the causes of a view show as expected: %s', (answer, expected) => {
  const finding = findingWith({ allowed: [answer], summary: 'no error_message' })
  const [cause] = causesOf(failing('fuzz/path', finding))
  const got = expected === ruleWith('fuzz/path').says ? 'no error_message' : '401 / 1006 (invalid api key)'

  expect(cause).toMatchObject({ expected, got })
})

it.each([
  [115, 'all 115, fuzz 100, quota 10, of no rule 5'],
  [110, 'all 110, fuzz 100, quota 10'],
])('%i requests are counted by area, largest first', (sent, says) => {
  const byRule = { 'quota/exhausted': 10, 'fuzz/path': 60, 'fuzz/query': 40 }
  const requests = { sent, retried: 0, confirming: 0, budget: 200, byRule }
  const shown = view(verdictWith({ requests })).requests

  expect(shown.map(({ label, value }) => `${label} ${value}`).join(', ')).toBe(says)
})

it('an endpoint that was not judged is an agreed exception if a waiver covers it', () => {
  const because = 'no success is described'
  const notJudged = [{ endpoint: 'POST /b', because, fingerprint: 'f3c4', waived: 'agreed (Kim)' }]
  const covering = { ...waiver, rule: null, fingerprint: 'f3c4', used: true }
  const target = targetWith({ notJudged })
  const shown = view(verdictWith({ profile: 'acceptance', target, waivers: [covering] }))

  expect(shown.word).toBe('conformant with 1 agreed exception')
  expect(shown.endpoints).toEqual([{ name: 'POST /b', because, waived: 'agreed (Kim)' }])
  expect(shown.sentence).toMatch(/; waived: POST \/b$/)
  expect(summaryMarkdown(shown)).not.toContain('f3c4')
})
