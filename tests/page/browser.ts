import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, describe, expect } from 'vitest'
import { emptyFolder } from '../support/program.ts'

const executablePath = '/usr/bin/chromium'
/** A machine that builds has no graphics to share, and Chromium would try in vain. */
const args = ['--disable-gpu']
/** Chromium has no sandbox for root, and does not start. */
const asRoot = process.getuid?.() === 0
/** Where programs are demanded, a browser that is not there is a failure. */
const skipped = !existsSync(executablePath) && (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') === ''

/** Tests in Debian's Chromium; skipped where it is not installed, with the reason in the title. */
export const describeInBrowser = describe.skipIf(skipped)

/** A title that says why its tests are skipped, where they are. */
export function titled(title: string): string {
  return skipped ? `${title} (skipped: ${executablePath} is not there)` : title
}

/** Opens pages from the file system in one browser, and knows what they tried beyond showing themselves. */
export class Pages {
  #browser: Promise<Browser> | null = null
  readonly #noise: string[] = []

  constructor() {
    afterAll(async () => (await this.#browser)?.close())
  }

  /** Opens a page; `fragment` begins with `#`, and `before` runs in it before its own script; `folder` is the name of the one it lies in. */
  async open(
    html: string,
    {
      fragment = '',
      before = '',
      folder = '',
      ...options
    }: BrowserContextOptions & { fragment?: string; before?: string; folder?: string } = {},
  ): Promise<Page> {
    const within = join(await emptyFolder(), folder)
    await mkdir(within, { recursive: true })
    const file = join(within, 'index.html')
    await writeFile(file, html)
    const address = pathToFileURL(file).href

    this.#browser ??= chromium.launch({ executablePath, args: asRoot ? [...args, '--no-sandbox'] : args })
    const context = await (await this.#browser).newContext(options)
    // The test has a limit of its own.
    context.setDefaultTimeout(0)
    const page = await context.newPage()
    page.on('console', (message) => this.#noise.push(`console: ${message.text()}`))
    page.on('pageerror', (error) => this.#noise.push(`error: ${error.message}`))
    page.on('dialog', (dialog) => {
      this.#noise.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      if (request.url().replace(/#.*/s, '') !== address) this.#noise.push(`request: ${request.url()}`)
    })
    if (before !== '') await page.addInitScript(before)
    await page.goto(`${address}${fragment}`)
    return page
  }

  /** Fails when any page wrote to the console, threw, asked the user or requested anything but itself. */
  expectSilence(): void {
    expect(this.#noise).toEqual([])
  }
}

/** Complaints of axe about a page, each with its places. */
export async function complaints(page: Page): Promise<unknown> {
  await page.evaluate(axe.source)
  return page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map(({ html }) => html)]))`,
  )
}

/** Opens all that is folded. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
}

/** Number of printed sheets. */
export async function sheets(page: Page): Promise<number> {
  const pdf = await page.pdf({ preferCSSPageSize: true })
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}
