import { describe, expect, it } from 'vitest'
import { html, lines, nothing, trusted } from './markup.ts'

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
