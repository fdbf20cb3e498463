import type { ExpectStatic } from 'vitest'
import type { ProgramResult } from './program.ts'

/** Fails unless the program ended in 2 before it sent anything, and told all of this, once. */
export function expectRefused(
  expect: ExpectStatic,
  { code, verdict, stdout, stderr }: ProgramResult,
  says: readonly string[],
): void {
  for (const words of says) expect(stderr).toContain(words)
  expect(stderr).toContain('nothing was sent')
  expectToldOnce(expect, { stdout, stderr })
  expect(verdict).toMatchObject({ verdict: 'error', exitCode: 2, rules: [], requests: { sent: 0 } })
  expect(verdict?.because).not.toEqual([])
  expect(stdout).toContain('exit 2')
  expect(code).toBe(2)
}

/** What is expected stands once on standard error, and is not repeated on standard output. */
export function expectToldOnce(
  expect: ExpectStatic,
  { stdout, stderr }: Pick<ProgramResult, 'stdout' | 'stderr'>,
): void {
  const told = [...stderr.matchAll(/^(\S.*)\n {2}given {5}(.*)\n {2}expected {2}(.+)$/gm)]
  expect(told.length).toBeGreaterThan(0)
  expect(new Set(told.map(([block]) => block)).size).toBe(told.length)
  for (const [, , , expected = ''] of told) {
    expect(stdout.replaceAll(/\s+/g, ' ')).not.toContain(expected.replaceAll(/\s+/g, ' '))
  }
}
