import type { Page } from 'playwright-core'
import { ruleCount } from '../../lib/specification/testing/rule-counts.ts'
import { afterEach, expect, it } from 'vitest'
import axe from 'axe-core'
import { compared } from '../../lib/report/compare/comparison.ts'
import { comparisonPage } from '../../lib/report/compare/comparison-page.ts'
import { sideOf, type Side } from '../../lib/report/compare/side.ts'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import {
  nonconformantVerdict,
  errorVerdict,
  targetWith,
  verdictWith,
  findingWith,
  ruleWith,
  rulesWith,
} from '../../lib/verdict/verdict.testing.ts'
import { specification } from '../../lib/specification/specification.ts'
import { describeInBrowser, Pages, titled } from './browser.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { hostileVerdict } from '../../lib/report/hostile.testing.ts'

const pages = new Pages()
const verdict = nonconformantVerdict()
const html = htmlPage(verdict)

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
    expect(await page.locator('#shown').textContent()).toBe(`2 of ${ruleCount} rules shown`)
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

    expect(await rulesShown(page)).toHaveLength(ruleCount)
    expect(await fragmentOf(page)).toBe('')
  })

  it('do nothing at Enter in the text', async () => {
    const page = await pages.open(html)

    await page.getByRole('searchbox').fill('quota/')
    await page.getByRole('searchbox').press('Enter')

    expect(await rulesShown(page)).toHaveLength(3)
  })

  it('give way to a link to a rule that they hide', async () => {
    const page = await pages.open(html, { fragment: '#status=passed' })

    await page.evaluate("location.hash = '#findings/authentication/api-key-missing'")

    await page.locator('[data-findings="authentication/api-key-missing"]').waitFor({ state: 'visible' })
    expect(await rulesShown(page)).toHaveLength(ruleCount)
  })

  it('are not shown where no script runs, and all the rest is', async () => {
    const page = await pages.open(html, { javaScriptEnabled: false })

    expect(await page.locator('#filters').isVisible()).toBe(false)
    expect(await page.locator('tr[data-rule]:visible').count()).toBe(ruleCount)
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
    expect(await open.innerText()).toContain(
      'answered 401 / 1006 (invalid api key) where 400 / 1001 (api key header is missing) is documented',
    )
  })

  it('that are waived say so, with the reason', async () => {
    const page = await pages.open(html)

    expect(await page.locator('[data-findings="authentication/no-side-door"] summary').innerText()).toContain(
      'waived: mended in the next release (Kim, until 2027-01-31)',
    )
  })
})

