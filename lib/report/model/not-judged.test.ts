import { describe, expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import { annotations } from '../render/annotations.ts'
import { compared } from '../compare/comparison.ts'
import { sideOf } from '../compare/side.ts'
import { reportsOf } from '../testing/every-report.ts'
import { headlineWord, verdictSentence } from './headline.ts'
import { htmlPage } from '../page/html-page.ts'
import { summaryMarkdown } from '../render/summaries.ts'

const reason = 'mended in the next release (Kim, until 2027-01-31)'

describe('an endpoint that was not judged', () => {
  const because = 'POST is only sent where the endpoints file says "fuzz": true'
  const post = { endpoint: 'POST /api/cards', because, fingerprint: 'f3c44f9c9425884c' }
  const target = { ...verdictWith().target, endpoints: ['/api/customizations/list', '/api/cards'] }
  const left = verdictWith({ profile: 'acceptance', target: { ...target, notJudged: [post] } })
  const waiver = {
    rule: null,
    fingerprint: post.fingerprint,
    reason: 'mended in the next release',
    owner: 'Kim',
    expires: '2027-01-31',
    expired: false,
    used: true,
  }
  const waived = verdictWith({
    ...left,
    target: { ...target, notJudged: [{ ...post, waived: reason }] },
    waivers: [waiver],
  })

  it.each(Object.keys(reportsOf(verdictWith())).filter((name) => !/comparison/.test(name)))(
    'stands with its reason in every report: %s',
    (name) => {
      const report = reportsOf(left)[name] ?? ''
      const text = report.replaceAll(/&(?:#34|#x22|quot);/g, '"').replaceAll(/\\+"/g, '"')

      expect(text).toContain(`not judged: post /api/cards (${because.toLowerCase()})`)
      expect(reportsOf(verdictWith())[name]).not.toMatch(/not judged: post/)
    },
  )

  it('stands with the others of its reason, three at most', () => {
    const others = ['/api/a', '/api/b', '/api/c'].map((endpoint) => ({ ...post, endpoint }))
    const ended = { ...post, endpoint: '/api/d', because: 'the run ended before' }
    const all = verdictWith({ target: { ...target, notJudged: [...others, post, ended] } })

    expect(verdictSentence(all)).toBe(
      `nothing is violated, ${serviceRules} rules passed; not judged: /api/a, /api/b, /api/c and 1 more endpoint (${because}), /api/d (the run ended before)`,
    )
  })

  it('is an agreed exception where a waiver covers it', () => {
    expect(headlineWord(waived)).toBe('conformant with 1 agreed exception')
    expect(verdictSentence(waived)).toMatch(
      new RegExp(
        `^1 agreed exception, nothing else is violated, ${serviceRules} rules passed; not judged: .*; waived: POST /api/cards$`,
      ),
    )
    expect(htmlPage(waived)).not.toContain('No exceptions were agreed.')
    expect(summaryMarkdown(waived)).toContain(
      `### Waived (1 endpoint)\n\n- \`POST /api/cards\`: not judged (${because}); ${reason}\n`,
    )
  })

  it('is a notice on GitHub, where the colour shows nothing of it', () => {
    expect(annotations(left)).toEqual([
      expect.stringMatching(/^::notice title=conformance%3A conformant::.*; not judged: POST \/api\/cards /),
    ])
  })

  it('has a waiver to fill in that covers exactly it, in acceptance only', () => {
    const draft = `{"rule":"endpoints/list-succeeds","fingerprint":"${post.fingerprint}","reason":"","owner":"","expires":"2026-12-20"}`

    expect(summaryMarkdown(left)).toContain(draft)
    expect(summaryMarkdown(waived)).not.toContain(post.fingerprint)
    expect(summaryMarkdown({ ...left, profile: 'gate' })).not.toContain(post.fingerprint)
  })

  it('is told between two runs, since what failed there is not mended', () => {
    const { differences } = compared(sideOf('a', verdictWith({ target })), [sideOf('b', verdictWith())])

    expect(differences[0]?.circumstances).toContainEqual({
      what: 'the judged endpoints',
      before: '/api/customizations/list, /api/cards',
      after: '/api/customizations/list',
    })
  })
})
