import { expect, it } from 'vitest'
import { answersNoticed } from './noticed.ts'

it('a wrong answer at any of the counted places is noticed', async () => {
  const { answers, sent, noticed } = await answersNoticed({ RUN_ESSENTIAL: 'true' })
  expect(sent).toBeGreaterThan(25)
  // What is observed only may also show a fault, so more may be noticed than counted.
  expect(noticed).toBeGreaterThanOrEqual(answers)
  expect(answers).toBeGreaterThan(sent * 0.9)
}, 120_000)
