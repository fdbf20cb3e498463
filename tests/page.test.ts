import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { htmlPage } from '../lib/report/page/html-page.ts'
import { nonconformantVerdict } from '../lib/verdict/verdict.testing.ts'
import { describeInBrowser, Pages, titled } from './page-browser.ts'

const pages = new Pages()
const verdict = nonconformantVerdict()
const html = htmlPage(verdict, [])

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
  it('show the rules of a status, count them, and hide the findings of the others', async () => {
    const page = await pages.open(html)

    await page.getByRole('checkbox', { name: /^failed/ }).check()

    expect(await rulesShown(page)).toEqual(['authentication/api-key-missing', 'versioning/unknown-endpoint'])
    expect(await page.locator('#shown').textContent()).toBe('2 of 41 rules shown')
    expect(await page.locator('[data-findings]:visible').count()).toBe(2)
    expect(await page.locator('tr.area:visible').count()).toBe(2)
  })

  it('of several kinds narrow each other down', async () => {
    const page = await pages.open(html)

    await page.getByRole('checkbox', { name: /^passed/ }).check()
    await page.getByRole('checkbox', { name: /^implied/ }).check()
    await page.getByRole('searchbox').fill('SECRET key')

    expect(await rulesShown(page)).toEqual(['security/no-secret-echo'])
  })

  it('find a rule by what was answered', async () => {
    const page = await pages.open(html)

    await page.getByRole('searchbox').fill('404 Not Found')

    expect(await rulesShown(page)).toEqual(['versioning/unknown-endpoint'])
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
    expect(await rulesShown(again)).toEqual(await rulesShown(first))
    expect(await rulesShown(again)).toContain('conventions/json-content-type')
    expect((await rulesShown(again)).length).toBeLessThan(5)
  })

  it('say so when nothing is left, and are cleared at once', async () => {
    const page = await pages.open(html, { fragment: '#text=nothing%20has%20this' })
    expect(await rulesShown(page)).toEqual([])
    expect(await page.getByText('No rule matches these filters.').isVisible()).toBe(true)

    await page.getByRole('button', { name: 'Clear' }).click()

    expect(await rulesShown(page)).toHaveLength(41)
    expect(await fragmentOf(page)).toBe('')
  })

  it('do nothing at Enter in the text', async () => {
    const page = await pages.open(html)

    await page.getByRole('searchbox').fill('quota')
    await page.getByRole('searchbox').press('Enter')

    expect(await rulesShown(page)).toHaveLength(3)
  })

  it('give way to a link to a rule that they hide', async () => {
    const page = await pages.open(html, { fragment: '#status=passed' })

    await page.evaluate("location.hash = '#findings/authentication/api-key-missing'")

    await page.locator('[data-findings="authentication/api-key-missing"]').waitFor({ state: 'visible' })
    expect(await rulesShown(page)).toHaveLength(41)
  })

  it('are not shown where no script runs, and all the rest is', async () => {
    const page = await pages.open(html, { javaScriptEnabled: false })

    expect(await page.locator('#filters').isVisible()).toBe(false)
    expect(await page.locator('tr[data-rule]:visible').count()).toBe(41)
    expect(await page.locator('.copyable button:visible').count()).toBe(0)
  })
})

describeInBrowser(titled('findings'), () => {
  it('open by keyboard to what was sent, documented and answered, how often, and how to do it again', async () => {
    const page = await pages.open(html)
    const finding = page.locator('[data-findings="versioning/unknown-endpoint"] details')
    expect(await finding.locator('dl').isVisible()).toBe(false)

    await finding.locator('summary').press('Enter')

    const text = await finding.locator('dl').innerText()
    for (const part of ['400 / 1010', 'GET https://staging.example.com/cards/api', 'x-version: 1', '404']) {
      expect(text).toContain(part)
    }
    for (const part of [
      '2 of 3, intermittent; met once',
      'curl --http1.1',
      'replay versioning/unknown-endpoint',
    ]) {
      expect(text).toContain(part)
    }
  })

  it('begin with one that violates, which is open', async () => {
    const page = await pages.open(html)

    const open = page.locator('details.finding[open]')

    expect(await open.count()).toBe(1)
    expect(await open.innerText()).toContain('answered 401 / 1006 where 400 / 1001 is documented')
  })

  it('that are waived say so, with the reason', async () => {
    const page = await pages.open(html)

    expect(await page.locator('[data-findings="authentication/no-side-door"] summary').innerText()).toContain(
      'waived: mended in the next release (Kim, until 2027-01-31)',
    )
  })
})

describeInBrowser(titled('copying'), () => {
  const curl = verdict.rules.flatMap(({ findings }) => findings)[0]?.curl ?? ''

  it('puts the whole line into the clipboard, and says so', async () => {
    const page = await pages.open(html, { permissions: ['clipboard-read', 'clipboard-write'] })

    await page.getByRole('button', { name: 'Copy the curl line' }).first().click()

    await page.getByRole('status').filter({ hasText: 'Copied the curl line' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(curl)
  })

  it('goes the old way where there is no clipboard', async () => {
    const before = `Object.defineProperty(navigator, 'clipboard', { value: undefined })
      addEventListener('copy', () => { window.taken = getSelection().toString() })`
    const page = await pages.open(html, { before })

    await page.getByRole('button', { name: 'Copy the curl line' }).first().click()

    await page.getByRole('status').filter({ hasText: 'Copied the curl line' }).waitFor()
    expect(await page.evaluate('window.taken')).toBe(curl)
  })

  it('selects what cannot be copied', async () => {
    const before = `Object.defineProperty(navigator, 'clipboard', { value: undefined })
      document.execCommand = () => false`
    const page = await pages.open(html, { before })

    await page.getByRole('button', { name: 'Copy the curl line' }).first().click()

    await page.getByRole('status').filter({ hasText: 'to be copied by hand' }).waitFor()
    expect(await page.evaluate('getSelection().toString()')).toBe(curl)
  })
})
