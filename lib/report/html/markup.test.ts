import { describe, expect, it } from 'vitest'
import { html, lines, nothing, trusted } from './markup.ts'

describe('a template', () => {
  it('escapes texts for content and for attributes', () => {
    expect(`${html`<a title="${'"x" & \'y\' `z`'}">${'<b>'}</a>`}`).toBe(
      '<a title="&#34;x&#34; &#38; &#39;y&#39; &#96;z&#96;">&#60;b&#62;</a>',
    )
  })

  it('leaves what is HTML already, and joins lists', () => {
    expect(
      `${html`<ul>
        ${['a<', 'b'].map((text) => html`<li>${text}</li>`)}${nothing}${trusted('<hr>')}${7}
      </ul>`}`,
    ).toBe('<ul><li>a&#60;</li><li>b</li><hr>7</ul>')
  })

  it('writes what moves or hides text as escapes', () => {
    expect(`${html`${'a\u202Eb\u0000\n'}`}`).toBe(String.raw`a\u202eb\u0000\n`)
  })
})

describe('lines', () => {
  it('are as many as were given, whatever is in them', () => {
    expect(`${lines(['x: 1\ny: 2', '<z>\r'])}`).toBe(
      `${String.raw`x: 1\ny: 2`}\n&#60;z&#62;${String.raw`\r`}`,
    )
  })
})
