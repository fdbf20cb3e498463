import { scenario } from '../lib/engine/cases.ts'
import { comparison } from '../lib/engine/comparison.ts'
import { area, rule } from '../lib/suite/rule.ts'

export const tolerance = area('Tolerance', [
  // Held against every answer of the run as it came, and summed up here when all other rules have ended.
  rule('tolerance/added-properties', () => []),
  rule('tolerance/property-order', () => []),
  rule('tolerance/opaque-strings', () => []),

  rule('tolerance/no-breaking-change', (context) => {
    const compared = comparison(context)
    if ('untested' in compared) return compared
    return [
      scenario('compared', 0, async (stage) => {
        await stage.session.compareWith(compared.baseline, stage.context)
        return []
      }),
    ]
  }),
])
