import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { specCatalogue } from '../../specification/rules.ts'
import { folderWith } from '../../text/folder.testing.ts'
import { printable } from '../../text/printable.ts'
import { forAll } from '../../text/properties.testing.ts'
import { findingWith, found, nonconformantVerdict, targetWith } from '../../verdict/verdict.testing.ts'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { html, lines, trusted, type Markup } from '../page/shell.ts'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { failing, violated } from '../testing/verdicts.ts'
import { view } from '../view.ts'
import { annotations, appendStepSummary, withoutCommands } from './annotations.ts'
import { metricsText } from './metrics.ts'
import { planText, type ShownPlan } from './plan-text.ts'
import { markdownCell, rulesJson, rulesText } from './rules-list.ts'
import { bounded, code, prose } from './summary.ts'

const bold = ['a<', 'b'].map((text) => html`<b>${text}</b>`)

it.each<[string, Markup, string]>([
  ['escapes text in content', html`<a>${'<b>'}</a>`, '<a>&#60;b&#62;</a>'],
  ['escapes attributes', html`<a b="${'"&\'`'}"></a>`, '<a b="&#34;&#38;&#39;&#96;"></a>'],
  ['keeps HTML', html`${bold}${null}${false}${trusted('<hr>')}${7}`, '<b>a&#60;</b><b>b</b><hr>7'],
  ['cuts long text', html`${'x'.repeat(6_000)}`, `${'x'.repeat(5_000)}… (1000 more characters)`],
  ['escapes invisible characters', html`${'a\u202Eb\u0000\n'}`, String.raw`a\u202eb\u0000\n`],
  ['keeps lines apart', lines(['x: 1\ny: 2', '<z>\r']), `x: 1\\ny: 2\n&#60;z&#62;\\r`],
])('a template %s', (_, markup, expected) => {
  expect(markup.toString()).toBe(expected)
})

const needs = 'needs FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY'
const documented = 'answered 401 / 1006 where 400 / 1001 is documented'
const harmless = [documented, needs, 'Grüße, 漢字: nothing (yet)…', ' a']
const markup = '@someone  a | b  *a*  _a_  <b>  &lt;  [a](b)  ![a](b)  # a  - a  1. a  a#1  ~a~  a$b$  a\\b'
const links = 'see www.evil.example  https://evil.example  so :tada: good  as of 0123abc4'

const marked = [...`${markup}  ${links}`.split('  '), 'C:\n# a']

it.each([
  ...marked.map((text) => [text, `\`${printable(text)}\``] as const),
  ...harmless.map((text) => [text, text] as const),
])('text becomes code only if Markdown would interpret it: %j', (text, shown) => {
  expect(prose(text)).toBe(shown)
})

it('text in Markdown uses as many backticks as it needs', () => {
  expect(['a`b', '``', '', '  '].map(code)).toEqual(['``a`b``', '``` `` ```', '(empty)', '(blank)'])
})

it('text in Markdown leaves no markup outside code, whatever it contains', () => {
  forAll(hostileText, (text) => {
    const line = prose(text)
    // CommonMark 0.31, 6.1: a run of backticks ends at the next run of the same length.
    const outside = line.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/gs, '')
    expect(line).not.toContain('\n')
    expect(outside).toMatch(/^(?:[\p{L}\p{N}_ ,;.:'"()/+=…-]*)$/u)
    expect(outside).not.toMatch(/:\/\/|www\./i)
  })
})

it('text in Markdown cannot end the cell of a table', () => {
  expect(markdownCell(String.raw`a|b\|c` + '\n  <br>')).toBe(String.raw`a\|b\\\|c \<br>`)
})

it('a long document is cut at a line end, by its size in bytes', () => {
  const text = `${'ü'.repeat(100)}\n`.repeat(100)
  const cut = bounded(text, 1_000)

  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1_000)
  expect(cut).toMatch(/^(?:ü{100}\n){4}… cut here; the rest is in verdict\.json\n$/)
  expect(bounded('short', 1_000)).toBe('short')
})

it('a metric label stays on one line, whatever it contains', () => {
  const target = targetWith({ baseUrl: null, label: 'a "b" \\ c\nd\u202e' })

  const line = String.raw`exit_code{target="a \"b\" \\ c\\nd\\u202e",profile="gate"} 0`
  expect(metricsText(view(verdictWith({ target })))).toContain(line)
})

it('workflow commands are warnings if the step passes, and an error if no reason is given', () => {
  const passes = { verdict: 'conformant', exitCode: 0, because: ['a rule was not judged'] } as const
  const fails = { verdict: 'incomplete', exitCode: 3, because: [] } as const
  const kinds = (verdict: Verdict) => annotations(view(verdict)).map((line) => line.split(' ')[0])
  const warning = '::warning'

  expect(kinds({ ...nonconformantVerdict(), ...passes })).toEqual([...Array(4).fill(warning), '::notice'])
  expect(kinds(verdictWith(fails))).toEqual(['::error'])
})

it('workflow commands never cut the replay line, however long the request is', () => {
  const long = 'x'.repeat(3_000)
  const { exchange } = findingWith()
  const request = { ...exchange.request, url: long, headers: [[long, long]] } as const
  const replay = `npx card-switch-conformance replay '${long}'`
  const finding = found('a', {}, { replay, exchange: { ...exchange, request } })
  const [line] = annotations(view(violated(failing('fuzz/path', finding))))

  expect(line?.endsWith(`%0AReplay: ${replay}`)).toBe(true)
})

it('workflow commands are one command per line, whatever a service answers', () => {
  forAll(hostileText, (text) => {
    for (const line of annotations(view(hostileVerdict(text)))) {
      expect(line).toMatch(/^::(?:error|warning|notice) title=[^:,\r\n]*::[^\r\n]*$/)
      // The text decoded by the runner contains no line end either.
      expect(line.replaceAll(/%(?:25|3A|2C|0A)/g, '')).not.toContain('%')
      expect(line).not.toMatch(/##[a-z]*\[/i)
    }
  })
})

it('workflow commands are wrapped so that the runner ignores them', () => {
  const text = '::stop-commands::token\na\n::error::b\n::token::\n'

  expect(withoutCommands('a\n::error::b', 'token')).toBe(text)
})

const most = 1024 * 1024
const full = 'x'.repeat(most - 10_000)
const many = 'line\n'.repeat(10_000)

// GitHub shows no summary above 1 MiB.
it.each<[string, string | null, string, RegExp, RegExp?]>([
  ['creates a missing file', null, '## new\n', /^## new\n$/],
  ['is appended to existing text', 'before\n', '## new\n', /^before\n\n## new\n$/],
  ['is cut at the size limit', full, many, /line\n.*cut here/, /GITHUB_STEP_SUMMARY.*full/],
])('the step summary %s', async (_, before, text, after, next) => {
  const file = join(await folderWith(before === null ? {} : { summary: before }), 'summary')

  expect(await appendStepSummary(file, text)).toBeNull()
  expect(await readFile(file, 'utf8')).toMatch(after)
  expect((await stat(file)).size).toBeLessThanOrEqual(most)
  if (next !== undefined) expect(await appendStepSummary(file, text)).toMatch(next)
  expect(await appendStepSummary(join(file, 'below'), 'x')).toMatch(/below \(GITHUB_STEP_SUMMARY\): ENOTDIR/)
})

const ofExhausted = 'FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY'
const exhausted = { needs: ofExhausted, requests: 0, allotted: 0, untested: 'no exhausted client is given' }
const plan: ShownPlan = {
  rules: [
    { id: 'authentication/api-key-missing', requests: 2, allotted: 2, untested: null },
    { id: 'errors/body-shape', requests: 0, allotted: 0, untested: null },
    { id: 'quota/exhausted', ...exhausted },
    { id: 'quota/stays-exhausted', ...exhausted },
  ],
  byClient: { second: 1, target: 4 },
  total: 5,
  budget: 500,
  opening: 1,
  checks: 2,
  baseUrl: 'https://staging.example.com',
  profile: 'gate',
  notJudged: [],
}

const notJudged = ['/a', 'POST /b'].map((endpoint) => ({ endpoint, because: 'why' }))
const cut = plan.rules.map((rule) => ({ ...rule, allotted: 0 }))

/** Plans of every kind. */
const plans: Readonly<Record<string, Partial<ShownPlan>>> = {
  usual: {},
  'no target': { baseUrl: null },
  'control characters in the address': { baseUrl: 'https://x/\u001B[2J' },
  'endpoints that receive no requests': { notJudged },
  'a budget that just fits': { total: 500 },
  'a budget that leaves requests to some rules': { total: 600, rules: cut },
  'a budget that does not fit': { total: 501 },
}

it('the plan of each kind has the reviewed text', async () => {
  const texts = Object.entries(plans).map(([kind, one]) => `=== ${kind}\n${planText({ ...plan, ...one })}`)

  await expect(texts.join('')).toMatchFileSnapshot('../../../tests/golden/forms/plan.txt')
})

it('the list of rules has the reviewed text', async () => {
  await expect(rulesText(specCatalogue)).toMatchFileSnapshot('../../../tests/golden/forms/rules.txt')
  await expect(rulesJson(specCatalogue)).toMatchFileSnapshot('../../../tests/golden/forms/rules-json.txt')
})
