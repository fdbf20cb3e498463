import { execFileSync } from 'node:child_process'
import { installReaders } from '../recipes/readers.ts'

/** Checks once whether packages can be installed, and installs those that read recipes. Parallel test files would repeat this. */
export function setup(): void {
  const isDemanded = (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== ''
  try {
    if (!isDemanded) execFileSync('npm', ['ping', '--fetch-retries=0'], { stdio: 'ignore', timeout: 120_000 })
    installReaders()
  } catch (cause) {
    if (isDemanded) throw cause
    process.env['TESTS_NO_PACKAGES'] = 'the registry of packages cannot be reached'
  }
}
