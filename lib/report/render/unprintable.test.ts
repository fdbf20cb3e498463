import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { historyLine } from '../../verdict/history-line.ts'
import { verdictMistakes } from '../../verdict/read-verdict.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { allureOf } from '../allure/allure.testing.ts'
import { runOf } from '../evidence/bundle.testing.ts'
import { appendHistory, readHistory } from '../history/history.ts'
import { historyPage } from '../page/history-page.ts'
import { reportsOf } from '../testing/every-report.ts'
import { hostileText, hostileVerdict, shortHostileVerdict } from '../testing/hostile.ts'
import { view } from '../view.ts'
import { appendStepSummary } from './annotations.ts'
import { summaryMarkdown } from './summary.ts'

const folder = mkdtempSync(join(tmpdir(), 'unprintable-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** C0 except newline and tab, DEL and C1. */
const controls = [...range(0, 0x1f), ...range(0x7f, 0x9f)].filter((code) => code !== 0x09 && code !== 0x0a)
/** Characters that change the reading direction, by code. */
const directions = [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)]
/** Invisible characters, and line ends in JavaScript. */
const others = [0xad, 0x200b, 0x200c, 0x200d, 0x2028, 0x2029, 0x2060, 0xfeff, 0xe0001, 0xe0041, 0xe007f]
const halves = [0xd800, 0xdabc, 0xdbff, 0xdc00, 0xdead, 0xdfff]
const all = [...controls, ...directions, ...others, ...halves]

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** A text with each of these characters between letters, so that no two halves form a character. */
function textOf(codes: readonly number[]): string {
  return `x${codes.map((code) => `${String.fromCodePoint(code)}x`).join('')}`
}

/** Every file and text made from a verdict, as written to disk or to a terminal. */
async function written(verdict: Verdict): Promise<ReadonlyMap<string, Buffer>> {
  const history = join(folder, 'history.jsonl')
  const step = join(folder, 'step-summary.md')
  for (const file of [history, step]) rmSync(file, { force: true })
  await appendHistory(history, historyLine(verdict))
  const earlier = await readHistory(history)
  await appendStepSummary(step, summaryMarkdown(view(verdict)))
  const allure = allureOf(verdict)
  const texts: readonly (readonly [string, string])[] = [
    ...Object.entries(reportsOf(verdict)),
    ['verdict.json', verdictJson(verdict)],
    ['history.html', historyPage(view({ ...verdict, startedAt: '2100-01-01T00:00:00.000Z' }), earlier)],
    ...allure.names.map((name) => [`allure-results/${name}`, allure.text(name)] as const),
  ]
  return new Map([
    ...texts.map(([name, text]) => [name, Buffer.from(text)] as const),
    ...[...runOf(verdict)].map(([name, content]) => [`evidence/${name}`, content] as const),
    ['history.jsonl', readFileSync(history)] as const,
    ['step summary', readFileSync(step)] as const,
  ])
}

/** The forbidden raw characters in a file, by code. Throws if the file is not UTF-8. */
function rawIn(bytes: Buffer): readonly string[] {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  return [...new Set(text.match(forbidden))].map((one) => `U+${one.codePointAt(0)?.toString(16)}`)
}

const forbidden = new RegExp(`[${all.map((code) => String.raw`\u{${code.toString(16)}}`).join('')}]`, 'gu')

describe('an invisible or misleading character', () => {
  it('never reaches a file or a terminal raw', async () => {
    for (const [name, bytes] of await written(hostileVerdict(textOf(all)))) {
      expect(rawIn(bytes), name).toEqual([])
      // jq refuses JSON with half a character, even if it is escaped.
      const parsed = /\.jsonl?$/.test(name) ? JSON.stringify(JSON.parse(bytes.toString())) : ''
      expect(parsed, name).not.toMatch(/(?<!\\)\\ud[89a-f]/)
    }
  })

  it('is escaped at any place in any text', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, fc.constantFrom(...all), async (text, code) => {
        const character = String.fromCodePoint(code)
        for (const [name, bytes] of await written(shortHostileVerdict(`${character}${text}${character}`))) {
          expect(rawIn(bytes), name).toEqual([])
        }
      }),
      { numRuns: 15 },
    )
  })

  it('is preserved in verdict.json, except for half characters', () => {
    const whole = hostileVerdict(textOf([...controls, ...directions, ...others, 0x09, 0x0a]))
    const broken = hostileVerdict('a\uD800b\uDC00\\ud800')

    expect(JSON.parse(verdictJson(whole))).toEqual(whole)
    expect(JSON.parse(verdictJson(broken))).toEqual(hostileVerdict('a\uFFFDb\uFFFD\\ud800'))
    expect(verdictMistakes(JSON.parse(verdictJson(hostileVerdict(textOf(all)))))).toEqual([])
  })
})
