import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { installReaders } from '../recipes/readers.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Endpoint of the shared browser, or null if it is neither installed nor demanded. */
    browser: string | null
  }
}

/** Debian's Chromium. */
export const executablePath = '/usr/bin/chromium'

/**
 * Checks once whether packages can be installed, installs those that read recipes, and starts one browser. Parallel test files would
 * repeat this.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isDemanded = (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== ''
  try {
    if (!isDemanded) execFileSync('npm', ['ping', '--fetch-retries=0'], { stdio: 'ignore', timeout: 120_000 })
    installReaders()
  } catch (cause) {
    if (isDemanded) throw cause
    process.env['TESTS_NO_PACKAGES'] = 'the registry of packages cannot be reached'
  }
  if (!existsSync(executablePath) && !isDemanded) {
    project.provide('browser', null)
    return () => Promise.resolve()
  }
  // Build machines have no graphics, and Chromium has no sandbox for root.
  const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  const server = await chromium.launchServer({ executablePath, args, host: '127.0.0.1' })
  project.provide('browser', server.wsEndpoint())
  return () => server.close()
}
