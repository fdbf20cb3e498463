import { parseEnvInfo } from 'allure-js-commons/sdk/reporter'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { packageVersion } from '../settings/package-version.ts'
import { serviceRules } from '../specification/testing/rule-counts.ts'
import { anyText, forAll } from '../text/properties.testing.ts'
import { historyLine } from '../verdict/history-line.ts'
import { verdictMistakes } from '../verdict/read-verdict.ts'
import { fitsVerdict } from '../verdict/verdict-validator.ts'
import { findingWith, nonconformantVerdict } from '../verdict/verdict.testing.ts'
import { rulesWith, targetWith, verdictWith } from '../verdict/verdict.testing.ts'
import { verdictJson, type Verdict } from '../verdict/verdict.ts'
import { allureOf } from './allure/allure.testing.ts'
import { properties } from './allure/allure.ts'
import { runOf } from './evidence/bundle.testing.ts'
import { statementOf } from './evidence/statement.ts'
import { historyText } from './history/history.ts'
import { waiverDrafts } from './model/cause-view.ts'
import { historyPage } from './page/history-page.ts'
import { htmlPage } from './page/html-page.ts'
import { remembered } from './page/nights.testing.ts'
import { junitXml } from './render/junit.ts'
import { metricsText } from './render/metrics.ts'
import { bent } from './testing/bent.ts'
import { corpus } from './testing/corpus.ts'
import { forms, reportsOf, terminal } from './testing/every-report.ts'
import { hostileText, hostileVerdict, oneOfEachStatus } from './testing/hostile.ts'
import { failing, unlike, violated } from './testing/verdicts.ts'
import { wordsOf } from './testing/words.ts'
import { view, type View } from './view.ts'

const digest = 'a'.repeat(64)
const since = 'since the last run (2026-11-19 02:00 UTC, conformant): 1 new cause'
const viewOf = (verdict: Verdict): View => view(verdict, { digest, since })

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

const sealed = new Map(['run.sha256', 'attestation.json'].map((name) => [name, Buffer.from('x')]))
const golden: typeof forms = {
  ...forms,
  statement: ({ of }) => JSON.stringify(JSON.parse(statementOf(of, sealed, '1.0.0').toString())),
  'history-line': ({ of }) => historyText(historyLine(of)),
}

it.each(Object.entries(golden))('the %s form of each verdict has the reviewed text', async (name, form) => {
  const lines = Object.entries(corpus).flatMap(([kind, verdict]) => {
    const text = form(viewOf(verdict))
    return [`=== ${kind}`, ...(name === 'page' ? wordsOf(text) : text).trim().split('\n')]
  })
  const said = firstSaid(lines).replaceAll(packageVersion(), 'VERSION')
  await expect(said).toMatchFileSnapshot(`../../tests/golden/forms/${name}.txt`)
})

/** The number of rows that a text takes in a terminal with 100 columns. */
function rowsOf(text: string): number {
  const lengths = Array.from(text.trimEnd().split('\n'), (line) => Array.from(line).length)
  return lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / 100)), 0)
}

it('a conformant verdict takes at most six terminal rows, whatever its names', () => {
  const text = fc.constantFrom(null, '', 'x'.repeat(199), 'a b '.repeat(49))
  const baseUrl = fc.constantFrom('https://a.example', `https://${'a'.repeat(300)}.example`)
  const target = fc.record({ label: text, build: text, embedded: fc.boolean(), baseUrl })
  const news = fc.constantFrom(null, since, 'a b '.repeat(60))
  forAll(target, news, (changes, told) => {
    const [kind = ''] = Object.keys(corpus).slice(1)
    const verdict = { ...(corpus[kind] ?? verdictWith()), target: targetWith(changes) }
    expect(rowsOf(terminal(view(verdict, { since: told })))).toBeLessThanOrEqual(6)
  })
})

it('metrics report a running or killed run as unfinished', () => {
  expect(metricsText(view(verdictWith()), 'unfinished')).toMatch(/^\w+_finished\{.*\} 0$/m)
})

