import { describe, expect, it } from 'vitest'
import { specification } from '../../specification/specification.ts'
import { errorVerdict, ruleWith, rulesWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { alike, failing, violated } from '../testing/verdicts.ts'
import { view } from '../view.ts'
import { htmlPage } from './html-page.ts'
import { statement } from './statement.ts'

/** The page without its head, which contains no text from outside. */
function body(page: string): string {
  return page.slice(page.indexOf('</head>')).replaceAll(/\s+/g, ' ')
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
})

// The golden text of the page covers the statement of acceptance runs.
it('the quotable sentence never mistakes the reference service for another service', () => {
  const target = targetWith({ embedded: true, label: null, build: null })

  expect(statement(view(verdictWith({ target })))).toContain(
    'judged the EMBEDDED REFERENCE SERVICE, version 1',
  )
})

it('the statement appears only for acceptance runs that judged something; every page names the specification', () => {
  const verdicts = [verdictWith(), { ...errorVerdict(), profile: 'acceptance' } as const]

  for (const page of verdicts.map((verdict) => htmlPage(view(verdict)))) {
    expect(page).not.toContain('<section class="cover"')
    expect(page).toContain(specification.sha256)
  }
})
