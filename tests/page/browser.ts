import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { beforeAll, describe, inject, onTestFinished } from 'vitest'
import { executablePath } from '../support/before-programs.ts'
import { emptyFolder } from '../support/program.ts'

const endpoint = inject('browser')
let browser: Browser

/** Tests in the shared browser. Skipped if it is not installed, with the reason in the title. */
export function describeInBrowser(title: string, tests: () => void): void {
  const because = endpoint === null ? ` (skipped: ${executablePath} does not exist)` : ''
  describe.skipIf(endpoint === null)(`${title}${because}`, () => {
    beforeAll(async () => {
      browser = await chromium.connect(endpoint ?? '')
      return () => browser.close()
    })
    tests()
  })
}

interface Opening extends BrowserContextOptions {
  /** Begins with `#`. */
  readonly fragment?: string
  /** Runs in the page before its own script. */
  readonly before?: string
}

/** Opens a page from the file system. The test fails if it writes to the console, throws, opens a dialog or sends a request. */
export async function open(html: string, { fragment = '', before = '', ...options }: Opening = {}) {
  const file = join(await emptyFolder(), 'index.html')
  await writeFile(file, html)
  const address = pathToFileURL(file).href
  const noise: string[] = []
  const context = await browser.newContext(options)
  onTestFinished(async () => {
    await context.close()
    if (noise.length > 0) throw new Error(noise.join('\n'))
  })
  // The test has its own time limit.
  context.setDefaultTimeout(0)
  const page = await context.newPage()
  page.on('console', (message) => noise.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => noise.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    noise.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (request.url().replace(/#.*/s, '') !== address) noise.push(`request: ${request.url()}`)
  })
  if (before !== '') await page.addInitScript(before)
  await page.goto(`${address}${fragment}`)
  return page
}

/** Violations that axe finds in a page, each with its elements. */
export async function complaints(page: Page): Promise<unknown> {
  await page.evaluate(axe.source)
  return page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map(({ html }) => html)]))`,
  )
}

/** Opens all folded sections. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
}

/** A printed page. */
export const pdfOf = async (page: Page): Promise<Buffer> => page.pdf({ preferCSSPageSize: true })
