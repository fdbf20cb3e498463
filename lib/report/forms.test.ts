import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { packageVersion } from '../settings/package-version.ts'
import { targetWith, verdictWith } from '../verdict/verdict.testing.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { htmlPage } from './page/html-page.ts'
import { summaryMarkdown } from './render/summary.ts'
import { corpus } from './testing/corpus.ts'
import { forms, terminal } from './testing/every-report.ts'
import { hostileText, hostileVerdict } from './testing/hostile.ts'
import { view, type View } from './view.ts'

const digest = 'a'.repeat(64)
const since = 'since the last run (2026-11-19 02:00 UTC, conformant): 1 new cause'
const viewOf = (verdict: Verdict): View => view(verdict, { digest, since })

/** The text of a page, with one line for each block that contains text. */
function wordsOf(page: string): string {
  return page
    .replaceAll(/<(style|script|svg|title)\b.*?<\/\1>|<summary>Words and codes.*?<\/details>/gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<\/(?:p|li|tr|h\d|dd|div|summary|pre|section|header)>/g, '\n')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}

/** The lines that appear for the first time. A count replaces the repeated lines between them. */
function firstSaid(lines: readonly string[]): string {
  const said = new Set<string>()
  let repeated = 0
  const first = [...lines, null].flatMap((line) => {
    const isKnown = line !== null && line !== '' && said.has(line)
    const skipped = repeated === 0 ? [] : [`… ${repeated}`]
    repeated = isKnown ? repeated + 1 : 0
    if (line !== null) said.add(line)
    return line === null ? skipped : isKnown ? [] : [...skipped, line]
  })
  return `${first.join('\n')}\n`
}

test.each(Object.entries(forms))('the %s form of each verdict has the reviewed text', async (name, form) => {
  const lines = Object.entries(corpus).flatMap(([kind, verdict]) => [
    `=== ${kind}`,
    ...(name === 'page' ? wordsOf(form(viewOf(verdict))) : form(viewOf(verdict))).trim().split('\n'),
  ])
  await expect(firstSaid(lines).replaceAll(packageVersion(), 'VERSION')).toMatchFileSnapshot(
    `../../tests/golden/forms/${name}.txt`,
  )
})

describe.each(Object.entries(corpus))('every form of "%s"', (_kind, verdict) => {
  it('contains no control characters, and no error commands from the service', () => {
    for (const [name, form] of Object.entries(forms)) {
      const lines = form(viewOf(verdict)).split('\n')
      for (const line of lines) expect(line, name).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
      for (const line of lines) expect(line, name).not.toMatch(/^::error::/)
    }
  })

  it('fits the width of the terminal, except for lines to copy', () => {
    for (const width of [60, 100]) {
      const long = terminal(viewOf(verdict), width)
        .split('\n')
        .filter((line) => Array.from(line).length > width)
      expect(long.filter((line) => !/^ +replay +npx |^reports: |^SHA-256 of /.test(line))).toEqual([])
    }
  })
})

/** The number of rows that a text takes in a terminal with 100 columns. */
function rowsOf(text: string): number {
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => Math.max(1, Math.ceil(Array.from(line).length / 100)))
  return rows.reduce((sum, one) => sum + one, 0)
}

describe('a short report', () => {
  const views = Object.entries(corpus).map(([kind, verdict]) => [kind, viewOf(verdict)] as const)
  const problemsOf = ({ causes }: View) => causes.filter(({ status }) => status === 'failed')
  const single = views.filter(([kind, shown]) => problemsOf(shown).length === 1 && kind !== 'hostile texts')

  it.each(single)('takes at most twelve terminal rows for one problem: %s', (_, shown) => {
    expect(rowsOf(terminal(shown))).toBeLessThanOrEqual(12)
  })

  it.each(views)('shows expected, got and a replay line for every problem: %s', (_, shown) => {
    const blocks = terminal(shown).split(/^✗ /m).slice(1)
    expect(blocks).toHaveLength(Math.min(10, problemsOf(shown).length))
    for (const block of blocks)
      expect(block).toMatch(/\n {4}expected .*\n(?:.*\n)*? {4}got .*\n(?:.*\n)*? {4}replay /)
  })

  it.each(views)('starts its summary with at most five lines that fit a chat message: %s', (_, shown) => {
    const [first = ''] = summaryMarkdown(shown).trim().split('\n\n')
    expect(first.split('\n').length).toBeLessThanOrEqual(5)
    expect(first.length).toBeLessThan(2_000)
    expect(first).toMatch(/exit [0-4]/)
  })

  it('takes at most six terminal rows for a conformant verdict, whatever its names', () => {
    const text = fc.constantFrom(null, '', 'x'.repeat(199), 'a b '.repeat(49))
    const baseUrl = fc.constantFrom('https://a.example', `https://${'a'.repeat(300)}.example`)
    const target = fc.record({ label: text, build: text, embedded: fc.boolean(), baseUrl })
    const news = fc.constantFrom(null, since, 'a b '.repeat(60))
    fc.assert(
      fc.property(target, news, (changes, told) => {
        const [kind = ''] = Object.keys(corpus).slice(1)
        const verdict = { ...(corpus[kind] ?? verdictWith()), target: targetWith(changes) }
        expect(rowsOf(terminal(view(verdict, { since: told })))).toBeLessThanOrEqual(6)
      }),
    )
  })
})

it('no text from a service becomes an HTML tag', () => {
  const tag = /<\/?([a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:[A-Z][a-zA-Z]*)?(?:="[^"<>]*")?)*) ?\/?>/g
  const body = (page: string): string => page.slice(page.indexOf('</head>')).replaceAll(/\s+/g, ' ')
  const names = new Set([...body(htmlPage(view(hostileVerdict('x')))).matchAll(tag)].map(([, name]) => name))
  fc.assert(
    fc.property(hostileText, (text) => {
      const shown = view(hostileVerdict(text))
      const page = body(htmlPage(shown))
      const tags = [...page.matchAll(tag)]
      expect(page.replaceAll(tag, '')).not.toMatch(/[<>]/)
      expect(tags.filter(([, name]) => !names.has(name))).toEqual([])
      expect(tags.filter(([, , given = '']) => /(?:^| )(?:on|style|src)| href="(?!#)/.test(given))).toEqual(
        [],
      )
    }),
  )
})
