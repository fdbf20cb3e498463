import { afterEach, expect, it } from 'vitest'
import { hostileVerdict } from '../lib/report/hostile.testing.ts'
import { htmlPage } from '../lib/report/page/html-page.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../lib/verdict/verdict.testing.ts'
import { describeInBrowser, Pages, titled } from './page-browser.ts'

const pages = new Pages()
const attack = `</code></title></style><script>alert(1)</script><img src="https://evil.example/x" onerror=alert(2)>" onfocus=alert(3) autofocus x='`

afterEach(() => pages.expectSilence())

describeInBrowser(titled('a hostile service'), () => {
  // Without the policy, too: it is a second wall, and must not hide a hole in the first.
  for (const bypassCSP of [false, true]) {
    it(`shows as text, ${bypassCSP ? 'even without' : 'with'} the policy`, async () => {
      const page = await pages.open(htmlPage(hostileVerdict(attack), []), { bypassCSP })

      expect(await page.locator('img, [onfocus], [onerror], [autofocus], body script').count()).toBe(0)
      expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
      expect(await page.locator('details.finding[open] dl').innerText()).toContain(attack)
    })
  }

  it('cannot reverse or hide what is read', async () => {
    const page = await pages.open(htmlPage(hostileVerdict('safe\u202Elive\u0000\u200B\u001B[2J'), []))

    const text = await page.locator('body').innerText()

    expect(text).toContain(String.raw`safe\u202elive\u0000\u200b\u001b[2J`)
    for (const character of ['\u202E', '\u200B', '\u0000', '\u001B']) expect(text).not.toContain(character)
  })

  it('is kept from running anything by the policy as well', async () => {
    const page = await pages.open(htmlPage(verdictWith(), []))

    const policy = await page.locator('meta[http-equiv]').getAttribute('content')

    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
  })
})

describeInBrowser(titled('a verdict with 10,000 findings'), () => {
  const findings = Array.from({ length: 10_000 }, (_, index) =>
    findingWith({ fingerprint: `${index}`.padStart(16, '0'), summary: `answered in way ${index}` }),
  )
  const html = htmlPage(
    verdictWith({
      verdict: 'nonconformant',
      exitCode: 1,
      rules: rulesWith([
        ruleWith('fuzz/path', { status: 'failed', findings }),
        ruleWith('fuzz/query', { status: 'failed', findings: findings.slice(0, 1) }),
      ]),
    }),
    [],
  )

  it('stays small, and says how much is elsewhere', async () => {
    const page = await pages.open(html)

    expect(html.length).toBeLessThan(1024 * 1024)
    expect(await page.locator('*').count()).toBeLessThan(8_000)
    expect(await page.locator('[data-findings="fuzz/path"] .hidden-count').innerText()).toBe(
      '9,701 more findings of this rule: see verdict.json, beside this page.',
    )
    expect(await page.locator('[data-findings="fuzz/query"] details').count()).toBe(1)
  })
})
