import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { rowOf, type TargetRow } from '../../lib/report/compare/target-row.ts'
import { comparedTargets } from '../../lib/report/compare/targets.ts'
import { targetsPage } from '../../lib/report/compare/targets-page.ts'
import { hostileVerdict } from '../../lib/report/testing/hostile.ts'
import { historyLine } from '../../lib/verdict/history-line.ts'
import { nonconformantVerdict, targetWith, verdictWith } from '../../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { complaints, describeInBrowser, Pages, titled } from './browser.ts'

const pages = new Pages()
const now = new Date('2026-11-20T08:00:00.000Z')

afterEach(() => pages.expectSilence())

function rowOfTarget(name: string, verdict: Verdict, before: Verdict | null = null): TargetRow {
  const last = before === null ? null : historyLine({ ...before, startedAt: '2026-11-19T02:00:00.000Z' })
  return rowOf(verdict, { target: { name, path: `reports/${name}`, report: 'index.html' }, last })
}

/** So many targets of every kind, with long and short names. */
function pageOf(count: number): string {
  const rows = Array.from({ length: count }, (_, index): TargetRow => {
    const name = index % 7 === 2 ? `a-vendor-with-a-long-name-in-region-${index}` : `vendor-${index}`
    const target = targetWith({ label: `release ${index}`, baseUrl: `https://vendor-${index}.example/cards` })
    if (index % 20 === 3) {
      const none = { startedAt: null, last: null, report: null, worse: true } as const
      return { name, path: name, ...none, kind: 'absent', because: `no verdict.json in ${name}` }
    }
    if (index % 6 === 1)
      return rowOfTarget(name, { ...nonconformantVerdict(), target }, verdictWith({ target }))
    return rowOfTarget(name, verdictWith({ target }), verdictWith({ target }))
  })
  return targetsPage(comparedTargets(rows, now))
}

const widths = [360, 768, 1280, 1920]
/** Some with a matrix, many with the rules that fail anywhere. */
const counts = [50, 200]
const cases = counts.flatMap((count) => widths.map((width) => [count, width] as const))

/** Widths of the cells that name a target or a rule, the narrowest. */
async function narrowestName(page: Page): Promise<number> {
  const names = page.locator('tbody th[scope="row"]')
  return Math.min(...(await names.evaluateAll((cells) => cells.map(({ clientWidth }) => clientWidth))))
}

describeInBrowser(titled('a page of many targets'), () => {
  it.each(cases)(
    'never scrolls sideways, and gives names their room: %i targets at %i pixels',
    async (count, width) => {
      const page = await pages.open(pageOf(count), { viewport: { width, height: 800 } })

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await narrowestName(page)).toBeGreaterThan(140)
    },
  )

  for (const colorScheme of ['light', 'dark'] as const) {
    it.each(counts)(`satisfies axe in the ${colorScheme} theme: %i targets`, async (count) => {
      expect(await complaints(await pages.open(pageOf(count), { colorScheme }))).toEqual([])
      const onPhone = { colorScheme, viewport: { width: 360, height: 800 } }
      expect(await complaints(await pages.open(pageOf(count), onPhone))).toEqual([])
    })
  }

  it('leads from its head to the rows, and from these to the pages of targets', async () => {
    const page = await pages.open(pageOf(200))

    await page.getByRole('link', { name: 'vendor-1', exact: true }).first().click()

    const row = page.locator('tr:target')
    expect(await row.innerText()).toMatch(/vendor-1[^]*nonconformant[^]*newly failing/)
    expect(await row.locator('a').getAttribute('href')).toBe('reports/vendor-1/index.html')
    expect(await page.locator('.failing a').first().getAttribute('href')).toMatch(/index\.html#\w+\/[\w-]+$/)
  })

  it.each(widths)('keeps the rule in sight while its targets are scrolled, at %i pixels', async (width) => {
    const page = await pages.open(pageOf(50), { viewport: { width, height: 800 } })
    const rule = page.locator('.signs tbody th').first()
    const before = await rule.boundingBox()

    await page.locator('.scrolls').evaluate((box) => box.scrollTo({ left: 5_000 }))

    const after = await rule.boundingBox()
    expect(after?.x).toBeGreaterThanOrEqual(0)
    expect(after?.x).toBeLessThanOrEqual(before?.x ?? 0)
  })

  it.each(counts)('fits landscape sheets, in dark ink: %i targets', async (count) => {
    const page = await pages.open(pageOf(count), {
      colorScheme: 'dark',
      viewport: { width: 1047, height: 718 },
    })
    await page.emulateMedia({ media: 'print' })

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1047)
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(26, 32, 41)')
    expect(await narrowestName(page)).toBeGreaterThan(100)
    const sheet = /\/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+)/.exec(
      (await page.pdf({ preferCSSPageSize: true })).toString('latin1'),
    )
    expect([Number(sheet?.[1]), Number(sheet?.[2])].map(Math.round)).toEqual([842, 595])
  })

  it('shows what a service or a user wrote as text', async () => {
    const attack = `"><img src=x onerror=alert(1)><script>alert(2)</script>`
    const row = { ...rowOfTarget(attack, hostileVerdict(attack)), path: `javascript:alert(3)//${attack}` }
    const page = await pages.open(targetsPage(comparedTargets([row], now)), { bypassCSP: true })

    expect(await page.locator('img, [onerror], script').count()).toBe(0)
    expect(await page.locator('tbody a').first().getAttribute('href')).toMatch(/^javascript%3Aalert\(3\)\/\//)
    expect(await page.locator('tbody').first().innerText()).toContain(attack)
  })
})

it('a page of a thousand targets has at most 3 MB', () => {
  expect(Buffer.byteLength(pageOf(1_000))).toBeLessThan(3_000_000)
})
