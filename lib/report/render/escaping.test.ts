import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable } from '../../text/printable.ts'
import { hostileText } from '../testing/hostile.ts'
import { bounded, code, prose } from './markdown.ts'
import { html, lines, nothing, trusted } from './markup.ts'
import { parseXml } from './xml.testing.ts'
import { xmlDocument } from './xml.ts'

describe('a template', () => {
  it('escapes text in content and attributes', () => {
    expect(html`<a title="${'"x" & \'y\' `z`'}">${'<b>'}</a>`.toString()).toBe(
      '<a title="&#34;x&#34; &#38; &#39;y&#39; &#96;z&#96;">&#60;b&#62;</a>',
    )
  })

  it('keeps existing HTML and joins lists', () => {
    const items = ['a<', 'b'].map((text) => html`<b>${text}</b>`)

    const list = html`<p>${items}${nothing}${trusted('<hr>')}${7}</p>`

    expect(list.toString()).toBe('<p><b>a&#60;</b><b>b</b><hr>7</p>')
  })

  it('cuts unbounded text and marks the cut', () => {
    expect(html`${'x'.repeat(6_000)}`.toString()).toMatch(/^x{5000}… \(1000 more characters\)$/)
  })

  it('escapes characters that move or hide text', () => {
    expect(html`${'a\u202Eb\u0000\n'}`.toString()).toBe(String.raw`a\u202eb\u0000\n`)
  })
})

it('lines stay as many as given, whatever they contain', () => {
  expect(lines(['x: 1\ny: 2', '<z>\r']).toString()).toBe(
    `${String.raw`x: 1\ny: 2`}\n&#60;z&#62;${String.raw`\r`}`,
  )
})

describe('text in Markdown', () => {
  it.each([
    'answered 401 / 1006 where 400 / 1001 is documented',
    'needs FIXTURE_EXHAUSTED_API_KEY and FIXTURE_EXHAUSTED_SECRET_KEY',
    'Grüße, 漢字: nothing (yet)…',
    ' a',
  ])('stays prose if it is harmless: %s', (text) => {
    expect(prose(text)).toBe(text)
  })

  it.each([
    '@someone',
    'see www.evil.example',
    'https://evil.example',
    'a | b',
    '*a*',
    '_a_',
    '<b>',
    '&lt;',
    '[a](b)',
    '![a](b)',
    '# a',
    '- a',
    '1. a',
    'a#1',
    '~a~',
    'so :tada: good',
    'as of 0123abc4',
    'a$b$',
    'a\\b',
    'C:\n# a',
  ])('becomes code if Markdown, GitHub or GitLab would interpret it: %j', (text) => {
    expect(prose(text)).toBe(`\`${printable(text)}\``)
  })

  it('uses as many backticks as it needs', () => {
    expect(code('a`b')).toBe('``a`b``')
    expect(code('``')).toBe('``` `` ```')
    expect(code('')).toBe('(empty)')
    expect(code('  ')).toBe('(blank)')
  })

  it('leaves no markup outside code, whatever it contains', () => {
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
})

it('a long document is cut at a line end, by its size in bytes', () => {
  const text = `${'ü'.repeat(100)}\n`.repeat(100)
  const cut = bounded(text, 1_000)

  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1_000)
  expect(cut).toMatch(/^(?:ü{100}\n){4}… cut here; the rest is in verdict\.json\n$/)
  expect(bounded('short', 1_000)).toBe('short')
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

it('an XML document nests elements', () => {
  const document = xmlDocument({
    name: 'a',
    content: [
      { name: 'b', attributes: { n: 1 } },
      { name: 'c', content: 'x' },
    ],
  })
  expect(document).toBe('<?xml version="1.0" encoding="UTF-8"?>\n<a>\n  <b n="1"/>\n  <c>x</c>\n</a>\n')
})

it.each([
  ['an open element', '<a>'],
  ['a crossed element', '<a><b></a></b>'],
  ['a bare ampersand', '<a>a & b</a>'],
  ['an unknown entity', '<a>&nbsp;</a>'],
  ['a forbidden reference', '<a>&#0;</a>'],
  ['a forbidden character', '<a>\u0001</a>'],
  ['half a character', '<a>\uD800</a>'],
  ['the end of CDATA', '<a>]]></a>'],
  ['< in an attribute', '<a b="<"/>'],
  ['a repeated attribute', '<a b="" b=""/>'],
  ['two roots', '<a/><a/>'],
])('the XML parser for tests refuses %s', (_, body) => {
  expect(() => parseXml(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`)).toThrow(SyntaxError)
})
