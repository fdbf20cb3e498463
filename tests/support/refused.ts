import { expect } from 'vitest'
import type { ProgramResult } from './program.ts'

/** Fails unless standard error states each expectation once and standard output does not repeat it. */
export function expectToldOnce({ stdout, stderr }: Pick<ProgramResult, 'stdout' | 'stderr'>): void {
  const told = [...stderr.matchAll(/^(\S.*)\n {2}given {5}(.*)\n {2}expected {2}(.+)$/gm)]
  expect(told.length).toBeGreaterThan(0)
  expect(new Set(told.map(([block]) => block)).size).toBe(told.length)
  for (const [, , , expected = ''] of told) {
    expect(stdout.replaceAll(/\s+/g, ' ')).not.toContain(expected.replaceAll(/\s+/g, ' '))
  }
}
