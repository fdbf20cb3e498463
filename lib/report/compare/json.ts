import { jsonText } from '../../verdict/json-text.ts'
import type { Comparison, Difference } from './comparison.ts'

/** The name of the format of a comparison. */
export const comparisonFormat = 'card-switch-conformance/comparison/1'

/** A comparison for programs: the runs without their rules, each difference whole, every rule by run. */
export function comparisonJson({ sides, differences, matrix, worse }: Comparison): string {
  const runs = sides.map(({ path, because, run }) => {
    const { suite, target, profile, strict, seed, fuzzCases, selection, startedAt, durationMs } = run
    const { verdict, exitCode, requests, latencyMs } = run
    const asked = { suite, target, profile, strict, seed, fuzzCases, selection }
    return { path, verdict, exitCode, because, ...asked, startedAt, durationMs, requests, latencyMs }
  })
  const value = { format: comparisonFormat, worse, runs, differences: differences.map(plain), matrix }
  return `${jsonText(value, 2)}\n`
}

function plain({ side, sameTarget, circumstances, worse, rules, observations }: Difference) {
  return { path: side.path, sameTarget, circumstances, worse, rules, observations }
}
