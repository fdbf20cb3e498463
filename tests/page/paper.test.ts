import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import { specification } from '../../lib/specification/specification.ts'
import { ruleCount } from '../../lib/specification/testing/rule-counts.ts'
import {
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { emptyFolder } from '../support/program.ts'
import { describeInBrowser, Pages, sheets, titled } from './browser.ts'

const pages = new Pages()
const run = promisify(execFile)
const digest = '5d41402abc4b2a76b9719d911017c592a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8'

afterEach(() => pages.expectSilence())

/** The text of each printed sheet, its lines as they stand. */
async function sheetTexts(page: Page): Promise<readonly string[]> {
  const file = join(await emptyFolder(), 'page.pdf')
  await writeFile(file, await page.pdf({ preferCSSPageSize: true }))
  const { stdout } = await run('pdftotext', ['-layout', file, '-'])
  return stdout.replaceAll('\u00A0', ' ').split('\f').slice(0, -1)
}

/** An acceptance with so many agreed exceptions, each of another rule and answer. */
function acceptanceWith(exceptions: number): Verdict {
  const reason = (place: number): string => `agreed as point ${place + 1} of the contract, to end with it`
  const waived = rulesWith([])
    .slice(0, exceptions)
    .map(({ id }, place) =>
      ruleWith(id, {
        status: 'waived',
        because: reason(place),
        findings: [
          findingWith({
            fingerprint: `${place}`.padStart(16, '0'),
            case: `${id}:20260101:one`,
            summary: `answered in way ${place + 1} where another is documented`,
            waived: reason(place),
          }),
        ],
      }),
    )
  return verdictWith({
    profile: 'acceptance',
    strict: true,
    specification,
    validUntil: '2027-02-28T00:00:00.000Z',
    waivers: waived.map(({ id }, place) => ({
      rule: id,
      fingerprint: null,
      reason: reason(place),
      owner: 'Kim',
      expires: '2027-01-31',
      expired: false,
      used: true,
    })),
    rules: rulesWith(waived),
  })
}

const printed = (verdict: Verdict): Promise<Page> =>
  pages.open(htmlPage(verdict, { digest, madeAgainBy: null }))

describeInBrowser(titled('the statement on paper'), () => {
  for (const exceptions of [0, 1, 5, 20]) {
    it(`with ${exceptions} exceptions begins on the first sheet, and its signatures stand below what they sign`, async () => {
      const texts = await sheetTexts(await printed(acceptanceWith(exceptions)))
      const signed = texts.findIndex((text) => text.includes('the supplier'))
      const statement = texts.slice(0, signed + 1)

      expect(texts[0]).toMatch(/^\s*Conformance report.*\n+\s*CONFORMANT/)
      expect(texts[0]).toContain('2027-02-28 00:00 UTC')
      expect(statement.length).toBeLessThanOrEqual(exceptions > 1 ? 2 : 1)
      expect(statement.join('').match(/Agreed: agreed as point/g)?.length ?? 0).toBe(exceptions)
      expect(statement[signed]).toMatch(/Decision:.*accepted.*accepted with exceptions.*refused/)
      expect(statement[signed]).toContain('the client')
      expect(statement[signed]).toContain('this does not say that there are no other')
      expect(statement[signed]).toContain(
        exceptions === 0
          ? 'No exceptions were agreed.'
          : `agreed as point ${exceptions} of the contract, to end with it`,
      )
      expect(texts[signed + 1]).toMatch(/^ *Conformant/)
    })
  }

  it('keeps its signatures whole, below its heading, where exceptions fill sheets', async () => {
    const texts = await sheetTexts(await printed(acceptanceWith(28)))
    const signed = texts.find((text) => text.includes('the supplier'))

    expect(signed).toContain('CONFORMANT WITH 28 AGREED EXCEPTIONS')
    expect(signed).toContain('Decision:')
    expect(signed).toContain('the client')
  })

  it('of a refused vendor is headed by the verdict, in words and colour', async () => {
    const page = await printed({
      ...nonconformantVerdict(),
      profile: 'acceptance',
      strict: true,
      specification,
    })
    await page.emulateMedia({ media: 'print' })
    const colour = await page.evaluate("getComputedStyle(document.getElementById('cover')).color")
    const [first = ''] = await sheetTexts(page)

    expect(colour).toBe('rgb(179, 38, 30)')
    expect(first).toMatch(/^\s*Conformance report.*\n+\s*NOT CONFORMANT: answered 401/)
    expect(first).not.toContain('Acceptance of')
    expect(first).toContain('Violations (2)')
    expect(first).toContain('the client')
  })

  it('has the verdict, its digest and a number on every sheet', async () => {
    const texts = await sheetTexts(await printed(acceptanceWith(20)))

    expect(texts.length).toBeGreaterThan(2)
    for (const [place, text] of texts.entries()) {
      expect(text).toContain(`Sheet ${place + 1} of ${texts.length}`)
      expect(text).toMatch(
        new RegExp(
          String.raw`conformant with 20 agreed exceptions, vendor build 42, 2026-11-20, verdict.json SHA-256\s+(Sheet.*\s+)?${digest}`,
        ),
      )
    }
  })
})

describeInBrowser(titled('the page on paper'), () => {
  it('states a clean acceptance on at most four sheets, the statement on the first', async () => {
    expect(await sheets(await printed(acceptanceWith(0)))).toBeLessThanOrEqual(4)
  })

  it('has 100 findings on at most twelve sheets, an exchange for each of the first causes and a line a finding', async () => {
    const findings = Array.from({ length: 100 }, (_, place) =>
      findingWith({
        fingerprint: `${place}`.padStart(16, '0'),
        case: `fuzz/path:20260101:${place}`,
        summary: `answered 40${place % 10} in way ${place} where 400 / 1010 is documented`,
        answered: { status: 400 + (place % 10), errorCode: null },
      }),
    )
    const page = await printed(
      verdictWith({
        verdict: 'nonconformant',
        exitCode: 1,
        rules: rulesWith(
          (['fuzz/path', 'fuzz/query', 'fuzz/version', 'fuzz/headers'] as const).map((id, part) =>
            ruleWith(id, { status: 'failed', findings: findings.slice(part * 25, part * 25 + 25) }),
          ),
        ),
      }),
    )

    const texts = await sheetTexts(page)

    expect(texts.length).toBeLessThanOrEqual(12)
    for (let place = 0; place < 100; place++) expect(texts.join('')).toContain(`in way ${place} where`)
  })

  it('opens what it has to say, and closes it again afterwards', async () => {
    const page = await printed(nonconformantVerdict())
    const closed = page.locator('details.printed:not([open])')
    const before = await closed.count()

    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    const printing = await closed.count()
    await page.evaluate("dispatchEvent(new Event('afterprint'))")

    expect([before, printing, await closed.count()]).toEqual([3, 0, 3])
  })

  it('has every rule and cause, whatever the filters hide on the screen', async () => {
    const page = await pages.open(htmlPage(nonconformantVerdict()), { fragment: '#status=untested' })
    expect(await page.locator('[data-cause]:visible').count()).toBe(0)

    const text = (await sheetTexts(page)).join('')

    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('tr[data-rule]:visible').count()).toBe(ruleCount)
    expect(await page.locator('[data-cause]:visible').count()).toBe(4)
    for (const part of ['answered 404', 'versioning/unknown-endpoint', 'security/no-secret-echo']) {
      expect(text).toContain(part)
    }
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
