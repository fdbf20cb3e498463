import { describe, expect, it } from 'vitest'
import type { Finding } from '../../judge/record.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { alike, failing, violated } from '../testing/verdicts.ts'
import { view } from '../view.ts'
import { htmlPage } from './html-page.ts'

/** The page without its head, which contains no text from outside. */
function body(page: string): string {
  return page.slice(page.indexOf('</head>')).replaceAll(/\s+/g, ' ')
}

/** The page for a rule with this finding. */
function pageOf(changes: Partial<Finding>): string {
  return htmlPage(view(violated(failing('fuzz/path', findingWith(changes)))))
}

describe('the page', () => {
  it('names each code, including in the reasons for the verdict and for unjudged rules', () => {
    const refused = 'the first valid request was refused with 401 / 1006'
    const rule = ruleWith('quota/exhausted', { status: 'inconclusive', because: refused, answers: 0 })
    const verdict = verdictWith({ verdict: 'incomplete', because: [refused], rules: rulesWith([rule]) })
    const page = body(htmlPage(view(verdict)))

    expect(page.split(refused).length).toBeGreaterThan(2)
    expect(page.split(`${refused} (invalid api key)`)).toHaveLength(page.split(refused).length)
    expect(page).not.toContain('class="cause"')
  })

  it('shows causes before rules, each with links to its rules', () => {
    const rules = (['authentication/api-key-missing', 'fuzz/api-key'] as const).map((id) =>
      failing(id, alike(id)),
    )
    const page = body(htmlPage(view(violated(...rules))))

    expect(page).toContain('<a href="#fuzz/api-key"><code>fuzz/api-key</code>')
    expect(page).toContain('<a href="#cause-1">cause<span class="sr"> of fuzz/api-key</span></a>')
    expect(page.indexOf('id="cause-1"')).toBeLessThan(page.indexOf('id="rules"'))
  })

  it.each<[string, Partial<Finding>, readonly string[], number]>([
    ['no line that is changed or cut', { curl: `'\u001B[2J'`, replay: 'x'.repeat(5_000) }, [], 2],
    ['only the replay line if curl cannot express the request', { curl: null }, ['replay'], 0],
    ['both lines', {}, ['replay', 'curl'], 0],
  ])('offers to copy %s', (_, changes, copied, cut) => {
    const page = pageOf(changes)

    expect(['replay', 'curl'].filter((line) => page.includes(`Copy the ${line} line`))).toEqual(copied)
    expect(page.split('it cannot be shown in full').length - 1).toBe(cut)
  })

  it('shows an unusual reason phrase, and trailer fields after the body', () => {
    const { exchange } = findingWith()
    const response = { status: 401, headers: [], body: '{}', bodyCut: 0 }
    const more = { reason: 'Go away', trailers: [['x-sum', 'a1b2']] } as const

    expect(pageOf({ exchange: { ...exchange, response } })).toContain('>401\n\n{}<')
    expect(pageOf({ exchange: { ...exchange, response: { ...response, ...more } } })).toContain(
      '>401 Go away\n\n{}\n\nx-sum: a1b2<',
    )
  })
})
