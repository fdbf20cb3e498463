import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { htmlPage } from '../lib/report/page/html-page.ts'
import { nonconformantVerdict, verdictWith } from '../lib/verdict/verdict.testing.ts'
import { describeInBrowser, Pages, titled } from './page-browser.ts'

const pages = new Pages()

afterEach(() => pages.expectSilence())

/** How many sheets a page takes. */
async function sheets(page: Page): Promise<number> {
  const pdf = await page.pdf({ preferCSSPageSize: true })
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}

describeInBrowser(titled('the page on paper'), () => {
  it('states a clean acceptance on two sheets, before all that explains it', async () => {
    const verdict = verdictWith({
      profile: 'acceptance',
      strict: true,
      target: { baseUrl: 'http://127.0.0.1:8080', embedded: true, version: '1', label: 'vendor build 42' },
    })
    const page = await pages.open(htmlPage(verdict, []))
    const whole = await sheets(page)

    await page.evaluate("for (const one of document.querySelectorAll('.matrix ~ *, footer')) one.remove()")

    expect(await sheets(page)).toBe(2)
    expect(whole).toBeGreaterThan(2)
  })

  it('opens every finding, and closes it again afterwards', async () => {
    const page = await pages.open(htmlPage(nonconformantVerdict(), []))
    const closed = page.locator('details.finding:not([open])')
    const before = await closed.count()

    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    const printing = await closed.count()
    await page.evaluate("dispatchEvent(new Event('afterprint'))")

    expect([before, printing, await closed.count()]).toEqual([3, 0, 3])
  })

  it('has every rule and finding, whatever the filters hide on the screen', async () => {
    const page = await pages.open(htmlPage(nonconformantVerdict(), []), { fragment: '#status=passed' })

    await page.emulateMedia({ media: 'print' })

    expect(await page.locator('tr[data-rule]:visible').count()).toBe(41)
    expect(await page.locator('[data-findings]:visible').count()).toBe(4)
  })

  it('is in dark ink whatever the theme, without what only a screen can use', async () => {
    const page = await pages.open(htmlPage(nonconformantVerdict(), []), { colorScheme: 'dark' })

    await page.emulateMedia({ media: 'print' })

    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(26, 32, 41)')
    expect(await page.locator('#filters, #themes, .copyable button').filter({ visible: true }).count()).toBe(
      0,
    )
  })
})
