import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { describe } from 'vitest'

/** Debian keeps such programs in /usr/sbin, which is not on everybody's path. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin']

/** Where a program is installed, or null; a module of one is named by its whole path. */
export function pathOf(program: string): string | null {
  if (isAbsolute(program)) return existsSync(program) ? program : null
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file)) ?? null
}

/** Whether a test may rely on a program: it is there, or TESTS_DEMAND_PROGRAMS says that it must be. */
export function demands(program: string): boolean {
  return whyLeftOut(program) === null
}

/** Tests that run side by side wait for each other's runs of the program, and where much else runs that takes long. */
const patienceMs = 600_000

/** Tests that need a program, side by side; left out by name where it is not installed, unless TESTS_DEMAND_PROGRAMS says that it must be. */
export function describeWith(program: string, title: string, tests: () => void): void {
  const because = whyLeftOut(program)
  const named = because === null ? title : `${title} (${because})`
  describe.skipIf(because !== null)(named, { concurrent: true, timeout: patienceMs }, tests)
}

function whyLeftOut(program: string): string | null {
  if (pathOf(program) !== null || (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== '') return null
  return `${program} is not installed: .ci/run and .ci/install-gateways install what tests need`
}
