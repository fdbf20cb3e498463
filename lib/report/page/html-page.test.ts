import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { htmlPage } from './html-page.ts'

const tag = /<\/?([a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:[A-Z][a-zA-Z]*)?(?:="[^"<>]*")?)*) ?\/?>/g

/** The page without what is ours alone and holds no text from elsewhere. */
function body(page: string): string {
  return page.slice(page.indexOf('</head>')).replaceAll(/\s+/g, ' ')
}

describe('the page', () => {
  it('has no tag and no attribute that a text of a service made', () => {
    const ours = body(htmlPage(hostileVerdict('x')))
    const names = new Set([...ours.matchAll(tag)].map(([, name]) => name))

    fc.assert(
      fc.property(hostileText, (text) => {
        const page = body(htmlPage(hostileVerdict(text)))
        const tags = [...page.matchAll(tag)]

        expect(page.replaceAll(tag, '')).not.toMatch(/[<>]/)
        expect(tags.filter(([, name]) => !names.has(name))).toEqual([])
        expect(tags.filter(([, , attributes = '']) => /(?:^| )(?:on|style|src)/.test(attributes))).toEqual([])
        expect(tags.filter(([, , attributes = '']) => / href="(?!#)/.test(attributes))).toEqual([])
      }),
      { numRuns: 25 },
    )
  })

  it('puts their names behind codes, also in the reasons of the verdict and of rules without one', () => {
    const refused = 'the very first valid request was refused with 401 / 1006'
    const rule = ruleWith('quota/exhausted', { status: 'inconclusive', because: refused, answers: 0 })
    const verdict = verdictWith({ verdict: 'incomplete', because: [refused], rules: rulesWith([rule]) })
    const page = body(htmlPage(verdict))

    expect(page.split(refused)).toHaveLength(3)
    expect(page.split(`${refused} (invalid api key)`)).toHaveLength(3)
  })

  it('tells causes before rules, each with links to the rules that met it', () => {
    const sent = {
      endpoint: 'GET /a',
      client: 'target',
      plain: false,
      flaws: ['apiKey absent'],
      requests: 1,
    } as const
    const failing = (['authentication/api-key-missing', 'fuzz/api-key'] as const).map((id) =>
      ruleWith(id, { status: 'failed', findings: [findingWith({ sent, difference: 'another answer' })] }),
    )
    const page = body(htmlPage(verdictWith({ rules: rulesWith(failing) })))

    expect(page).toContain('<h2 id="failed">Violations (1 cause, 2 rules, 2 findings)</h2>')
    expect(page).toContain(
      'A request without x-api-key: 401 / 1006 (invalid api key), documented 400 / 1001 (api key header is missing)',
    )
    expect(page).toContain('<a href="#fuzz/api-key"><code>fuzz/api-key</code>')
    expect(page).toContain('<a href="#cause-1">cause<span class="sr"> of fuzz/api-key</span></a>')
    expect(page.indexOf('id="cause-1"')).toBeLessThan(page.indexOf('id="rules"'))
    expect(body(htmlPage(verdictWith()))).not.toContain('class="cause"')
  })

  it('shows no line to copy that had to be changed or cut', () => {
    const finding = findingWith({ curl: `curl '\u001B[2J'`, replay: `replay ${'x'.repeat(5_000)}` })
    const rule = ruleWith('fuzz/path', { status: 'failed', findings: [finding] })

    const page = htmlPage(verdictWith({ rules: rulesWith([rule]) }))

    expect(page).not.toContain('Copy the curl line')
    expect(page).not.toContain('Copy the replay line')
    expect(page.split('It cannot be shown here whole').length).toBe(3)
  })

  it('shows the replay line alone where curl cannot say the request', () => {
    const rule = ruleWith('fuzz/path', { status: 'failed', findings: [findingWith({ curl: null })] })

    const page = htmlPage(verdictWith({ rules: rulesWith([rule]) }))

    expect(page).not.toContain('Copy the curl line')
    expect(page).toContain('Copy the replay line')
  })

  it('shows a reason phrase of its own and the fields behind the body', () => {
    const { exchange } = findingWith()
    const response = { status: 401, headers: [], body: '{}', bodyCut: 0 }
    const page = (more: object): string => {
      const finding = findingWith({ exchange: { ...exchange, response: { ...response, ...more } } })
      const rule = ruleWith('fuzz/path', { status: 'failed', findings: [finding] })
      return htmlPage(verdictWith({ rules: rulesWith([rule]) }))
    }

    expect(page({})).toContain('>401\n\n{}<')
    expect(page({ reason: 'Go away', trailers: [['x-sum', 'a1b2']] })).toContain(
      '>401 Go away\n\n{}\n\nx-sum: a1b2<',
    )
  })

  it('bounds every text that a service may make long', () => {
    expect(htmlPage(hostileVerdict('<'.repeat(1_000_000))).length).toBeLessThan(500_000)
  })
})
