import { afterEach, expect, it } from 'vitest'
import { hostileVerdict } from '../../lib/report/testing/hostile.ts'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import { specification } from '../../lib/specification/specification.ts'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../../lib/verdict/verdict.testing.ts'
import { complaints, describeInBrowser, Pages, titled, unfold } from './browser.ts'

const pages = new Pages()
const verdict = nonconformantVerdict()
const html = htmlPage(verdict)

afterEach(() => pages.expectSilence())

describeInBrowser(titled('causes'), () => {
  it('are headings, each with what was sent beside what came, what is documented, and the lines that send it again', async () => {
    const page = await pages.open(html)
    const cause = page.getByRole('article').filter({ hasText: 'answered 404' })

    expect(await page.getByRole('heading', { level: 3, name: /answered 404/ }).count()).toBe(1)
    const [sent, came] = await Promise.all(
      ['what was sent', 'what was answered'].map((name) => cause.getByRole('group', { name }).boundingBox()),
    )
    expect(sent?.y).toBeCloseTo(came?.y ?? 0, 0)
    expect((sent?.x ?? 0) + (sent?.width ?? 0)).toBeLessThan(came?.x ?? 0)
    const text = await cause.innerText()
    for (const part of ['400 / 1010', 'GET https://staging.example.com/cards/api', 'x-version: 1', '404']) {
      expect(text).toContain(part)
    }
    for (const part of ['2 of 3, intermittent', 'curl --http1.1', 'replay versioning/unknown-endpoint']) {
      expect(text).toContain(part)
    }
  })

  it('that are waived stay, with how grave they are and the reason, and no green tick', async () => {
    const page = await pages.open(html)
    const waived = page.locator('.cause[data-status="waived"]')

    expect(await waived.innerText()).toContain('Agreed: mended in the next release (Kim, until 2027-01-31)')
    expect(await waived.innerText()).toContain(
      'Wrong form, convention. 1 finding of authentication/no-side-door',
    )
    expect(await waived.locator('.badge.passed').count()).toBe(0)
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

/** A verdict in which every part of the page has something to show. */
const fullVerdict = {
  ...nonconformantVerdict(),
  requests: { ...nonconformantVerdict().requests, byRule: { 'fuzz/path': 180, 'quota/exhausted': 2 } },
  observations: [
    { id: 'flaw-order', value: ['1001', '1006'] },
    { id: 'methods', value: { HEAD: '200' } },
  ],
  waivers: [
    {
      rule: 'quota/per-client',
      fingerprint: null,
      reason: 'agreed',
      owner: 'Kim',
      expires: '2026-01-31',
      expired: true,
      used: false,
    },
  ],
}
const fullPage = htmlPage(fullVerdict)
const acceptancePage = htmlPage({ ...fullVerdict, profile: 'acceptance', strict: true, specification })
const long = 'W'.repeat(3_000)

describeInBrowser(titled('the page for everybody'), () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`satisfies axe in the ${colorScheme} theme, with all open`, async () => {
      const page = await pages.open(fullPage, { colorScheme })
      await unfold(page)

      expect(await complaints(page)).toEqual([])
    })
  }

  it('satisfies axe with the statement of an acceptance', async () => {
    const page = await pages.open(acceptancePage)
    await unfold(page)

    expect(await complaints(page)).toEqual([])
  })

  it('satisfies axe when it tells of an error', async () => {
    expect(await complaints(await pages.open(htmlPage(errorVerdict())))).toEqual([])
  })

  for (const [name, one] of [
    ['a nonconformant verdict', fullPage],
    ['a verdict of long words', htmlPage(hostileVerdict(long))],
  ] as const) {
    it(`never scrolls sideways at 320 pixels with ${name}`, async () => {
      const page = await pages.open(one, { viewport: { width: 320, height: 640 } })
      await unfold(page)

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    })
  }

  for (const width of [320, 360, 480]) {
    it(`gives every cell of a rule the whole width of a phone of ${width} pixels`, async () => {
      const page = await pages.open(fullPage, { viewport: { width, height: 640 } })

      await unfold(page)
      const widths = await page
        .locator('tr[data-rule] > td:visible, .not-judged td:visible')
        .evaluateAll((cells) => cells.map((cell) => cell.clientWidth))

      expect(widths.length).toBeGreaterThan(120)
      expect(Math.min(...widths)).toBeGreaterThan(0.6 * width)
    })
  }

  it('begins with a link that skips to the verdict', async () => {
    const page = await pages.open(fullPage)

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    expect(await page.evaluate('document.activeElement.id')).toBe('verdict')
  })

  it('takes the theme of the system, and the one that is chosen', async () => {
    const page = await pages.open(fullPage, { colorScheme: 'light' })
    const background = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await background()

    await page.getByRole('radio', { name: 'dark' }).check({ force: true })
    const dark = await background()
    await page.reload()

    expect(dark).not.toBe(light)
    expect(await background()).toBe(dark)
    expect(await page.getByRole('radio', { name: 'dark' }).isChecked()).toBe(true)
  })

  it('hides a theme switch that cannot work without the script', async () => {
    const page = await pages.open(fullPage, { javaScriptEnabled: false })

    expect(await page.locator('#themes').isVisible()).toBe(false)
  })
})

const attack = `</code></title></style><script>alert(1)</script><img src="https://evil.example/x" onerror=alert(2)>" onfocus=alert(3) autofocus x='`

describeInBrowser(titled('a hostile service'), () => {
  // Without the policy, too: it is a second wall, and must not hide a hole in the first.
  for (const bypassCSP of [false, true]) {
    it(`shows as text, ${bypassCSP ? 'even without' : 'with'} the policy`, async () => {
      const page = await pages.open(htmlPage(hostileVerdict(attack)), { bypassCSP })

      expect(await page.locator('img, [onfocus], [onerror], [autofocus], body script').count()).toBe(0)
      expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
      expect(await page.locator('.cause').first().innerText()).toContain(attack)
    })
  }

  it('cannot reverse or hide what is read', async () => {
    const page = await pages.open(htmlPage(hostileVerdict('safe\u202Elive\u0000\u200B\u001B[2J')))

    const text = await page.locator('body').innerText()

    expect(text).toContain(String.raw`safe\u202elive\u0000\u200b\u001b[2J`)
    for (const character of ['\u202E', '\u200B', '\u0000', '\u001B']) expect(text).not.toContain(character)
  })

  it('is kept from running anything by the policy as well', async () => {
    const page = await pages.open(htmlPage(verdictWith()))

    const policy = await page.locator('meta[http-equiv]').getAttribute('content')

    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
  })
})

describeInBrowser(titled('a verdict with 10,000 findings'), () => {
  const findings = Array.from({ length: 10_000 }, (_, index) =>
    findingWith({ fingerprint: `${index}`.padStart(16, '0'), summary: `answered in way ${index}` }),
  )
  const crowdedPage = htmlPage(
    verdictWith({
      verdict: 'nonconformant',
      exitCode: 1,
      rules: rulesWith([
        ruleWith('fuzz/path', { status: 'failed', findings }),
        ruleWith('fuzz/query', { status: 'failed', findings: findings.slice(0, 1) }),
      ]),
    }),
  )

  it('stays small, and says how much is elsewhere', async () => {
    const page = await pages.open(crowdedPage)

    expect(crowdedPage.length).toBeLessThan(1024 * 1024)
    expect(await page.locator('*').count()).toBeLessThan(8_000)
    expect(await page.locator('.causes > .hidden-count').innerText()).toMatch(
      /^[\d,]+ more causes in verdict.json$/,
    )
  })
})
