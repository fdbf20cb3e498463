import { serviceRules } from '../../specification/testing/rule-counts.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostileText, hostileVerdict } from '../testing/hostile.ts'
import { nonconformantVerdict, ruleWith, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { compared, comparisonJson, type Comparison } from './comparison.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { comparisonPage } from './comparison-page.ts'
import { comparisonText } from './comparison-sections.ts'
import { sideOf, type Side } from './side.ts'

const mended = compared(sideOf('monday', nonconformantVerdict()), [
  sideOf('tuesday', verdictWith({ seed: 7, observations: [{ id: 'flaw-order', value: ['1001'] }] })),
])

/** A comparison in which the same text stands wherever a service, a vendor or a user may have put one. */
function hostile(text: string): Comparison {
  const verdict = { ...hostileVerdict(text), observations: [{ id: text, value: { [text]: text } }] }
  return compared(sideOf('conformant', verdictWith()), [sideOf(text, verdict)])
}

/** What can lie to a reader's eye, but for the ends of our own lines. */
const lying = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u

describe('text', () => {
  it('names the runs, what was not the same, what changed, and every rule that did not pass everywhere', () => {
    const text = comparisonText(mended, { colour: false, width: 120 })

    expect(text).toContain('1  monday: NONCONFORMANT\n')
    expect(text).toContain('- the seed: 20260101 → 7\n')
    expect(text).toContain('- what quota/exhausted needs: in this run only\n')
    expect(text).not.toMatch(/given/)
    expect(text).toContain('  mended (4)\n')
    expect(text).toContain('authentication/api-key-missing: failed → passed\n')
    expect(text).toContain('- 3f2a9c0d1e4b5a67 answered 401 / 1006 where 400 / 1001 is documented\n')
    expect(text).toContain('flaw-order: nothing → ["1001"]\n')
    expect(text).toMatch(/^ {2}versioning\/selected-per-request {2,}inconclusive {2}passed$/m)
    expect(text).not.toContain('endpoints/list-succeeds')
    expect(text.trimEnd().split('\n').at(-1)).toBe('nothing is worse than in monday (exit 0)')
  })

  it('keeps its table within the width, whatever the number of runs', () => {
    const sides = Array.from({ length: 9 }, (_, index) => sideOf(`${index + 2}`, verdictWith()))
    for (const width of [60, 80, 140]) {
      const lines = comparisonText(compared(sideOf('1', nonconformantVerdict()), sides), {
        colour: false,
        width,
      }).split('\n')

      expect(lines.filter((line) => line.length > width)).toEqual([])
      expect(lines.filter((line) => line.startsWith('  rule ')).join(' ')).toMatch(/ 1 .* 2 .* 9 .*10/)
    }
  })

  it('has colours only where they are asked for, and no other control characters from anywhere', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const plain = comparisonText(hostile(text), { colour: false, width: 100 })
        const coloured = comparisonText(hostile(text), { colour: true, width: 100 })

        expect(plain).not.toMatch(lying)
        // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
        expect(coloured.replaceAll(/\u001B\[\d+m/g, '')).toBe(plain)
      }),
    )
  })
})

describe('JSON', () => {
  it('holds the runs, every rule of every difference, and every rule by run', () => {
    expect(JSON.parse(comparisonJson(mended))).toMatchObject({
      format: 'card-switch-conformance/comparison/1',
      worse: false,
      runs: [{ path: 'monday', verdict: 'nonconformant' }, { path: 'tuesday' }],
      differences: [
        {
          path: 'tuesday',
          sameTarget: true,
          circumstances: [
            { what: 'the seed', before: '20260101', after: '7' },
            { what: 'what quota/exhausted needs', before: 'not given', after: 'given' },
            { what: 'what quota/stays-exhausted needs' },
            { what: 'what quota/per-client needs' },
          ],
          worse: false,
          observations: [{ id: 'flaw-order', before: null, after: ['1001'] }],
        },
      ],
      matrix: { length: serviceRules },
    })
    expect(JSON.parse(comparisonJson(mended))).toHaveProperty('matrix.0', {
      rule: 'conventions/json-response',
      says: 'every body, on success and on error, is JSON',
      statuses: ['passed', 'passed'],
    })
  })
})

