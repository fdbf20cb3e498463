import { describe } from 'vitest'
import { scenario } from '../lib/session/cases.ts'
import { comparison } from '../lib/suite/comparison.ts'
import { sumOfRun } from '../lib/suite/rule.ts'

describe('Tolerance', () => {
  // Held against every answer of the run as it came, and summed up here when all other rules have ended.
  sumOfRun('tolerance/added-properties', () => [])
  sumOfRun('tolerance/property-order', () => [])
  sumOfRun('tolerance/opaque-strings', () => [])

  sumOfRun('tolerance/no-breaking-change', (context) => {
    const compared = comparison(context)
    if ('untested' in compared) return compared
    return [
      scenario('compared', 0, async ({ session, context: rule }) => {
        await session.compareWith(compared.baseline, rule)
        return []
      }),
    ]
  })
})
