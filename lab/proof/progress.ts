import type { Outcome } from './subject.ts'

/** One line for each run that ended badly, and one for every twentieth, so that a log of CI stays readable. */
export function progressLine(outcome: Outcome, done: number, all: number): string {
  const { kind, name, profile, result, seconds, shortcomings } = outcome
  const bad = shortcomings.length > 0
  if (!bad && done % 20 !== 0 && done !== all) return ''

  const line = `${done}/${all} ${bad ? '✗' : '✓'} ${profile}: ${kind} ${name}: ${result}, ${seconds.toFixed(1)} s\n`
  return line + shortcomings.map((sentence) => `      ${sentence}\n`).join('')
}