describe('the page', () => {
  it('shows every rule of every run', () => {
    const page = comparisonPage(mended).replaceAll(/>\s+</g, '><')

    const [row = ''] =
      /<tr class="differs"><th scope="row"><code>authentication\/<wbr \/>api-key-missing<.*?<\/tr>/.exec(
        page,
      ) ?? []
    expect([...row.matchAll(/<span class="badge (\w+)">/g)].map(([, status]) => status)).toEqual([
      'failed',
      'passed',
    ])
    expect(page.match(/<tr class="(?:differs|alike)">/g)).toHaveLength(serviceRules)
  })

  it('shows the sentence of a rule that only some runs know, and only where a verdict says it', () => {
    const id = 'acme/every-logo'
    const own = { ...ruleWith('errors/body-shape'), id, says: 'every customization has a logo' } as const
    const run = sideOf('own', verdictWith({ rules: [...rulesWith([]), own] }))
    const ofHistory = { ...run, sentences: new Map() }
    const cells = (...sides: readonly [Side, Side]): string | undefined => {
      const page = comparisonPage(compared(sides[0], [sides[1]])).replaceAll(/\s*\n\s*/g, '')
      return /<code>acme\/<wbr \/>every-logo<\/code>(.*?)<\/tr>/.exec(page)?.[1]
    }

    expect(cells(sideOf('a', verdictWith()), run)).toMatch(
      /^<p class="faint">Every customization has a logo<.*absent.*passed/,
    )
    expect(cells(ofHistory, run)).toContain('Every customization has a logo')
    expect(cells(ofHistory, ofHistory)).toContain('A rule that the catalogue of this version does not have')
  })

  it('has the outcome first, then the rules by target, under labels before paths', () => {
    const vendor = (label: string): Verdict =>
      verdictWith({ target: { ...verdictWith().target, label, build: null } })
    const both = compared(sideOf('a/verdict.json', vendor('Vendor A')), [
      sideOf('b/verdict.json', vendor('Vendor B')),
    ])
    const page = comparisonPage(both)
    const everywhere = `${serviceRules} rules passed in every run`
    const order = [
      '<h1 id="outcome" tabindex="-1">Nothing is worse than in Vendor A (exit 0)</h1>',
      '<strong>Vendor A</strong><p class="faint">a/verdict.json</p>',
      '<strong>Vendor B</strong><p class="faint">b/verdict.json</p>',
      '<code>conventions/<wbr />json-response</code>',
      '<code>Vendor B</code> (<code>b/verdict.json</code>): <strong>CONFORMANT</strong>',
      '2 against 1 (<code>Vendor B</code> against <code>Vendor A</code>)',
    ].map((part) => page.replaceAll(/\s*\n\s*/g, '').indexOf(part))

    expect(page).toContain(`2 runs, ${serviceRules} rules; ${everywhere}`)
    expect(comparisonText(both, { colour: false, width: 100 })).toContain(`${everywhere}.`)
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('holds no element, attribute or control character that a service sent, and loads and runs nothing', () => {
    const tags = (page: string): readonly string[] =>
      [...new Set([...page.matchAll(/<[a-z!/][^>]*>/g)].map(([tag]) => tag))].toSorted()
    const honest = tags(comparisonPage(hostile('x')))
    fc.assert(
      fc.property(hostileText, (text) => {
        const page = comparisonPage(hostile(text))

        expect(tags(page)).toEqual(honest)
        expect(page).not.toMatch(lying)
      }),
    )
    expect(honest.filter((tag) => /<script|<link|\s(?:src|on\w+)=|href="(?!#)/.test(tag))).toEqual([])
    expect(honest.some((tag) => tag.includes('default-src &#39;none&#39;'))).toBe(true)
  })
})
