import { describe, expect, it } from 'vitest'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { specification } from '../../specification/specification.ts'
import { errorVerdict, nonconformantVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { statement } from './statement.ts'
import { htmlPage } from './html-page.ts'
import { view } from '../view.ts'

const acceptance = { profile: 'acceptance', strict: true } as const
const embedded = targetWith({ baseUrl: 'http://127.0.0.1:4000', embedded: true, label: null, build: null })
const judged = `by ${serviceRules} rules and found it`
const at = 'https://staging.example.com/cards/api/customizations/list (vendor, build 42)'
const incomplete = verdictWith({ verdict: 'incomplete', exitCode: 3 })

/** The text of the cover; empty without one. */
function coverOf(verdict: Verdict): string {
  const [cover = ''] = /<section class="cover".*?<table/s.exec(htmlPage(view(verdict))) ?? []
  return cover
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([:,.])/g, '$1')
}

it.each([
  [
    `On 2026-11-20 card-switch-conformance 1.0.0 judged the service at ${at}, version 1, ${judged} conformant: nothing is violated, ${serviceRules} rules passed.`,
    verdictWith(),
  ],
  [
    `${judged} nonconformant: 2 of ${serviceRules} rules are violated; waived: authentication/no-side-door.`,
    nonconformantVerdict(),
  ],
  ['and came to no verdict (incomplete): what was judged is not enough for a verdict.', incomplete],
  ['found it partial, conformant', verdictWith({ selection: { only: ['quota/*'] } })],
  // It never passes for another.
  ['judged the EMBEDDED REFERENCE SERVICE, version 1', verdictWith({ target: embedded })],
])('the sentence to quote says: %s', (says, verdict) => {
  expect(statement(view(verdict))).toContain(says)
})

describe('the statement', () => {
  const power = { confidence: 0.95, answers: 309, excludes: 0.0097, situations: [] }
  const plain = verdictWith(acceptance)
  const built = verdictWith({ ...acceptance, target: targetWith({ build: 'sha256:ab' }), power })

  it.each<[string, Verdict, readonly string[]]>([
    [
      'the exceptions with reason, owner and last day',
      { ...nonconformantVerdict(), ...acceptance },
      [
        'Agreed exceptions (1, for 1 rule) answered 401 / 1006 (invalid api key) where 400 / 1001 (api key header is missing) is documented (wrong form, convention); mended in the next release (Kim, until 2027-01-31)',
      ],
    ],
    ['that there are none', plain, ['No exceptions were agreed.']],
    ['the build', built, [judged, 'Service vendor Build sha256:ab']],
    [
      'how long it is valid',
      { ...plain, validUntil: '2027-02-20T02:00:00.000Z' },
      ['Valid until 2027-02-20 02:00 UTC'],
    ],
    [
      'the parties first, what was asked, and the specification with its hash',
      plain,
      [
        'service Supplier Client CONFORMANT',
        'Requests sent 196',
        `Specification ${specification.title}`,
        `SHA-256 of the specification ${specification.sha256}`,
      ],
    ],
  ])('names %s', (_, verdict, says) => {
    for (const one of says) expect(coverOf(verdict)).toContain(one)
    // No name of a setting, and no statistics, which stand on the second sheet.
    expect(coverOf(verdict)).not.toMatch(/[A-Z]+_[A-Z]+|could have shown/)
  })

  it('is there for an acceptance that judged something alone; every page names the specification', () => {
    expect([verdictWith(), { ...errorVerdict(), ...acceptance }].map(coverOf)).toEqual(['', ''])
    expect(htmlPage(view(verdictWith()))).toContain(specification.sha256)
  })
})
