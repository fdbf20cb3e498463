import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { historyLine } from '../lib/verdict/history-line.ts'
import { hostileVerdict } from '../lib/report/hostile.testing.ts'
import { htmlPage } from '../lib/report/page/html-page.ts'
import { errorVerdict, nonconformantVerdict, verdictWith } from '../lib/verdict/verdict.testing.ts'
import { describeInBrowser, Pages, titled } from './page-browser.ts'

const pages = new Pages()
const verdict = {
  ...nonconformantVerdict(),
  requests: { ...nonconformantVerdict().requests, byRule: { 'fuzz/path': 180, 'quota/exhausted': 2 } },
  observations: [
    { id: 'flaw-order', value: ['1001', '1006'] },
    { id: 'methods', value: { HEAD: '200' } },
  ],
  waivers: [
    {
      rule: 'quota/per-client',
      fingerprint: null,
      reason: 'agreed',
      owner: 'Kim',
      expires: '2026-01-31',
      expired: true,
      used: false,
    },
  ],
}
const earlier = historyLine(verdictWith({ startedAt: '2026-11-19T02:00:00.000Z' }))
const html = htmlPage(verdict, [earlier])
const long = 'W'.repeat(3_000)

afterEach(() => pages.expectSilence())

/** What axe has to say against a page, each complaint with the places. */
async function complaints(page: Page): Promise<unknown> {
  await page.evaluate(axe.source)
  return page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map(({ html }) => html)]))`,
  )
}

describeInBrowser(titled('the page for everybody'), () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`satisfies axe in the ${colorScheme} theme, with all open`, async () => {
      const page = await pages.open(html, { colorScheme })
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

      expect(await complaints(page)).toEqual([])
    })
  }

  it('satisfies axe when it tells of an error', async () => {
    expect(await complaints(await pages.open(htmlPage(errorVerdict(), [])))).toEqual([])
  })

  for (const [name, one] of [
    ['a nonconformant verdict', html],
    ['a verdict of long words', htmlPage(hostileVerdict(long), [])],
  ] as const) {
    it(`never scrolls sideways at 320 pixels with ${name}`, async () => {
      const page = await pages.open(one, { viewport: { width: 320, height: 640 } })
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    })
  }

  it('begins with a link over all that comes before the verdict', async () => {
    const page = await pages.open(html)

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    expect(await page.evaluate('document.activeElement.id')).toBe('main')
  })

  it('takes the theme of the system, and the one that is chosen', async () => {
    const page = await pages.open(html, { colorScheme: 'light' })
    const background = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await background()

    await page.getByRole('radio', { name: 'dark' }).check({ force: true })
    const dark = await background()
    await page.reload()

    expect(dark).not.toBe(light)
    expect(await background()).toBe(dark)
    expect(await page.getByRole('radio', { name: 'dark' }).isChecked()).toBe(true)
  })

  it('hides a theme switch that cannot work without the script', async () => {
    const page = await pages.open(html, { javaScriptEnabled: false })

    expect(await page.locator('#themes').isVisible()).toBe(false)
  })
})
