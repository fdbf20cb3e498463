import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { startService } from '../../lab/service/start.ts'
import { runInProcess } from '../support/in-process.ts'
import { reportsFolderOf, settingsFor } from '../support/program.ts'
import { describeInBrowser, Pages, sheets, titled } from './browser.ts'

const pages = new Pages()

afterEach(() => pages.expectSilence())

/** The page of a run against the reference service, bent in these ways. */
async function pageOf(faults: readonly string[], profile: string): Promise<string> {
  const service = await startService({ faults })
  try {
    const env = { ...settingsFor(service), RUN_PROFILE: profile, RUN_QUIET: 'true' }
    const { cwd } = await runInProcess([], { env })
    return await readFile(join(reportsFolderOf(cwd, env), 'index.html'), 'utf8')
  } finally {
    await service.close()
  }
}

describeInBrowser(titled('the size of a page'), () => {
  for (const profile of ['gate', 'acceptance']) {
    it(`of a green ${profile} is three screens, and at most four sheets`, async () => {
      const html = await pageOf([], profile)
      const heights = await Promise.all(
        [1280, 360].map(async (width) => {
          const page = await pages.open(html, { viewport: { width, height: 600 } })
          return Number(await page.evaluate('document.documentElement.scrollHeight'))
        }),
      )

      expect(heights[0]).toBeLessThanOrEqual(3_500)
      expect(heights[1]).toBeLessThanOrEqual(7_000)
      expect(await sheets(await pages.open(html))).toBeLessThanOrEqual(4)
    })
  }

  for (const fault of ['errors-in-plain-text', 'api-key-compared-by-prefix', 'every-error-under-200']) {
    it(`of a service with one mistake is three sheets at most: ${fault}`, async () => {
      expect(await sheets(await pages.open(await pageOf([fault], 'gate')))).toBeLessThanOrEqual(3)
    })
  }
})
