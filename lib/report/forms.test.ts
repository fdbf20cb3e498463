import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { packageVersion } from '../settings/package-version.ts'
import { targetWith, verdictWith } from '../verdict/verdict.testing.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { htmlPage } from './page/html-page.ts'
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

it.each(Object.entries(forms))('the %s form of each verdict has the reviewed text', async (name, form) => {
  const lines = Object.entries(corpus).flatMap(([kind, verdict]) => [
    `=== ${kind}`,
    ...(name === 'page' ? wordsOf(form(viewOf(verdict))) : form(viewOf(verdict))).trim().split('\n'),
  ])
  await expect(firstSaid(lines).replaceAll(packageVersion(), 'VERSION')).toMatchFileSnapshot(
    `../../tests/golden/forms/${name}.txt`,
  )
})

/** The number of rows that a text takes in a terminal with 100 columns. */
function rowsOf(text: string): number {
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => Math.max(1, Math.ceil(Array.from(line).length / 100)))
  return rows.reduce((sum, one) => sum + one, 0)
}

it('a conformant verdict takes at most six terminal rows, whatever its names', () => {
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
