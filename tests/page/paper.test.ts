import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { htmlPage } from '../../lib/report/page/html-page.ts'
import { view } from '../../lib/report/view.ts'
import { specification } from '../../lib/specification/specification.ts'
import { serviceRules } from '../../lib/specification/testing/rule-counts.ts'
import { findingWith, nonconformantVerdict } from '../../lib/verdict/verdict.testing.ts'
import { ruleWith, rulesWith, verdictWith } from '../../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { reference, run } from '../support/program-test.ts'
import { emptyFolder, settingsFor } from '../support/program.ts'
import { describeInBrowser, open, pdfOf } from './browser.ts'

const start = promisify(execFile)
const digest = '5d41402abc4b2a76b9719d911017c592a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8'
const acceptance = { profile: 'acceptance', strict: true, specification } as const

/** The text of each printed sheet, in its layout. */
async function sheetTexts(page: Page): Promise<readonly string[]> {
  const file = join(await emptyFolder(), 'page.pdf')
  await writeFile(file, await pdfOf(page))
  const { stdout } = await start('pdftotext', ['-layout', file, '-'])
  return stdout.replaceAll('\u00A0', ' ').split('\f').slice(0, -1)
}

/** An acceptance with this many agreed exceptions, each for a different rule and answer. */
function acceptanceWith(exceptions: number): Verdict {
  const reason = (place: number): string => `agreed as point ${place + 1} of the contract, to end with it`
  const agreed = { fingerprint: null, owner: 'Kim', expires: '2027-01-31', expired: false, used: true }
  const waived = rulesWith([])
    .slice(0, exceptions)
    .map(({ id }, place) => {
      const [because, fingerprint] = [reason(place), `${place}`.padStart(16, '0')]
      const summary = `answered in way ${place + 1} where another is documented`
      const finding = findingWith({ fingerprint, case: `${id}:20260101:one`, summary, waived: because })
      return ruleWith(id, { status: 'waived', because, findings: [finding] })
    })
  return verdictWith({
    ...acceptance,
    validUntil: '2027-02-28T00:00:00.000Z',
    waivers: waived.map(({ id }, place) => ({ ...agreed, rule: id, reason: reason(place) })),
    rules: rulesWith(waived),
  })
}

const printed = (verdict: Verdict): string => htmlPage(view(verdict, { digest }))

describeInBrowser('the statement on paper', () => {
  test.for([
    [0, 1],
    [1, 1],
    [5, 2],
    [20, 2],
    [28, 3],
  ] as const)(
    'with %i exceptions is signed below its text, on up to %i sheets',
    async ([exceptions, most]) => {
      const texts = await sheetTexts(await open(printed(acceptanceWith(exceptions))))
      const signed = texts.findIndex((text) => text.includes('Exceptions other than those above'))
      const statement = texts.slice(0, signed + 1)

      expect(texts[0]).toMatch(/^\s*Conformance report[^]*Supplier[^]*CONFORMANT/)
      expect(texts[0]).toContain('2027-02-28 00:00 UTC')
      expect(statement.length).toBeLessThanOrEqual(most)
      if (exceptions === 0) expect(texts.length).toBeLessThanOrEqual(4)
      expect(statement.join('').match(/; agreed as point/g)?.length ?? 0).toBe(exceptions)
      expect(statement[signed]).toMatch(/Decision:.*accepted.*accepted with exceptions.*refused/)
      const last =
        exceptions === 0 ? 'No exceptions were agreed.' : `agreed as point ${exceptions} of the contract`
      for (const part of ['Client', 'By signing, each party confirms', last])
        expect(statement[signed]).toContain(part)
      expect(texts[signed + 1]).toMatch(/^ *Conformant/)
      // Every sheet shows the verdict, its digest and a number.
      const named = exceptions === 0 ? 'conformant' : `conformant with ${exceptions} agreed exceptions?`
      const foot = String.raw`${named}, vendor, build 42, 2026-11-20, verdict.json SHA-256\s+(Sheet.*\s+)?${digest}`
      for (const [place, text] of texts.entries()) {
        expect(text).toContain(`Sheet ${place + 1} of ${texts.length}`)
        expect(text).toMatch(new RegExp(foot))
      }
    },
  )

  test('for a refused vendor begins with the verdict, in words and colour', async () => {
    const page = await open(printed({ ...nonconformantVerdict(), ...acceptance }))
    await page.emulateMedia({ media: 'print' })
    const colour = await page.evaluate("getComputedStyle(document.getElementById('cover')).color")
    const [first = ''] = await sheetTexts(page)

    expect(colour).toBe('rgb(179, 38, 30)')
    expect(first).toMatch(/^\s*Conformance report[^]*NONCONFORMANT: answered 401/)
    expect(first).not.toContain('Acceptance of')
    for (const part of ['Violations (2 problems, 2 rules)', 'Client']) expect(first).toContain(part)
  })
})

describeInBrowser('the page of a run on paper', () => {
  test('has every rule and cause in dark ink, whatever the theme of the screen', async () => {
    const page = await open(printed(nonconformantVerdict()), { colorScheme: 'dark' })
    const text = (await sheetTexts(page)).join('')
    await page.emulateMedia({ media: 'print' })

    expect(await page.locator('tr[data-rule]:visible').count()).toBe(serviceRules)
    expect(await page.locator('.cause:visible').count()).toBe(4)
    for (const part of ['answered 404', 'versioning/unknown-endpoint', 'security/no-secret-echo'])
      expect(text).toContain(part)
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(26, 32, 41)')
    expect(await page.locator('button:visible').count()).toBe(0)
  })

  test.for([
    ['a green gate', [], 'gate', 4],
    ['a green acceptance', [], 'acceptance', 4],
    ['a service with one fault', ['errors-in-plain-text'], 'gate', 3],
    ['a service with one fault', ['api-key-compared-by-prefix'], 'gate', 3],
    ['a service with one fault', ['every-error-under-200'], 'gate', 3],
  ] as const)('for %s (%j) in %s has at most %i sheets', async ([, faults, profile, most]) => {
    const env = { ...settingsFor(await reference({ faults })), RUN_PROFILE: profile }
    const { cwd } = await run([], { env })
    const page = await open(await readFile(join(cwd, 'reports/index.html'), 'utf8'))
    const heights: number[] = []
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 600 })
      heights.push(Number(await page.evaluate('document.documentElement.scrollHeight')))
    }

    const sheets = (await pdfOf(page)).toString('latin1').match(/\/Type\s*\/Page\b/g)
    expect(sheets?.length).toBeLessThanOrEqual(most)
    // A page without failures also has a limited height on the screen.
    const [wide, narrow] = faults.length === 0 ? [3_500, 7_000] : [Infinity, Infinity]
    expect(heights[0]).toBeLessThanOrEqual(wide)
    expect(heights[1]).toBeLessThanOrEqual(narrow)
  })
})
