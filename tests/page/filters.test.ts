import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import { ruleCount } from '../../lib/specification/testing/rule-counts.ts'
import { nonconformantVerdict } from '../../lib/verdict/verdict.testing.ts'
import { describeInBrowser, Pages, titled } from './browser.ts'

const pages = new Pages()
const html = htmlPage(nonconformantVerdict())

afterEach(() => pages.expectSilence())

/** The ids of the rules that can be seen. */
function rulesShown(page: Page): Promise<readonly string[]> {
  return page.locator('tr[data-rule]:visible').evaluateAll((rows) => rows.map(({ id }) => String(id)))
}

/** What stands behind the address; asked of the page, for the driver learns of it later. */
async function fragmentOf(page: Page): Promise<string> {
  return String(await page.evaluate('location.hash'))
}

describeInBrowser(titled('filters'), () => {
  it('show the rules and causes of a status, and say that the page is filtered', async () => {
    const page = await pages.open(html)
    expect(await page.locator('#shown').textContent()).toBe('')
    expect(await page.getByRole('button', { name: 'Show all' }).isVisible()).toBe(false)

    await page.getByRole('checkbox', { name: /^failed/ }).check()

    expect(await rulesShown(page)).toEqual(['authentication/api-key-missing', 'versioning/unknown-endpoint'])
    expect(await page.locator('#shown').textContent()).toBe(
      `Filtered: 2 of ${ruleCount} rules, 2 of 4 causes shown`,
    )
    expect(await page.locator('[data-cause]:visible').count()).toBe(2)
    expect(await page.locator('h2:visible', { hasText: /^(Warnings|Waived)/ }).count()).toBe(0)
    expect(await page.locator('tr.area:visible').count()).toBe(2)
  })

  it('and the search narrow each other down, and unfold rules that passed', async () => {
    const page = await pages.open(html)
    expect(await page.locator('[id="security/no-secret-echo"]').isVisible()).toBe(false)

    await page.getByRole('checkbox', { name: /^passed/ }).check()
    await page.getByRole('searchbox').fill('implied · ')
    await page.getByRole('searchbox').fill('repeats the SECRET')

    expect(await rulesShown(page)).toEqual(['security/no-secret-echo'])
  })

  it('find a cause by what was answered', async () => {
    const page = await pages.open(html)

    await page.getByRole('searchbox').fill('404 Not Found')

    expect(await page.locator('[data-cause]:visible h3').allInnerTexts()).toEqual([
      expect.stringContaining('answered 404'),
    ])
  })

  it('are kept in the address, which shows the same again', async () => {
    const first = await pages.open(html)
    await first.getByRole('checkbox', { name: /^failed/ }).check()
    await first.getByRole('checkbox', { name: /^warned/ }).check()
    await first.getByRole('searchbox').fill('json & more, 100%')
    const hash = await fragmentOf(first)
    await first.getByRole('searchbox').fill('json')

    const again = await pages.open(html, { fragment: await fragmentOf(first) })

    expect(hash).toBe('#status=warned,failed&text=json%20%26%20more,%20100%25')
    expect(await again.getByRole('searchbox').inputValue()).toBe('json')
    expect(await again.locator('#shown').textContent()).toMatch(/^Filtered: /)
    expect(await rulesShown(again)).toEqual(await rulesShown(first))
    expect(await rulesShown(again)).toContain('conventions/json-content-type')
    expect((await rulesShown(again)).length).toBeLessThan(5)
  })

  it('say so when nothing is left, and are cleared at once', async () => {
    const page = await pages.open(html, { fragment: '#text=nothing%20has%20this' })
    expect(await rulesShown(page)).toEqual([])
    expect(await page.getByText('No rule and no cause matches this filter.').isVisible()).toBe(true)

    await page.getByRole('button', { name: 'Show all' }).click()

    expect(await page.locator('[data-cause]:visible').count()).toBe(4)
    expect(await fragmentOf(page)).toBe('')
    expect(await page.locator('#shown').textContent()).toBe('')
  })

  it('do nothing at Enter in the text', async () => {
    const page = await pages.open(html)

    await page.getByRole('searchbox').fill('quota/')
    await page.getByRole('searchbox').press('Enter')

    expect(await rulesShown(page)).toHaveLength(3)
  })

  it('give way to a link to what they hide, and what is folded opens', async () => {
    const page = await pages.open(html, { fragment: '#status=failed' })

    await page.evaluate("location.hash = '#security/no-secret-echo'")

    await page.locator('[id="security/no-secret-echo"]').waitFor({ state: 'visible' })
    expect(await rulesShown(page)).toHaveLength(ruleCount)
  })

  it('are not shown without a script, and all the rest is, passed rules behind their fold', async () => {
    const page = await pages.open(html, { javaScriptEnabled: false })

    expect(await page.locator('#filters').isVisible()).toBe(false)
    expect(await page.locator('tr[data-rule]:visible').count()).toBe(8)
    await page.getByText(/^\d+ rules and 3 of the suite’s own expectations passed$/).click()
    expect(await page.locator('tr[data-rule]:visible').count()).toBe(ruleCount)
    expect(await page.locator('.copyable button:visible').count()).toBe(0)
  })
})
