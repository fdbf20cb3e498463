import { expect, test } from 'vitest'
import { describeInBrowser, open } from './browser.ts'
import { pageOfTargets, pages } from './pages.ts'

describeInBrowser('the page of a history', () => {
  test('shows a month of runs and the first cause on a phone without scrolling', async () => {
    const viewport = { width: 360, height: 800 }
    const page = await open(pages['a history in which every rule failed'], { viewport })
    const last = await page.locator('.nights li:last-child').boundingBox()
    const count = await page.locator('.nights li').count()
    const other = await open(pages['a history'], { viewport })
    const cause = await other.locator('.changes li').first().boundingBox()

    expect(count).toBe(30)
    expect((last?.x ?? 0) + (last?.width ?? 360)).toBeLessThan(360)
    expect(last?.width).toBeGreaterThan(5)
    expect(cause?.y).toBeLessThan(700)
  })
})

describeInBrowser('a page of many targets', () => {
  test.for(['50 targets', '200 targets'] as const)('gives names enough room: %s', async (name) => {
    const page = await open(pages[name])
    const narrowest = async (): Promise<number> => {
      const names = page.locator('tbody th[scope="row"]')
      return Math.min(...(await names.evaluateAll((cells) => cells.map(({ clientWidth }) => clientWidth))))
    }
    for (const width of [360, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await narrowest()).toBeGreaterThan(140)
    }
    await page.setViewportSize({ width: 1047, height: 718 })
    await page.emulateMedia({ media: 'print' })
    expect(await narrowest()).toBeGreaterThan(100)
  })

  test('links from its head to the rows, and from the rows to the pages of targets', async () => {
    const page = await open(pages['200 targets'])

    await page.getByRole('link', { name: 'vendor-1', exact: true }).first().click()

    const row = page.locator('tr:target')
    expect(await row.innerText()).toMatch(/vendor-1[^]*nonconformant[^]*newly failing/)
    expect(await row.locator('a').getAttribute('href')).toBe('reports/vendor-1/index.html')
    expect(await page.locator('.failing a').first().getAttribute('href')).toMatch(/index\.html#\w+\/[\w-]+$/)
  })
})

test('a page with a thousand targets has at most 3 MB', () => {
  expect(Buffer.byteLength(pageOfTargets(1_000))).toBeLessThan(3_000_000)
})
