import { expect, test } from 'vitest'
import { complaints, describeInBrowser, open, pdfOf, unfold } from './browser.ts'
import { named, pageOfTargets, pages, pagesWith } from './pages.ts'

const attack = `</code></title></style><script>alert(1)</script><img src="https://evil.example/x" onerror=alert(2)>" onfocus=alert(3) autofocus x='`
const invisible = 'safe\u202Elive\u0000\u200B\u001B[2J'
const shownTexts = { [attack]: attack, [invisible]: String.raw`safe\u202elive\u0000\u200b\u001b[2J` }
const hostile = Object.entries(shownTexts).flatMap(([text, shown]) =>
  Object.entries(pagesWith(text)).map(([name, html]) => [name, html, shown] as const),
)
const widths = [320, 360, 480, 768, 1280, 1920]

describeInBrowser('every page', () => {
  test.for(named)('of %s satisfies axe in both themes, and never scrolls sideways', async ([name, html]) => {
    const page = await open(html, { colorScheme: 'light' })
    // The legend of this page has no second-level heading above it.
    if (name !== 'an error') await unfold(page)

    const scrolled: unknown[] = []
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      scrolled.push(await page.evaluate('document.documentElement.scrollWidth'))
    }
    expect(scrolled).toEqual(widths)
    for (const [colorScheme, width] of [
      ['light', 360],
      ['dark', 1280],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      expect(await complaints(page)).toEqual([])
    }
  })

  // Also without the policy, which is a second defence and must not hide a hole in the first.
  for (const bypassCSP of [false, true]) {
    test.for(hostile)(
      `of %s shows texts from a service as text, ${bypassCSP ? 'even without' : 'with'} the policy: %#`,
      async ([, html, shown]) => {
        const page = await open(html, { bypassCSP })
        await unfold(page)
        const text = await page.locator('body').innerText()
        const meta = page.locator('meta[http-equiv="Content-Security-Policy"]')
        const policy = await meta.getAttribute('content')

        expect(await page.locator('img, [onfocus], [onerror], [autofocus], body script').count()).toBe(0)
        expect(await page.locator('[href^="javascript:"]').count()).toBe(0)
        expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
        expect(text).toContain(shown)
        // oxlint-disable-next-line no-control-regex -- The page must not contain them.
        expect(text).not.toMatch(/[\u202E\u200B\u0000\u001B]/)
        expect(policy).toContain("default-src 'none'")
        expect(policy).not.toContain('unsafe')
      },
    )
  }

  // Widths of an A4 sheet within its margins, in pixels.
  test.for([
    ['a comparison', 696, [595, 842], '.versus tr > :last-child', 9],
    ['a history in which every rule failed', 696, [595, 842], '.nights li, .changes li > *', 60],
    ['50 targets', 1_047, [842, 595], 'tbody tr > :last-child', 50],
    ['200 targets', 1_047, [842, 595], 'tbody tr > :last-child', 200],
  ] as const)(
    'of %s fits %i pixels of paper, in dark ink and without scrolling',
    async ([name, width, sheet, cells, least]) => {
      const page = await open(pages[name], { colorScheme: 'dark', viewport: { width, height: 700 } })
      await page.emulateMedia({ media: 'print' })

      const ends = await page
        .locator(cells)
        .evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().right))
      const [, ...size] =
        /\/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+)/.exec((await pdfOf(page)).toString('latin1')) ?? []

      expect(ends.length).toBeGreaterThanOrEqual(least)
      expect(Math.max(...ends)).toBeLessThanOrEqual(width)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(26, 32, 41)')
      expect(size.map(Number).map(Math.round)).toEqual(sheet)
    },
  )

  test.for([
    [[360], 300],
    [[768, 1280, 1920], 0],
  ] as const)(
    'of 50 targets keeps the rules visible while their table scrolls, at %j pixels',
    async ([at, least]) => {
      const page = await open(pages['50 targets'])
      for (const width of at) {
        await page.setViewportSize({ width, height: 640 })
        const rule = page.locator('.signs tbody th[scope="row"]').first()
        const box = page
          .locator('.scrolls')
          .filter({ has: page.locator('tbody') })
          .first()
        await box.evaluate((one) => (one.scrollLeft = 0))
        const before = (await rule.boundingBox())?.x ?? -1

        await box.evaluate((one) => (one.scrollLeft = 5_000))
        const after = (await rule.boundingBox())?.x ?? -1

        expect(await box.evaluate((one) => one.scrollLeft)).toBeGreaterThanOrEqual(least)
        expect(after).toBeGreaterThanOrEqual(0)
        expect(after).toBeLessThanOrEqual(before)
      }
    },
  )
})

describeInBrowser('the page', () => {
  test('of a history shows a month of runs and the first cause on a phone without scrolling', async () => {
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

  test.for(['50 targets', '200 targets'] as const)('of %s gives names enough room', async (name) => {
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

  test('of many targets links from its head to the rows, and from the rows to the pages of targets', async () => {
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
