import { describe, expect, it } from 'vitest'
import { specification } from '../../specification/specification.ts'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { errorVerdict, nonconformantVerdict, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { view } from '../view.ts'
import { htmlPage } from './html-page.ts'
import { statement } from './statement.ts'

const acceptance = { profile: 'acceptance', strict: true } as const
const embedded = targetWith({ baseUrl: 'http://127.0.0.1:4000', embedded: true, label: null, build: null })
const judged = `against ${serviceRules} rules and found it`

/** The text of the cover, or an empty string. */
function coverOf(verdict: Verdict): string {
  const [cover = ''] = /<section class="cover".*?<table/s.exec(htmlPage(view(verdict))) ?? []
  return cover
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([:,.])/g, '$1')
}

it.each([
  [
    `${judged} nonconformant: 2 of ${serviceRules} rules are violated; waived: authentication/no-side-door.`,
    nonconformantVerdict(),
  ],
  ['found it partial, conformant', verdictWith({ selection: { only: ['quota/*'] } })],
  // The reference service is never mistaken for another service.
  ['judged the EMBEDDED REFERENCE SERVICE, version 1', verdictWith({ target: embedded })],
])('the quotable sentence says: %s', (says, verdict) => {
  expect(statement(view(verdict))).toContain(says)
})

describe('the statement', () => {
  const power = { confidence: 0.95, answers: 309, excludes: 0.0097, situations: [] }
  const built = verdictWith({ ...acceptance, target: targetWith({ build: 'sha256:ab' }), power })

  it.each<[Verdict, string]>([
    [{ ...nonconformantVerdict(), ...acceptance }, 'Agreed exceptions (1, for 1 rule) answered 401 / 1006'],
    [built, 'Service vendor Build sha256:ab'],
    [built, `SHA-256 of the specification ${specification.sha256}`],
  ])('states the facts of the run, without names of settings or statistics', (verdict, says) => {
    expect(coverOf(verdict)).toContain(says)
    expect(coverOf(verdict)).not.toMatch(/[A-Z]+_[A-Z]+|could have shown/)
  })

  it('appears only for acceptance runs that judged something; every page names the specification', () => {
    expect([verdictWith(), { ...errorVerdict(), ...acceptance }].map(coverOf)).toEqual(['', ''])
    expect(htmlPage(view(verdictWith()))).toContain(specification.sha256)
  })
})