describeInBrowser(titled('runs'), () => {
  it('lead to the reports of the run before, but not from those', async () => {
    const latest = await pages.open(fullPage)
    const kept = await pages.open(fullPage, { folder: 'previous' })

    expect(await latest.locator('.runs a[href="previous/index.html"]').count()).toBe(1)
    expect(await kept.locator('.runs a[href="previous/index.html"]').count()).toBe(0)
    expect(await kept.locator('.runs').innerText()).toContain('2026-11-19 02:00 UTC')
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

/** What axe has to say against a page, each complaint with the places. */
async function complaints(page: Page): Promise<unknown> {
  await page.evaluate(axe.source)
  return page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map(({ html }) => html)]))`,
  )
}

describeInBrowser(titled('the page for everybody'), () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`satisfies axe in the ${colorScheme} theme, with all open`, async () => {
      const page = await pages.open(fullPage, { colorScheme })
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

      expect(await complaints(page)).toEqual([])
    })
  }

  it('satisfies axe with the cover of an acceptance', async () => {
    expect(await complaints(await pages.open(acceptancePage))).toEqual([])
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
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")

      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    })
  }

  for (const width of [320, 360, 480]) {
    it(`gives every cell of a rule the whole width of a phone of ${width} pixels`, async () => {
      const page = await pages.open(fullPage, { viewport: { width, height: 640 } })

      const widths = await page
        .locator('tr[data-rule] > td:visible, .not-judged td:visible')
        .evaluateAll((cells) => cells.map((cell) => cell.clientWidth))

      expect(widths.length).toBeGreaterThan(120)
      expect(Math.min(...widths)).toBeGreaterThan(0.6 * width)
    })
  }

  it('begins with a link over all that comes before the verdict', async () => {
    const page = await pages.open(fullPage)

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    expect(await page.evaluate('document.activeElement.id')).toBe('main')
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

describeInBrowser(titled('the page that compares'), () => {
  const vendor = (label: string, one: Verdict): Side =>
    sideOf(`verdicts/${label}`, { ...one, target: { ...one.target, label } })
  const matrix = comparisonPage(
    compared(
      vendor('A', verdictWith()),
      ['B', 'C', 'D', 'E', 'F'].map((label) => vendor(label, nonconformantVerdict())),
    ),
  )

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`satisfies axe in the ${colorScheme} theme`, async () => {
      expect(await complaints(await pages.open(matrix, { colorScheme }))).toEqual([])
    })
  }

  it('has every vendor on paper, where nothing scrolls', async () => {
    const page = await pages.open(matrix, { viewport: { width: sheetWidth, height: 1000 } })
    await page.emulateMedia({ media: 'print' })

    const ends = await page
      .locator('.versus tr > :last-child')
      .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right))

    expect(ends.length).toBeGreaterThan(41)
    expect(Math.max(...ends)).toBeLessThanOrEqual(sheetWidth)
  })

  it('keeps the rules in sight on a phone while the vendors are scrolled', async () => {
    const page = await pages.open(matrix, { viewport: { width: 360, height: 640 } })
    const rule = page.locator('.versus tbody th[scope="row"]').first()
    const before = await rule.boundingBox()

    await page.locator('.versus .scrolls').evaluate((box) => (box.scrollLeft = 300))

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(await page.locator('.versus .scrolls').evaluate((box) => box.scrollLeft)).toBe(300)
    expect(Math.abs(((await rule.boundingBox())?.x ?? 999) - (before?.x ?? 0))).toBeLessThan(30)
  })
})

/** Width of a sheet of A4 within its margins, in pixels. */
const sheetWidth = 696

/** How many sheets a page takes. */
async function sheets(page: Page): Promise<number> {
  const pdf = await page.pdf({ preferCSSPageSize: true })
  return pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
}

describeInBrowser(titled('the page on paper'), () => {
  it('states a clean acceptance on a cover and three sheets, before all that explains it', async () => {
    const accepted = verdictWith({
      profile: 'acceptance',
      strict: true,
      target: targetWith({ baseUrl: 'http://127.0.0.1:8080', embedded: true }),
    })
    const page = await pages.open(htmlPage(accepted))
    const whole = await sheets(page)

    await page.evaluate("for (const one of document.querySelectorAll('.matrix ~ *, footer')) one.remove()")

    expect(await sheets(page)).toBe(4)
    expect(whole).toBeGreaterThan(4)
    await page.evaluate("for (const one of document.querySelectorAll('.cover ~ *, body > .sr')) one.remove()")
    expect(await sheets(page)).toBe(1)
  })

  it('opens every finding, and closes it again afterwards', async () => {
    const page = await pages.open(htmlPage(nonconformantVerdict()))
    const closed = page.locator('details.finding:not([open])')
    const before = await closed.count()

    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    const printing = await closed.count()
    await page.evaluate("dispatchEvent(new Event('afterprint'))")

    expect([before, printing, await closed.count()]).toEqual([3, 0, 3])
  })

  it('has every rule and finding, whatever the filters hide on the screen', async () => {
    const page = await pages.open(htmlPage(nonconformantVerdict()), { fragment: '#status=passed' })

    await page.emulateMedia({ media: 'print' })

    expect(await page.locator('tr[data-rule]:visible').count()).toBe(ruleCount)
    expect(await page.locator('[data-findings]:visible').count()).toBe(4)
  })

  it('is in dark ink whatever the theme, without what only a screen can use', async () => {
    const page = await pages.open(htmlPage(nonconformantVerdict()), { colorScheme: 'dark' })

    await page.emulateMedia({ media: 'print' })

    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(26, 32, 41)')
    expect(await page.locator('#filters, #themes, .copyable button').filter({ visible: true }).count()).toBe(
      0,
    )
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
      expect(await page.locator('details.finding[open] dl').innerText()).toContain(attack)
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
    expect(await page.locator('[data-findings="fuzz/path"] .hidden-count').innerText()).toBe(
      '9,701 more findings of this rule: see verdict.json, beside this page.',
    )
    expect(await page.locator('[data-findings="fuzz/query"] details').count()).toBe(1)
  })
})
