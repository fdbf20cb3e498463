import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { printable } from '../../text/printable.ts'
import { targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { hostileText } from '../testing/hostile.ts'
import { view } from '../view.ts'
import { bounded, code, prose } from './markdown.ts'
import { html, lines, nothing, trusted, type Markup } from './markup.ts'
import { metricsText } from './metrics.ts'
import { markdownCell } from './rules-list.ts'
import { parseXml } from './xml.testing.ts'
import { xmlDocument } from './xml.ts'

const bold = ['a<', 'b'].map((text) => html`<b>${text}</b>`)

it.each<[string, Markup, string]>([
  ['escapes text in content', html`<a>${'<b>'}</a>`, '<a>&#60;b&#62;</a>'],
  ['escapes attributes', html`<a b="${'"&\'`'}"></a>`, '<a b="&#34;&#38;&#39;&#96;"></a>'],
  ['keeps HTML', html`${bold}${nothing}${trusted('<hr>')}${7}`, '<b>a&#60;</b><b>b</b><hr>7'],
  ['cuts long text', html`${'x'.repeat(6_000)}`, `${'x'.repeat(5_000)}… (1000 more characters)`],
  ['escapes invisible characters', html`${'a\u202Eb\u0000\n'}`, String.raw`a\u202eb\u0000\n`],
  ['keeps lines apart', lines(['x: 1\ny: 2', '<z>\r']), `x: 1\\ny: 2\n&#60;z&#62;\\r`],
])('a template %s', (_, markup, expected) => {
  expect(markup.toString()).toBe(expected)
})

it.each([
  'answered 401 / 1006 where 400 / 1001 is documented',
  'needs FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY',
  'Grüße, 漢字: nothing (yet)…',
  ' a',
])('text in Markdown stays prose if it is harmless: %s', (text) => {
  expect(prose(text)).toBe(text)
})

const markup = '@someone  a | b  *a*  _a_  <b>  &lt;  [a](b)  ![a](b)  # a  - a  1. a  a#1  ~a~  a$b$  a\\b'
const links = 'see www.evil.example  https://evil.example  so :tada: good  as of 0123abc4'

it.each([...`${markup}  ${links}`.split('  '), 'C:\n# a'])(
  'text in Markdown becomes code if Markdown, GitHub or GitLab would interpret it: %j',
  (text) => {
    expect(prose(text)).toBe(`\`${printable(text)}\``)
  },
)

it('text in Markdown uses as many backticks as it needs', () => {
  expect(['a`b', '``', '', '  '].map(code)).toEqual(['``a`b``', '``` `` ```', '(empty)', '(blank)'])
})

it('text in Markdown leaves no markup outside code, whatever it contains', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const line = prose(text)
      // CommonMark 0.31, 6.1: a run of backticks ends at the next run of the same length.
      const outside = line.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/gs, '')
      expect(line).not.toContain('\n')
      expect(outside).toMatch(/^(?:[\p{L}\p{N}_ ,;.:'"()/+=…-]*)$/u)
      expect(outside).not.toMatch(/:\/\/|www\./i)
    }),
  )
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

  expect(metricsText(view(verdictWith({ target })))).toContain(
    String.raw`exit_code{target="a \"b\" \\ c\\nd\\u202e",profile="gate"} 0`,
  )
})

/** A text as a document contains it: white space unchanged, invisible characters escaped, non-characters removed. */
function kept(text: string): string {
  return text.replaceAll(/[^\t\n\r]+/g, printable).replaceAll(/[\uFFFE\uFFFF]/g, '')
}

it('an XML document preserves every text that XML allows, in attributes and elements', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (value, content) => {
      const { attributes, text } = parseXml(xmlDocument({ name: 'a', attributes: { value }, content }))

      expect(attributes['value']).toBe(kept(value))
      expect(text).toBe(kept(content))
    }),
  )
})
