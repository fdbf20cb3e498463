import type { Page } from 'playwright-core'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { hostileVerdict } from '../lib/report/hostile.testing.ts'
import { nonconformantVerdict } from '../lib/report/verdict.testing.ts'
import { pageOf } from './allure-report.ts'
import { describeInBrowser, Pages, titled } from './page-browser.ts'

const pages = new Pages()
/** Allure and npm start slowly where many tests run. */
const patienceMs = 120_000

// It neither wrote to the console, nor asked for anything but itself.
afterEach(() => pages.expectSilence())

/** The rules of an area with the status that each is drawn with, the area opened where Allure leaves it closed. */
async function rulesShown(page: Page, area: string): Promise<readonly (readonly [string, string])[]> {
  const leaves = page.locator('[data-testid="tree-leaf"]').filter({ hasText: `${area}/` })
  if ((await leaves.count()) === 0) await page.getByText(area, { exact: true }).first().click()
  await leaves.first().waitFor()
  return leaves.evaluateAll((all) =>
    all.map((leaf): readonly [string, string] => {
      const drawn =
        leaf.querySelector('[data-testid^="tree-leaf-status-"]')?.getAttribute('data-testid') ?? ''
      return [
        /[a-z]+\/[a-z-]+(?=:)/.exec(leaf.textContent)?.[0] ?? '',
        drawn.replace('tree-leaf-status-', ''),
      ]
    }),
  )
}

describeInBrowser(titled("Allure's page"), () => {
  let html = ''
  beforeAll(async () => {
    html = await pageOf(nonconformantVerdict())
  }, patienceMs)

  it('shows every rule with its status, and what was judged', async () => {
    const page = await pages.open(html)
    await page.getByText('https://staging.example.com/cards, vendor build 42, gate').first().waitFor()

    expect(await page.getByText('nonconformant (exit 1)').first().isVisible()).toBe(true)
    const authentication = await rulesShown(page, 'authentication')
    expect(authentication).toHaveLength(12)
    expect(authentication).toContainEqual(['authentication/api-key-missing', 'failed'])
    expect(authentication).toContainEqual(['authentication/no-side-door', 'skipped'])
    expect(authentication).toContainEqual(['authentication/no-bypass', 'passed'])
    expect(await rulesShown(page, 'versioning')).toContainEqual(['versioning/selected-per-request', 'broken'])
    expect(await rulesShown(page, 'conventions')).toContainEqual(['conventions/json-content-type', 'passed'])
    expect(await page.getByText('application/json or +json, with or without').first().innerText()).toContain(
      '[warned]',
    )
  })

  it('shows a finding with its exchange', async () => {
    const page = await pages.open(html)

    await page.getByText('authentication/api-key-missing').first().click()
    await page.getByText('the exchange', { exact: true }).click()
    const exchange = page.getByTestId('http-attachment-content').first()
    await exchange.waitFor()

    expect(await page.getByTestId('test-result-error-message').innerText()).toContain(
      'violation: answered 401 / 1006 where 400 / 1001 is documented (3 of 3, met 3 times)',
    )
    const shown = await exchange.innerText()
    expect(shown).toContain('https://staging.example.com/cards/api/customizations/list')
    expect(shown).toContain('<TARGET_SECRET_KEY>')
    expect(shown).toContain('"error_code":"1006"')
  })

  it('sorts what was not judged, and what warns, apart from violations', async () => {
    const page = await pages.open(html)

    await page.getByText('Categories').first().click()
    for (const name of ['Violations', 'Warnings', 'Waived', 'Not judged']) {
      await page.getByText(name, { exact: true }).first().waitFor()
    }

    expect(await page.getByText('Product errors').count()).toBe(0)
  })
})

const attack = `</code></title></style></script><script>alert(1)</script><img src="https://evil.example/x" onerror=alert(2)>" onfocus=alert(3) autofocus x=' [x](javascript:alert(4)) ![x](https://evil.example/y)`

describeInBrowser(titled("Allure's page of a hostile service"), () => {
  let html = ''
  beforeAll(async () => {
    html = await pageOf(hostileVerdict(attack))
  }, patienceMs)

  // Without the policy, too: it is a second wall, and must not hide a hole in the first.
  for (const bypassCSP of [false, true]) {
    it(`shows what it sent as text, ${bypassCSP ? 'even without' : 'with'} the policy`, async () => {
      const page = await pages.open(html, { bypassCSP })

      await page.getByText('errors/body-shape').first().click()
      await page.getByText('the exchange', { exact: true }).click()
      const exchange = page.getByTestId('http-attachment-content').first()
      await exchange.waitFor()

      expect(await exchange.innerText()).toContain(attack)
      expect(
        await page.locator('img[src*="evil"], [onfocus], [onerror], a[href^="javascript"]').count(),
      ).toBe(0)
    })
  }
})
