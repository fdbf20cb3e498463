import { agreedExceptions, wordWithExceptions } from './headline.ts'
import { isPartial } from '../verdict/verdict.ts'
import type { ExitCode, Verdict } from '../verdict/verdict.ts'

const meanings: Readonly<Record<ExitCode, string>> = {
  0: 'conformant: nothing violated; warnings and untested rules are listed',
  1: 'nonconformant: at least one violation that no waiver covers',
  2: "error: the settings, the command line or the user's files are wrong",
  3: 'incomplete: what was judged is not enough for a verdict',
  4: 'error: the suite itself failed',
}

/** `exit 1: nonconformant: …`, with what qualifies the verdict. Source: Exit codes of run, in the README. */
export function exitMeaning(verdict: Verdict): string {
  return `exit ${verdict.exitCode}: ${isPartial(verdict) ? 'partial, ' : ''}${meaningOf(verdict)}`
}

function meaningOf(verdict: Verdict): string {
  const isExcepted = verdict.exitCode === 0 && agreedExceptions(verdict.rules) !== null
  return isExcepted
    ? `${wordWithExceptions(verdict)}: nothing else violated; warnings and untested rules are listed`
    : meanings[verdict.exitCode]
}
