import { agreedExceptions, isCovered } from './headline.ts'
import { countOf } from './outcomes.ts'
import { plural } from './plural.ts'
import { violationOf } from '../verdict/conclude.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** The verdict in one sentence, without its word and without a full stop. It names the waived rules; it may hold texts of a target. */
export function verdictSentence({ verdict, rules, because }: Verdict): string {
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
      return because.length === 1
        ? `${because[0] ?? ''}${exceptions}`
        : `what was judged is not enough for a verdict, for ${plural(because.length, 'reason')}${exceptions}`
    case 'error':
      return because.length === 1
        ? (because[0] ?? '')
        : `the run came to no verdict, for ${plural(because.length, 'reason')}`
  }
}

/** The reasons of a verdict but those that say which rule is violated, which its findings say better. */
export function otherReasons({ because, rules }: Verdict): readonly string[] {
  const violated = new Set(rules.filter(({ status }) => status === 'failed').map(violationOf))
  return because.filter((reason) => !violated.has(reason))
}
