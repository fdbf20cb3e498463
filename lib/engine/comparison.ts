import type { Baseline } from '../drift/baseline.ts'
import type { Untestable } from './cases.ts'
import type { SuiteContext } from './suite-context.ts'

/** The baseline that answers are compared with, or why none is. */
export function comparison({
  settings,
  baseline,
}: Pick<SuiteContext, 'settings' | 'baseline'>): { readonly baseline: Baseline } | Untestable {
  const asked = settings.run.baseline
  if (asked === null) return { untested: 'no baseline is given (RUN_BASELINE)' }
  if (asked.mode === 'widen')
    return { untested: 'the baseline is widened by this run, not compared with (RUN_UPDATE_BASELINE)' }
  if (asked.mode === 'replace')
    return { untested: 'the baseline is replaced by this run, not compared with (RUN_RESET_BASELINE)' }
  if (baseline === null)
    return { untested: 'the baseline file does not exist yet: a run without violations writes it' }
  return { baseline }
}
