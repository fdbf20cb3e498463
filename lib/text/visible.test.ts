import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allureOf } from '../report/allure/allure.testing.ts'
import { htmlPage } from '../report/page/html-page.ts'
import { junitXml } from '../report/render/junit.ts'
import { replayText } from '../report/render/replay-text.ts'
import { summaryMarkdown } from '../report/render/summary.ts'
import { terminalSummary } from '../report/render/terminal-summary.ts'
import { view } from '../report/view.ts'
import { verdictJson } from '../verdict/verdict-json.ts'
import { exchange, findingWith, ruleWith, rulesWith, verdictWith } from '../verdict/verdict.testing.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { printable } from './printable.ts'
import { legendOf, visible } from './visible.ts'

/** A verdict with one finding, whose request has this value and whose summary ends with a space. */
function verdictOf(value: string): Verdict {
  const request = { ...exchange.request, headers: [['x-version', value] as const] }
  const finding = findingWith({ summary: 'answered 200 for 1 ', exchange: { ...exchange, request } })
  return verdictWith({
    verdict: 'nonconformant',
    exitCode: 1,
    rules: rulesWith([ruleWith('versioning/malformed-version', { status: 'failed', findings: [finding] })]),
  })
}

/** Everything written for Allure, with backslashes as they were before JSON doubled them. */
function allureText(verdict: Verdict): string {
  const { names, text } = allureOf(verdict)
  return names.map(text).join('').replaceAll('\\\\', '\\')
}

const made = new Map<string, Readonly<Record<string, string>>>()

/** The value as each report that contains requests shows it. */
function reportsOf(value: string): Readonly<Record<string, string>> {
  const known = made.get(value) ?? reportsWith(value)
  made.set(value, known)
  return known
}

function reportsWith(value: string): Readonly<Record<string, string>> {
  const verdict = verdictOf(value)
  const [finding] = verdict.rules.flatMap(({ findings }) => findings)
  const shown = finding?.exchange ?? exchange
  const rendering = { colour: false, width: 200 }
  const counts = { asked: 1, times: 1, wrong: 0, sent: 1 }
  const replayed = { baseUrl: 'http://a.example', ...counts, exchanges: [shown], found: [], unjudged: [] }
  return {
    terminal: terminalSummary(view(verdict), { ...rendering, reportsDir: '/reports' }),
    page: htmlPage(view(verdict)),
    junit: junitXml(view(verdict)),
    allure: allureText(verdict),
    replay: replayText(replayed, rendering),
  }
}

const names = Object.keys(reportsOf(''))

describe('a value with visible white space', () => {
  it.each([
    ['a space at the end', '1 ', String.raw`1\u0020`],
    ['spaces on both sides', '  1 ', String.raw`\u0020\u00201\u0020`],
    ['spaces only', '  ', String.raw`\u0020\u0020`],
    ['a space inside', '1 2', '1 2'],
    ['a tab, which is left to printable', '\t1\t', '\t1\t'],
    ['characters that only look like a space', '1\u00A0\u3000', String.raw`1\u00a0\u3000`],
    ['nothing', '', ''],
  ])('is shown correctly for %s', (_, value, expected) => {
    expect(visible(value)).toBe(expected)
  })

  it('begins and ends with visible characters once it is printable', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(' ', '\t', 'a', '\u200B', '\0')), (characters) => {
        const shown = printable(visible(characters.join('')))

        expect(shown).toMatch(/^(?:[!-~](?:[ -~]*[!-~])?)?$/)
        expect(JSON.parse(`"${shown}"`)).toBe(characters.join(''))
      }),
    )
  })
})

describe('the legend', () => {
  it('explains only escapes that occur', () => {
    expect(legendOf([['x-version', '1 2']])).toBeNull()
    expect(legendOf([['x-version', '1 ']])).toBe(String.raw`\u0020 is a space at an end of a value`)
    expect(legendOf([['x-version', '\t1 ']])).toBe(
      String.raw`\u0020 is a space at an end of a value; \t is a tab`,
    )
    expect(legendOf([['x-version\u200B', '1']])).toMatch(/^\\u and a code in hexadecimal is a character/)
    expect(legendOf([['x', '\0']])).not.toBeNull()
  })
})

describe('a value that was sent', () => {
  // The terminal shows expectation and result, and leaves requests to the reports.
  it.each(names.filter((name) => name !== 'terminal'))(
    'shows every space, tab and invisible character, with a legend: %s',
    (name) => {
      const page = (value: string): string => reportsOf(value)[name] ?? ''

      expect(page('1 ')).toMatch(/u0020 is a space at an end/)
      for (const code of ['0020', '0000', '200b', '202e', '0085']) {
        expect(page(`1${String.fromCharCode(Number.parseInt(code, 16))}`)).toContain(`\\u${code}`)
      }
      expect(page('\t1')).toContain(String.raw`\t1`)
      expect(page('1')).not.toContain(' is a space at an end')
    },
  )

  it.each(names.filter((name) => name !== 'replay'))(
    'also shows the space at the end of a summary: %s',
    (name) => {
      expect(reportsOf('1')[name]).toContain(String.raw`answered 200 for 1\u0020`)
    },
  )

  it('shows the space at the end of a summary in summary.md', () => {
    expect(summaryMarkdown(view(verdictOf('1')))).toContain(String.raw`answered 200 for 1\u0020`)
  })

  it('stays unchanged in verdict.json', () => {
    expect(JSON.parse(verdictJson(verdictOf(' \t1\u00A0 ')))).toEqual(verdictOf(' \t1\u00A0 '))
  })
})
