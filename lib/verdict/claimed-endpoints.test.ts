import { expect, it } from 'vitest'
import type { EndpointRecord } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import type { RuleId } from '../specification/rules.ts'
import { claimedEndpoints } from './claimed-endpoints.ts'

const list: RuleId = 'endpoints/list-succeeds'
const fingerprint = 'f3c44f9c9425884c'
const waiver: Waiver = { rule: list, fingerprint, reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

const endpoint: EndpointRecord = {
  name: 'POST /api/cards',
  fingerprint,
  judgedBy: [],
  otherwise: { kind: 'untested', text: 'why' },
}

it.each<[string, Partial<Waiver>, boolean]>([
  ['its rule and fingerprint', {}, true],
  ['its fingerprint', { rule: null }, true],
  ['a rule as a whole, which says nothing of what is not judged at all', { fingerprint: null }, false],
  ['another endpoint', { fingerprint: 'aaaaaaaaaaaaaaaa' }, false],
  ['it, and expired', { expires: '2026-11-19' }, false],
])('is covered by a waiver that names %s: %o', (_, changes, expected) => {
  const outcome = { endpoints: [endpoint], waivers: [{ ...waiver, ...changes }], today: '2026-11-20' }
  const waivedIn = (profile: 'gate' | 'acceptance') => claimedEndpoints(outcome, profile).notJudged[0]?.waived

  expect(waivedIn('acceptance')).toBe(expected ? 'agreed (Kim, until 2027-01-31)' : undefined)
  expect(waivedIn('gate')).toBeUndefined()
})
