import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { describe } from 'vitest'

/** Debian keeps such programs in /usr/sbin, which is not on every user's path. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin']

/** The path of an installed program, or null. A module is named by its full path. */
export function pathOf(program: string): string | null {
  if (isAbsolute(program)) return existsSync(program) ? program : null
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file)) ?? null
}

/** Whether a test may rely on a program: it is installed, or TESTS_DEMAND_PROGRAMS demands it. */
export const demands = (program: string): boolean => whyLeftOut(program) === null

/** Tests that need a program. Skipped if it is not installed, unless TESTS_DEMAND_PROGRAMS demands it. */
export const describeWith = (program: string, title: string, tests: () => void): void =>
  describeUnless(whyLeftOut(program), title, tests)

/** Tests that install packages. Skipped if that is impossible, which `support/before-programs.ts` finds out. */
export const describeWithPackages = (title: string, tests: () => void): void =>
  describeUnless(process.env['TESTS_NO_PACKAGES'] ?? null, title, tests)

/** Tests that are skipped for this reason, which their title gives, unless it is null. */
function describeUnless(because: string | null, title: string, tests: () => void): void {
  describe.skipIf(because !== null)(because === null ? title : `${title} (${because})`, tests)
}

function whyLeftOut(program: string): string | null {
  if (pathOf(program) !== null || (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== '') return null
  return `${program} is not installed: .ci/run and .ci/install-gateways install what tests need`
}
