import { agreedExceptions, isCovered } from './headline.ts'
import { countOf } from './outcomes.ts'
import { plural } from './plural.ts'
import { violationOf } from '../verdict/conclude.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** The verdict in one sentence, without its word, its reasons and a full stop. It names the waived rules. */
export function verdictSentence({ verdict, exitCode, rules }: Verdict): string {
  const waived = rules.filter(isCovered).map(({ id }) => id)
  const exceptions = waived.length === 0 ? '' : `; waived: ${waived.join(', ')}`
  switch (verdict) {
    case 'conformant': {
      const left = (['warned', 'untested', 'inconclusive'] as const)
        .map((status) => ({ status, count: countOf(rules, status) }))
        .filter(({ count }) => count > 0)
        .map(({ status, count }) => `, ${plural(count, 'rule')} ${status}`)
      const none =
        exceptions === '' ? 'nothing is violated' : `${agreedExceptions(rules)}, nothing else is violated`
      return `${none}, ${plural(countOf(rules, 'passed'), 'rule')} passed${left.join('')}${exceptions}`
    }
    case 'nonconformant': {
      const failed = countOf(rules, 'failed')
      return `${failed} of ${plural(rules.length, 'rule')} ${failed === 1 ? 'is' : 'are'} violated${exceptions}`
    }
    case 'incomplete':
      return rules.length === 0
        ? 'no rule was judged'
        : `what was judged is not enough for a verdict${exceptions}`
    case 'error':
      return exitCode === 2
        ? "the settings, the command line or the user's files are wrong"
        : 'the suite itself failed'
  }
}

/** The reasons of a verdict but those that say which rule is violated, which its findings say better. */
export function otherReasons({ because, rules }: Verdict): readonly string[] {
  const violated = new Set(rules.filter(({ status }) => status === 'failed').map(violationOf))
  return because.filter((reason) => !violated.has(reason))
}