it('no text from a service becomes an HTML tag', () => {
  const tag = /<\/?([a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:[A-Z][a-zA-Z]*)?(?:="[^"<>]*")?)*) ?\/?>/g
  const body = (page: string): string => page.slice(page.indexOf('</head>')).replaceAll(/\s+/g, ' ')
  const names = new Set([...body(htmlPage(view(hostileVerdict('x')))).matchAll(tag)].map(([, name]) => name))
  forAll(hostileText, (text) => {
    const shown = view(hostileVerdict(text))
    const page = body(htmlPage(shown))
    const tags = [...page.matchAll(tag)]
    expect(page.replaceAll(tag, '')).not.toMatch(/[<>]/)
    expect(tags.filter(([, name]) => !names.has(name))).toEqual([])
    expect(tags.filter(([, , given = '']) => /(?:^| )(?:on|style|src)| href="(?!#)/.test(given))).toEqual([])
  })
})

/** An XML document without its text, the values of its attributes, and properties, if these are well-formed. */
function structureOf(xml: string): string {
  return xml
    .replaceAll(/(?<=>)(?:[^<>&]|&(?:#13|amp|lt|gt);)*(?=<|$)/g, '')
    .replaceAll(/(?<==)"(?:[^<>&"]|&(?:#9|#10|#13|#39|amp|lt|gt|quot|apos);)*"/g, '')
    .replaceAll(/(?:<property name= value=\/>)+/g, '')
}

it('JUnit XML is well-formed and shows the failure, whatever a service answers', () => {
  const structure = structureOf(junitXml(view(hostileVerdict('x'))))
  forAll(hostileText, (text) => {
    const xml = junitXml(view(hostileVerdict(text)))
    expect(structureOf(xml)).toBe(structure)
    expect(xml).toContain(` tests="${serviceRules + 1}" failures="1" errors="0" `)
    expect(xml.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\uFFFE\uFFFF]/u)
  })
})

it('JUnit XML stays small enough for pipelines with thousands of findings, and counts those not shown', () => {
  const response = { status: 500, headers: [], body: 'x'.repeat(4_000), bodyCut: 0 }
  const of = { curl: 'z'.repeat(10_000), exchange: { ...findingWith().exchange, response } }
  const findings = unlike(250, 'f').map((one) => ({ ...one, ...of, summary: 'y'.repeat(5_000) }))
  const rules = rulesWith([]).slice(0, 8)
  const xml = junitXml(view(violated(...rules.map(({ id }) => failing(id, ...findings)))))

  expect(xml.length).toBeLessThan(1_500_000)
  expect(xml).toContain('… and 240 more in verdict.json')
  expect(xml).toContain('(and 249 further findings)')
})

it('the Allure environment can be read back', () => {
  const name = anyText({ minLength: 1 }).filter((text) => text !== '__proto__')
  const texts = fc.dictionary(name, anyText(), { noNullPrototype: true })

  forAll(texts, (values) => {
    expect(parseEnvInfo(properties(values))).toEqual(values)
  })
})

/** A verdict with most optional parts. */
const manifold: Verdict = {
  ...nonconformantVerdict(),
  connection: { proxy: 'http://proxy.example', caFiles: ['/ca.pem'], certFile: '/cert.pem' },
  baseline: { file: '/baseline.json', did: 'compared' },
  observations: [{ id: 'flaw-order', value: ['1001'] }],
}
const replacements: readonly unknown[] = [undefined, null, {}, [], '', 7, [[]], [{}], { a: {} }]
/** Members of a list, except for rules, which have different statuses but similar samples and findings. */
const alike = /(?<!^\/rules)\/\d+|(?<=^\/rules)\/\d+(?=\/(?:sample|findings\/\d+)\/)/g

it('every report can be made from any verdict that fits the schema', () => {
  const failed: string[] = []
  const tried = new Set<string>()
  for (const [place, value] of bent(oneOfEachStatus(manifold), () => replacements)) {
    const kind = place.replaceAll(alike, '')
    if (tried.has(kind) || !fitsVerdict(value)) continue
    tried.add(kind)
    const read = JSON.parse(JSON.stringify(value))
    try {
      reportsOf(read)
      waiverDrafts(read)
    } catch (error) {
      failed.push(`${place}: ${String(error)}`)
    }
  }

  expect(failed).toEqual([])
})

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
function written(verdict: Verdict): ReadonlyMap<string, Buffer> {
  const allure = allureOf(verdict)
  const later = view({ ...verdict, startedAt: '2100-01-01T00:00:00.000Z' })
  const texts: Readonly<Record<string, string>> = {
    ...reportsOf(verdict),
    'history.html': historyPage(later, [remembered(verdict)]),
    ...Object.fromEntries(allure.names.map((name) => [`allure-results/${name}`, allure.text(name)])),
  }
  return new Map([
    ...Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)] as const),
    ...[...runOf(verdict)].map(([name, content]) => [`evidence/${name}`, content] as const),
  ])
}

/** The forbidden raw characters in a file, by code. Throws if the file is not UTF-8. */
function rawIn(bytes: Buffer): readonly string[] {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  return [...new Set(text.match(forbidden))].map((one) => `U+${one.codePointAt(0)?.toString(16)}`)
}

const forbidden = new RegExp(`[${all.map((code) => String.raw`\u{${code.toString(16)}}`).join('')}]`, 'gu')

it('an invisible or misleading character never reaches a file or a terminal raw', () => {
  for (const [name, bytes] of written(hostileVerdict(textOf(all)))) {
    expect(rawIn(bytes), name).toEqual([])
    // jq refuses JSON with half a character, even if it is escaped.
    const parsed = /\.jsonl?$/.test(name) ? JSON.stringify(JSON.parse(bytes.toString())) : ''
    expect(parsed, name).not.toMatch(/(?<!\\)\\ud[89a-f]/)
  }
})

it('an invisible or misleading character is escaped at any place in any text', () => {
  const isEscaped = fc.property(hostileText, fc.constantFrom(...all), (text, code) => {
    const character = String.fromCodePoint(code)
    const verdict = hostileVerdict(`${character}${text}${character}`)
    for (const [name, bytes] of written(oneOfEachStatus(verdict))) expect(rawIn(bytes), name).toEqual([])
  })
  fc.assert(isEscaped, { numRuns: 15 })
})

it('an invisible or misleading character is preserved in verdict.json, except for half characters', () => {
  const whole = hostileVerdict(textOf([...controls, ...directions, ...others, 0x09, 0x0a]))
  const broken = hostileVerdict('a\uD800b\uDC00\\ud800')

  expect(JSON.parse(verdictJson(whole))).toEqual(whole)
  expect(JSON.parse(verdictJson(broken))).toEqual(hostileVerdict('a\uFFFDb\uFFFD\\ud800'))
  expect(verdictMistakes(JSON.parse(verdictJson(hostileVerdict(textOf(all)))))).toEqual([])
})
