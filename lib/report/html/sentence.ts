import { countOf, statuses } from '../outcomes.ts'
import type { Verdict } from '../verdict.ts'
import { counted, grouped } from './wording.ts'

/** The verdict in one sentence. */
export function verdictSentence({ verdict, exitCode, rules }: Verdict): string {
  const passed = countOf(rules, 'passed')
  const failed = countOf(rules, 'failed')
  const hold = `${counted(passed, 'rule')} ${passed === 1 ? 'holds' : 'hold'}`
  switch (verdict) {
    case 'conformant':
      return `Conformant: ${hold}, none is violated${others(rules)}.`
    case 'nonconformant':
      return `Nonconformant: ${grouped(failed)} of ${counted(rules.length, 'rule')} ${failed === 1 ? 'is' : 'are'} violated${others(rules)}.`
    case 'incomplete':
      return rules.length === 0
        ? 'Incomplete: no rule was judged.'
        : `Incomplete: what was judged is not enough for a verdict. ${hold}, none is violated${others(rules)}.`
    case 'error':
      return exitCode === 2
        ? "Error, no verdict: the settings, the command line or the user's files are wrong."
        : 'Error, no verdict: the suite itself failed.'
  }
}

/** `, 1 warned, 2 untested`: what is neither passed nor failed. */
function others(rules: Verdict['rules']): string {
  return statuses
    .filter((status) => status !== 'passed' && status !== 'failed')
    .map((status) => ({ status, count: countOf(rules, status) }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `, ${grouped(count)} ${status}`)
    .join('')
}
