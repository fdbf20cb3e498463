import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Endpoint of the shared browser, or null if it is neither installed nor demanded. */
    browser: string | null
  }
}

/** Debian's Chromium. */
export const executablePath = '/usr/bin/chromium'

/** Starts one browser for all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const isDemanded = (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== ''
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
