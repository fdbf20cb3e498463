import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { printable } from '../../text/printable.ts'
import { hostileText } from '../testing/hostile.ts'
import { parseXml } from './xml.testing.ts'
import { xmlDocument } from './xml.ts'

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
