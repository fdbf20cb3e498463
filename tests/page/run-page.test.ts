import type { Page } from 'playwright-core'
import { expect as always } from 'vitest'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import { serviceRules } from '../../lib/specification/testing/rule-counts.ts'
import {
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../../lib/verdict/verdict.testing.ts'
import { describeInBrowser, test, unfold } from './browser.ts'
import { pages } from './pages.ts'

const verdict = nonconformantVerdict()
const html = htmlPage(verdict)

describeInBrowser('the page of a run', () => {
  test('shows what was sent beside what came', async ({ open, expect }) => {
    const cause = (await open(html)).getByRole('article').filter({ hasText: 'answered 404' })

    const [sent, came] = await Promise.all(
      ['what was sent', 'what was answered'].map((name) => cause.getByRole('group', { name }).boundingBox()),
    )

    expect(sent?.y).toBeCloseTo(came?.y ?? 0, 0)
    expect((sent?.x ?? 0) + (sent?.width ?? 0)).toBeLessThan(came?.x ?? 0)
  })

  // What is said is shown for a moment, which a busy machine would miss.
  const stays = 'window.setTimeout = () => 0\n'
  const noClipboard = `${stays}Object.defineProperty(navigator, 'clipboard', { value: undefined })\n`
  const copy = `${noClipboard}addEventListener('copy', () => { window.taken = getSelection().toString() })`
  const permissions = ['clipboard-read', 'clipboard-write']
  const copied = 'Copied the curl line'
  test.for([
    [
      'copies a line into the clipboard',
      { before: stays, permissions },
      copied,
      'navigator.clipboard.readText()',
    ],
    ['copies it where there is no clipboard', { before: copy }, copied, 'window.taken'],
    [
      'selects what cannot be copied',
      { before: `${noClipboard}document.execCommand = () => false` },
      'to be copied by hand',
      'getSelection().toString()',
    ],
  ] as const)('%s, and says so', async ([, options, says, taken], { open, expect }) => {
    const page = await open(html, options)

    await page.getByRole('button', { name: 'Copy the curl line' }).first().click()
    await page.getByRole('status').filter({ hasText: says }).waitFor()

    expect(await page.evaluate(taken)).toBe(verdict.rules.flatMap(({ findings }) => findings)[0]?.curl)
  })

  test('gives every cell of a rule the whole width of a phone', async ({ open, expect }) => {
    const page = await open(pages['a run'])
    await unfold(page)
    for (const width of [320, 360, 480]) {
      await page.setViewportSize({ width, height: 640 })

      const cells = await page
        .locator('tr[data-rule] > td:visible, .not-judged td:visible')
        .evaluateAll((all) => all.map((cell) => cell.clientWidth))

      expect(cells.length).toBeGreaterThanOrEqual(3 * serviceRules)
      expect(Math.min(...cells)).toBeGreaterThan(0.6 * width)
    }
  })

  test('begins with a link that skips to the verdict', async ({ open, expect }) => {
    const page = await open(pages['a run'])

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    expect(await page.evaluate('document.activeElement.id')).toBe('verdict')
  })

  test('takes the theme of the system, and the one that is chosen', async ({ open, expect }) => {
    const page = await open(pages['a run'], { colorScheme: 'light' })
    const background = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await background()

    await page.getByRole('radio', { name: 'dark' }).check({ force: true })
    const dark = await background()
    // Chromium may load a page again before it has stored what the last one wrote.
    let again: unknown
    for (let loads = 0; again !== dark && loads < 20; loads += 1) {
      await page.reload()
      again = await background()
    }

    expect(dark).not.toBe(light)
    expect(again).toBe(dark)
    expect(await page.getByRole('radio', { name: 'dark' }).isChecked()).toBe(true)
  })

  test('of 10,000 findings stays small, and says how much is elsewhere', async ({ open, expect }) => {
    const findings = Array.from({ length: 10_000 }, (_, index) =>
      findingWith({ fingerprint: `${index}`.padStart(16, '0'), summary: `answered in way ${index}` }),
    )
    const rules = rulesWith([
      ruleWith('fuzz/path', { status: 'failed', findings }),
      ruleWith('fuzz/query', { status: 'failed', findings: findings.slice(0, 1) }),
    ])
    const crowded = htmlPage(verdictWith({ verdict: 'nonconformant', exitCode: 1, rules }))
    const page = await open(crowded)

    expect(crowded.length).toBeLessThan(1024 * 1024)
    expect(await page.locator('*').count()).toBeLessThan(8_000)
    expect(await page.locator('.causes > .hidden-count').innerText()).toMatch(
      /^[\d,]+ more causes in verdict.json$/,
    )
  })
})

/** The ids of the rules that can be seen. */
function rulesShown(page: Page): Promise<readonly string[]> {
  return page.locator('tr[data-rule]:visible').evaluateAll((rows) => rows.map(({ id }) => String(id)))
}

/** What stands behind the address; asked of the page, for the driver learns of it later. */
async function fragmentOf(page: Page): Promise<string> {
  return String(await page.evaluate('location.hash'))
}

/** Fails unless all is shown, and nothing is said of a filter. */
async function expectAll(page: Page): Promise<void> {
  always(await page.locator('#shown').textContent()).toBe('')
  always(await page.getByRole('button', { name: 'Show all' }).isVisible()).toBe(false)
  always(await page.locator('[data-cause]:visible').count()).toBe(4)
  always(await fragmentOf(page)).toBe('')
}

describeInBrowser('filters', () => {
  test('narrow rules and causes down, and say so', async ({ open, expect }) => {
    const page = await open(html)
    const search = page.getByRole('searchbox')
    const showAll = page.getByRole('button', { name: 'Show all' })
    await expectAll(page)

    await page.getByRole('checkbox', { name: /^failed/ }).check()
    expect(await rulesShown(page)).toEqual(['authentication/api-key-missing', 'versioning/unknown-endpoint'])
    expect(await page.locator('#shown').textContent()).toBe(
      `Filtered: 2 of ${serviceRules} rules, 2 of 4 causes shown`,
    )
    expect(await page.locator('[data-cause]:visible').count()).toBe(2)
    expect(await page.locator('h2:visible', { hasText: /^(Warnings|Waived)/ }).count()).toBe(0)
    expect(await page.locator('tr.area:visible').count()).toBe(2)

    await showAll.click()
    await expectAll(page)
    // Rules that passed are folded, and unfold where they are meant.
    expect(await page.locator('[id="security/no-secret-echo"]').isVisible()).toBe(false)
    await page.getByRole('checkbox', { name: /^passed/ }).check()
    await search.fill('implied · ')
    await search.fill('repeats the SECRET')
    expect(await rulesShown(page)).toEqual(['security/no-secret-echo'])

    await showAll.click()
    await search.fill('404 Not Found')
    expect(await page.locator('[data-cause]:visible h3').allInnerTexts()).toEqual([
      expect.stringContaining('answered 404'),
    ])

    await search.fill('quota/')
    await search.press('Enter')
    expect(await rulesShown(page)).toHaveLength(3)
  })

  test('are kept in the address, and give way to a link', async ({ open, expect }) => {
    const first = await open(html)
    await first.getByRole('checkbox', { name: /^failed/ }).check()
    await first.getByRole('checkbox', { name: /^warned/ }).check()
    await first.getByRole('searchbox').fill('json & more, 100%')
    expect(await fragmentOf(first)).toBe('#status=warned,failed&text=json%20%26%20more,%20100%25')
    await first.getByRole('searchbox').fill('json')

    const again = await open(html, { fragment: await fragmentOf(first) })
    const shown = await rulesShown(again)
    expect(await again.getByRole('searchbox').inputValue()).toBe('json')
    expect(await again.locator('#shown').textContent()).toMatch(/^Filtered: /)
    expect(shown).toEqual(await rulesShown(first))
    expect(shown).toContain('conventions/json-content-type')
    expect(shown.length).toBeLessThan(5)

    const none = await open(html, { fragment: '#text=nothing%20has%20this' })
    expect(await rulesShown(none)).toEqual([])
    expect(await none.getByText('No rule and no cause matches this filter.').isVisible()).toBe(true)
    await none.getByRole('button', { name: 'Show all' }).click()
    await expectAll(none)

    await again.evaluate("location.hash = '#security/no-secret-echo'")
    await again.locator('[id="security/no-secret-echo"]').waitFor({ state: 'visible' })
    expect(await rulesShown(again)).toHaveLength(serviceRules)
  })

  test('are not shown without a script, and all the rest is', async ({ open, expect }) => {
    const page = await open(html, { javaScriptEnabled: false })

    expect(await page.locator('#filters').isVisible()).toBe(false)
    expect(await page.locator('#themes').isVisible()).toBe(false)
    expect(await page.locator('tr[data-rule]:visible').count()).toBe(8)
    await page.getByText(/^\d+ rules passed$/).click()
    expect(await page.locator('tr[data-rule]:visible').count()).toBe(serviceRules)
    expect(await page.locator('.copyable button:visible').count()).toBe(0)
  })
})
