import { afterEach, expect, it } from 'vitest'
import { compared } from '../../lib/report/compare/comparison.ts'
import { comparisonPage } from '../../lib/report/compare/comparison-page.ts'
import { sideOf, type Side } from '../../lib/report/compare/side.ts'
import { nonconformantVerdict, verdictWith } from '../../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { complaints, describeInBrowser, Pages, titled } from './browser.ts'

const pages = new Pages()

afterEach(() => pages.expectSilence())

/** Width of a sheet of A4 within its margins, in pixels. */
const sheetWidth = 696

describeInBrowser(titled('the page that compares'), () => {
  const vendor = (label: string, one: Verdict): Side =>
    sideOf(`verdicts/${label}`, { ...one, target: { ...one.target, label } })
  const matrix = comparisonPage(
    compared(
      vendor('A', verdictWith()),
      ['B', 'C', 'D', 'E', 'F'].map((label) => vendor(label, nonconformantVerdict())),
    ),
  )

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`satisfies axe in the ${colorScheme} theme`, async () => {
      expect(await complaints(await pages.open(matrix, { colorScheme }))).toEqual([])
    })
  }

  it('has every vendor on paper, where nothing scrolls', async () => {
    const page = await pages.open(matrix, { viewport: { width: sheetWidth, height: 1000 } })
    await page.emulateMedia({ media: 'print' })

    const ends = await page
      .locator('.versus tr > :last-child')
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right))

    expect(ends.length).toBeGreaterThan(41)
    expect(Math.max(...ends)).toBeLessThanOrEqual(sheetWidth)
  })

  it('keeps the rules in sight on a phone while the vendors are scrolled', async () => {
    const page = await pages.open(matrix, { viewport: { width: 360, height: 640 } })
    const rule = page.locator('.versus tbody th[scope="row"]').first()
    const before = await rule.boundingBox()

    await page.locator('.versus .scrolls').evaluate((box) => (box.scrollLeft = 300))

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(await page.locator('.versus .scrolls').evaluate((box) => box.scrollLeft)).toBe(300)
    expect(Math.abs(((await rule.boundingBox())?.x ?? 999) - (before?.x ?? 0))).toBeLessThan(30)
  })
})
