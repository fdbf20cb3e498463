import { expect, test } from 'vitest'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import { view } from '../../lib/report/view.ts'
import { nonconformantVerdict } from '../../lib/verdict/verdict.testing.ts'
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
    test.for(hostile)(`of %s shows texts as text; no policy: ${bypassCSP}; %#`, async ([, html, shown]) => {
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
    })
  }

  // Widths of an A4 sheet within its margins, in pixels.
  test.for([
    ['a comparison', 696, [595, 842], 'tr > :last-child', 9],
    ['a history in which every rule failed', 696, [595, 842], '.nights li, dd', 60],
    ['200 targets', 1_047, [842, 595], 'tbody tr > :last-child', 200],
  ] as const)('of %s fits %i pixels of paper in dark ink', async ([name, width, sheet, cells, least]) => {
    const page = await open(pages[name], { colorScheme: 'dark', viewport: { width, height: 700 } })
    await page.emulateMedia({ media: 'print' })

    const found = page.locator(cells)
    const ends = await found.evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().right))
    const pdf = (await pdfOf(page)).toString('latin1')
    const [, ...size] = /\/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+)/.exec(pdf) ?? []

    expect(ends.length).toBeGreaterThanOrEqual(least)
    expect(Math.max(...ends)).toBeLessThanOrEqual(width)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(26, 32, 41)')
    expect(size.map(Number).map(Math.round)).toEqual(sheet)
  })
})

describeInBrowser('the page', () => {
  test('of many targets links from its rows and from the rules that fail to the pages of targets', async () => {
    const page = await open(pages['200 targets'])

    const row = page.locator('tr').filter({ has: page.getByRole('link', { name: 'vendor-1', exact: true }) })
    expect(await row.first().innerText()).toMatch(/vendor-1[^]*nonconformant[^]*newly failing/)
    expect(await row.first().locator('a').getAttribute('href')).toBe('vendor-1/index.html')
    const failing = page.locator('[aria-labelledby=failing] a').first()
    expect(await failing.getAttribute('href')).toMatch(/index\.html#\w+\/[\w-]+$/)
  })
})

test('a page with a thousand targets has at most 3 MB', () => {
  expect(Buffer.byteLength(pageOfTargets(1_000))).toBeLessThan(3_000_000)
})

const verdict = nonconformantVerdict()
const runPage = htmlPage(view(verdict))

describeInBrowser('the page of a run', () => {
  test('shows the request beside the answer', async () => {
    const cause = (await open(runPage)).getByRole('article').filter({ hasText: 'answered 404' })

    const boxOf = (name: string) => cause.getByRole('group', { name }).boundingBox()
    const [sent, came] = [await boxOf('the request'), await boxOf('the answer')]

    expect(sent?.y).toBeCloseTo(came?.y ?? 0, 0)
    expect((sent?.x ?? 0) + (sent?.width ?? 0)).toBeLessThan(came?.x ?? 0)
  })

  const before = `Object.defineProperty(navigator, 'clipboard', { value: undefined })`
  const permissions = ['clipboard-read', 'clipboard-write']
  test.for([
    ['copies a line into the clipboard', { permissions }, 'Copied', 'navigator.clipboard.readText()'],
    ['selects a line that cannot be copied', { before }, 'Selected', 'getSelection().toString()'],
  ] as const)('%s, and says so', async ([, options, says, taken]) => {
    const page = await open(runPage, options)

    const breaks = page.getByText(/^Breaks/).first()
    await breaks.click()
    await page.getByRole('button', { name: 'Copy the curl line' }).first().click()
    const hasText = `${says} the curl line`
    await page.getByRole('status').filter({ hasText }).waitFor()

    expect(await page.evaluate(taken)).toBe(verdict.rules.flatMap(({ findings }) => findings)[0]?.curl)
  })

  test('begins with a link that skips to the verdict', async () => {
    const page = await open(pages['a run'])

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    expect(await page.evaluate('document.activeElement.id')).toBe('outcome')
  })

  test('unfolds a rule that is linked, and shows everything without scripts', async () => {
    const page = await open(runPage, { fragment: '#security/no-secret-echo' })
    expect(await page.locator('[id="security/no-secret-echo"]').isVisible()).toBe(true)

    const still = await open(runPage, { javaScriptEnabled: false })
    expect(await still.getByRole('article').first().isVisible()).toBe(true)
    await still.getByText(/^All rules/).click()
    expect(await still.locator('[id="security/no-secret-echo"]').isVisible()).toBe(true)
  })
})
