import { expect, test } from 'vitest'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import { view } from '../../lib/report/view.ts'
import { serviceRules } from '../../lib/specification/testing/rule-counts.ts'
import {
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../../lib/verdict/verdict.testing.ts'
import { describeInBrowser, open, unfold } from './browser.ts'
import { pages } from './pages.ts'

const verdict = nonconformantVerdict()
const html = htmlPage(view(verdict))

describeInBrowser('the page of a run', () => {
  test('shows the request beside the answer', async () => {
    const cause = (await open(html)).getByRole('article').filter({ hasText: 'answered 404' })

    const [sent, came] = await Promise.all(
      ['the request', 'the answer'].map((name) => cause.getByRole('group', { name }).boundingBox()),
    )

    expect(sent?.y).toBeCloseTo(came?.y ?? 0, 0)
    expect((sent?.x ?? 0) + (sent?.width ?? 0)).toBeLessThan(came?.x ?? 0)
  })

  // Messages are shown only briefly, and a busy machine would miss them.
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
    ['copies a line without the clipboard API', { before: copy }, copied, 'window.taken'],
    [
      'selects a line that cannot be copied',
      { before: `${noClipboard}document.execCommand = () => false` },
      'to be copied by hand',
      'getSelection().toString()',
    ],
  ] as const)('%s, and says so', async ([, options, says, taken]) => {
    const page = await open(html, options)

    await page.getByText('Details').first().click()
    await page.getByRole('button', { name: 'Copy the curl line' }).first().click()
    await page.getByRole('status').filter({ hasText: says }).waitFor()

    expect(await page.evaluate(taken)).toBe(verdict.rules.flatMap(({ findings }) => findings)[0]?.curl)
  })

  test('gives every cell of a rule its own line on a phone', async () => {
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

  test('begins with a link that skips to the verdict', async () => {
    const page = await open(pages['a run'])

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    expect(await page.evaluate('document.activeElement.id')).toBe('verdict')
  })

  test('follows the theme of the system', async () => {
    const background = async (colorScheme: 'light' | 'dark'): Promise<unknown> =>
      (await open(pages['a run'], { colorScheme })).evaluate(
        'getComputedStyle(document.body).backgroundColor',
      )

    expect(await background('dark')).not.toBe(await background('light'))
  })

  test.for([
    [1280, 320, 480],
    [360, 480, Infinity],
  ] as const)(
    'shows the first problem near the top and keeps a closed cause small, at %i pixels',
    async ([width, top, height]) => {
      const page = await open(html, { viewport: { width, height: 800 } })
      const cause = await page.getByRole('article').first().boundingBox()

      expect(cause?.y).toBeLessThanOrEqual(top)
      expect(cause?.height).toBeLessThanOrEqual(height)
    },
  )

  test('with 3,000 findings stays small, and says how many causes it leaves out', async () => {
    const findings = Array.from({ length: 3_000 }, (_, index) =>
      findingWith({ fingerprint: `${index}`.padStart(16, '0'), summary: `answered in way ${index}` }),
    )
    const rules = rulesWith([
      ruleWith('fuzz/path', { status: 'failed', findings }),
      ruleWith('fuzz/query', { status: 'failed', findings: findings.slice(0, 1) }),
    ])
    const crowded = htmlPage(view(verdictWith({ verdict: 'nonconformant', exitCode: 1, rules })))
    const page = await open(crowded)

    expect(crowded.length).toBeLessThan(1024 * 1024)
    expect(await page.locator('*').count()).toBeLessThan(8_000)
    expect(await page.locator('.causes > .hidden-count').innerText()).toMatch(
      /^[\d,]+ more causes in verdict.json$/,
    )
  })
})

describeInBrowser('the search over rules', () => {
  test('narrows them down and shows how many are left', async () => {
    const page = await open(html)
    await page.getByText(/^All rules/).click()
    const rows = page.locator('tr[data-rule]:visible')
    const search = page.getByRole('searchbox')
    expect(await rows.count()).toBe(serviceRules)

    await search.fill('repeats the SECRET')
    expect(await rows.evaluateAll((all) => all.map(({ id }) => String(id)))).toEqual([
      'security/no-secret-echo',
    ])
    expect(await page.locator('tr.area:visible').count()).toBe(1)
    expect(await page.locator('#shown').textContent()).toBe(`1 of ${serviceRules} rules shown`)

    await search.fill('')
    expect(await rows.count()).toBe(serviceRules)
    expect(await page.locator('#shown').textContent()).toBe('')
  })

  test('is absent without scripts, and a link to a rule unfolds it', async () => {
    const page = await open(html, { fragment: '#security/no-secret-echo' })
    expect(await page.locator('[id="security/no-secret-echo"]').isVisible()).toBe(true)

    const still = await open(html, { javaScriptEnabled: false })
    expect(await still.getByRole('searchbox').count()).toBe(0)
    expect(await still.getByRole('article').first().isVisible()).toBe(true)
    await still.getByText(/^All rules/).click()
    expect(await still.locator('[id="security/no-secret-echo"]').isVisible()).toBe(true)
  })
})
