import { afterAll, expect, it } from 'vitest'
import { hostileVerdict } from '../../lib/report/testing/hostile.ts'
import { historyPage } from '../../lib/report/page/history-page.ts'
import { night, nights, remembered } from '../../lib/report/page/nights.testing.ts'
import { ruleIds } from '../../lib/specification/rules.ts'
import { complaints, describeInBrowser, Pages, titled, unfold } from './browser.ts'

const pages = new Pages()
afterAll(() => pages.expectSilence())

const today = night(30, [['errors/body-shape']])
const full = historyPage(today, nights.map(remembered), new Map([[nights[0]?.startedAt ?? '', 'runs/a']]))

/** Thirty nights in which every rule failed, with a label each. */
const crowded = historyPage(
  night(
    30,
    ruleIds.map((id) => [id] as const),
  ),
  Array.from({ length: 29 }, (_, index) => {
    const verdict = night(
      index + 1,
      ruleIds.map((id) => [id] as const),
    )
    const target = { ...verdict.target, label: `build ${index} ${'W'.repeat(150)}` }
    return remembered({ ...verdict, target })
  }),
)

describeInBrowser(titled('the page of the history'), () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 768, 1280]) {
      it(`satisfies axe and never scrolls sideways at ${width} pixels, ${colorScheme}`, async () => {
        const page = await pages.open(full, { colorScheme, viewport: { width, height: 800 } })
        await unfold(page)

        expect(await complaints(page)).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      })
    }
  }

  for (const [name, html] of [
    ['thirty nights in which every rule failed', crowded],
    [
      'long words of a service',
      historyPage({ ...hostileVerdict('W'.repeat(3_000)), startedAt: '2026-12-01T00:00:00.000Z' }, [
        remembered(hostileVerdict('W'.repeat(3_000))),
      ]),
    ],
  ] as const) {
    it(`never scrolls sideways at 360 pixels with ${name}`, async () => {
      const page = await pages.open(html, { viewport: { width: 360, height: 640 } })

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    })
  }

  it('keeps the rule and how often it failed in sight on a phone while the runs are scrolled', async () => {
    const page = await pages.open(crowded, { viewport: { width: 360, height: 640 } })
    const rule = page.locator('.courses tbody th').first()
    const before = (await rule.boundingBox())?.x ?? 0

    await page.locator('.courses .scrolls').evaluate((box) => (box.scrollLeft = 500))

    expect(await page.locator('.courses .scrolls').evaluate((box) => box.scrollLeft)).toBe(500)
    expect(Math.abs(((await rule.boundingBox())?.x ?? 999) - before)).toBeLessThan(30)
  })

  it('shows the newest runs first, which a phone sees without scrolling', async () => {
    const page = await pages.open(full, { viewport: { width: 360, height: 640 } })
    const [first] = await page.locator('.courses thead time').all()

    expect(await first?.getAttribute('datetime')).toBe(today.startedAt)
    expect((await first?.boundingBox())?.x).toBeLessThan(300)
  })

  it('has every run on paper, where nothing scrolls', async () => {
    const page = await pages.open(crowded, { viewport: { width: landscape, height: 700 } })
    await page.emulateMedia({ media: 'print' })

    const ends = await page
      .locator('.courses tr > :last-child')
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right))

    expect(ends.length).toBe(ruleIds.length + 1)
    expect(Math.max(...ends)).toBeLessThanOrEqual(landscape)
  })
})

/** Width of a sheet of A4 in landscape within its margins, in pixels. */
const landscape = 1_024
