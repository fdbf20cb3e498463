import type { Baseline } from '../lib/drift/baseline.ts'
import { area, rule, scenario, type Untestable } from '../lib/run/plan/cases.ts'
import type { SuiteContext } from '../lib/run/plan/suite-context.ts'

export const tolerance = area('Tolerance', [
  // Every answer in the run is judged as it arrives; these rules summarize the results at the end.
  rule('tolerance/added-properties', () => []),
  rule('tolerance/property-order', () => []),
  rule('tolerance/opaque-strings', () => []),

  rule('tolerance/no-breaking-change', (context) => {
    const compared = baselineOf(context)
    if ('untested' in compared) return compared
    return [
      scenario('compared', 0, async (stage) => {
        await stage.compareWith(compared)
        return []
      }),
    ]
  }),
])

/** The baseline to compare with, or the reason why there is none. */
function baselineOf({ settings, baseline }: SuiteContext): Baseline | Untestable {
  switch (settings.run.baseline?.mode) {
    case undefined:
      return { untested: 'no baseline is given (RUN_BASELINE)' }
    case 'widen':
      return { untested: 'this run widens the baseline and does not compare with it (RUN_UPDATE_BASELINE)' }
    case 'replace':
      return { untested: 'this run replaces the baseline and does not compare with it (RUN_RESET_BASELINE)' }
    case 'compare':
      return (
        baseline ?? { untested: 'the baseline file does not exist yet: a run without violations writes it' }
      )
  }
}
