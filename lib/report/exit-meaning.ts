import type { ExitCode } from './verdict.ts'

const meanings: Readonly<Record<ExitCode, string>> = {
  0: 'conformant: nothing violated; warnings and untested rules are listed',
  1: 'nonconformant: at least one violation that no waiver covers',
  2: "error: the settings, the command line or the user's files are wrong",
  3: 'incomplete: what was judged is not enough for a verdict',
  4: 'error: the suite itself failed',
}

/** `exit 1: nonconformant: …`. Source: Exit codes of run, in the README. */
export function exitMeaning(code: ExitCode): string {
  return `exit ${code}: ${meanings[code]}`
}
