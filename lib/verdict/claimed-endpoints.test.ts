import { expect, it } from 'vitest'
import type { EndpointRecord, Reason } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import type { RuleId } from '../specification/rules.ts'
import { claimedEndpoints } from './claimed-endpoints.ts'

const list: RuleId = 'endpoints/list-succeeds'
const fingerprint = 'f3c44f9c9425884c'
const waiver: Waiver = { rule: list, fingerprint, reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }

function endpoint(kind: Reason['kind'] = 'untested'): EndpointRecord {
  return { name: 'POST /api/cards', fingerprint, judgedBy: [], otherwise: { kind, text: 'why' } }
}

function claims(profile: 'gate' | 'acceptance', one: EndpointRecord, waivers: readonly Waiver[] = []) {
  const outcome = {
    results: [],
    record: {
      sent: 0,
      retried: 0,
      confirming: 0,
      byRule: {},
      byClient: {},
      retriedFor: {},
      msByRule: {},
      latencyMs: null,
      ended: null,
      observations: [],
    },
    errors: [],
    cancelled: null,
    today: '2026-11-20',
    waivers,
    endpoints: [one],
  }
  const { told, demanded } = claimedEndpoints(outcome, profile)
  return { waived: told.notJudged[0]?.waived, isDemanded: demanded.length > 0 }
}

it('demands every endpoint in acceptance only, but for what the end of the run left', () => {
  expect(claims('gate', endpoint()).isDemanded).toBe(false)
  expect(claims('acceptance', endpoint()).isDemanded).toBe(true)
  expect(claims('acceptance', endpoint('ended')).isDemanded).toBe(false)
})

it.each<[string, Partial<Waiver>, boolean]>([
  ['its rule and fingerprint', {}, true],
  ['its fingerprint', { rule: null }, true],
  ['a rule as a whole, which says nothing of what is not judged at all', { fingerprint: null }, false],
  ['another endpoint', { fingerprint: 'aaaaaaaaaaaaaaaa' }, false],
  ['it, and expired', { expires: '2026-11-19' }, false],
])('is covered by a waiver that names %s: %o', (_, changes, expected) => {
  const waivers = [{ ...waiver, ...changes }]

  expect(claims('acceptance', endpoint(), waivers)).toEqual({
    waived: expected ? 'agreed (Kim, until 2027-01-31)' : undefined,
    isDemanded: !expected,
  })
  expect(claims('gate', endpoint(), waivers).waived).toBeUndefined()
})
