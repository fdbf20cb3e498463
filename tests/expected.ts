import type { ExpectStatic } from 'vitest'
import { rulesThat, type ProgramResult } from './program.ts'

/** Fails unless the service was found conformant, and every rule could be judged but these. */
export function expectConformant(
  expect: ExpectStatic,
  { code, verdict, stdout }: ProgramResult,
  untested: readonly string[] = [],
): void {
  expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive')).toEqual([])
  expect(rulesThat(verdict, 'untested')).toEqual([...untested, 'tolerance/no-breaking-change'])
  expect(verdict).toMatchObject({ verdict: 'conformant', exitCode: 0, because: [] })
  expect(stdout).toContain('CONFORMANT')
  expect(code).toBe(0)
}

/** Fails unless the run was incomplete, blamed nobody, and said all of this on the terminal. */
export function expectIncomplete(
  expect: ExpectStatic,
  { code, verdict, stdout }: ProgramResult,
  says: readonly string[],
): void {
  expect(rulesThat(verdict, 'failed', 'warned')).toEqual([])
  for (const words of says) expect(unwrapped(stdout)).toContain(words)
  expect(verdict).toMatchObject({ verdict: 'incomplete', exitCode: 3 })
  expect(verdict?.because.length).toBeGreaterThan(0)
  expect(stdout).toContain('exit 3')
  expect(code).toBe(3)
}

/** Fails where the service was blamed for anything; whether all could be judged is another matter. */
export function expectNobodyBlamed(expect: ExpectStatic, { code, verdict, stdout }: ProgramResult): void {
  expect(rulesThat(verdict, 'failed', 'warned')).toEqual([])
  expect(stdout).not.toContain('NONCONFORMANT')
  expect([0, 3]).toContain(code)
}

/** What a terminal says, wherever its lines were broken. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
