import { agreedExceptions, headlineWord } from '../headline.ts'
import { countOf } from '../outcomes.ts'
import { statuses } from '../../verdict/verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { capitalised, counted, grouped } from './wording.ts'

/** The verdict in one sentence. */
export function verdictSentence(judged: Verdict): string {
  const { verdict, exitCode, rules } = judged
  const word = capitalised(headlineWord(judged))
  const exceptions = agreedExceptions(rules)
  const passed = countOf(rules, 'passed')
  const failed = countOf(rules, 'failed')
  const hold = `${counted(passed, 'rule')} ${passed === 1 ? 'holds' : 'hold'}`
  switch (verdict) {
    case 'conformant':
      return `${word}: ${hold}, ${exceptions === null ? 'none' : 'no other'} is violated${others(rules)}.`
    case 'nonconformant':
      return `${word}: ${grouped(failed)} of ${counted(rules.length, 'rule')} ${failed === 1 ? 'is' : 'are'} violated${others(rules)}.`
    case 'incomplete':
      return rules.length === 0
        ? `${word}: no rule was judged.`
        : `${word}: what was judged is not enough for a verdict. ${hold}, ${exceptions === null ? 'none' : `${exceptions}, no other`} is violated${others(rules)}.`
    case 'error':
      return exitCode === 2
        ? `${word}, no verdict: the settings, the command line or the user's files are wrong.`
        : `${word}, no verdict: the suite itself failed.`
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
