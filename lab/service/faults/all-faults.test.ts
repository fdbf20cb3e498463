import { expect, it } from 'vitest'
import { ruleIds, ruleOf, type SpecRuleId } from '../../../lib/specification/rules.ts'
import { startService } from '../start.ts'
import { faults as shipped } from '../../../lib/serve/reference/faults.ts'
import { faults } from './all-faults.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { provenOtherwise } from './proven-otherwise.ts'

it('has unique names in kebab-case', () => {
  const names = faults.map(({ name }) => name)

  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+(?:-[a-z\d]+)+$/)
})

it('says of each fault in one sentence what it does', () => {
  for (const { about } of faults) expect(about).toMatch(/^[A-Z][^\n]+\.$/)
})

const byNeeds = (needs: Fault['needs']): readonly Fault[] => faults.filter((fault) => fault.needs === needs)
const rulesOf = (some: readonly Fault[]): ReadonlySet<SpecRuleId> =>
  new Set(some.flatMap(({ rules }) => rules))

it.each(ruleIds)('has three faults at least for %s, or says what else proves it', (rule) => {
  const isProvenOtherwise = Object.hasOwn(provenOtherwise, rule)
  const count = faults.filter(({ rules }) => rules.includes(rule)).length

  if (isProvenOtherwise) expect(count).toBe(0)
  else expect(count).toBeGreaterThanOrEqual(3)
})

it('bends a service that everybody can see for every rule about the service', () => {
  const rules = rulesOf(byNeeds(undefined))

  for (const id of ruleIds)
    expect(rules.has(id), id).toBe(['documented', 'implied'].includes(ruleOf(id).level))
})

it('needs a baseline for what a baseline alone can know, and for nothing else', () => {
  const needing = byNeeds('baseline')

  expect([...rulesOf(needing)]).toEqual(['tolerance/no-breaking-change'])
  expect(needing.length).toBeGreaterThanOrEqual(6)
})

it('needs an endpoints file for what only that says', () => {
  expect([...rulesOf(byNeeds('endpoints-file'))]).toEqual(['endpoints/list-succeeds'])
})

it('holds every fault that ships, and knows no other name', async () => {
  expect(shipped.filter(({ name }) => !faults.some((fault) => fault.name === name))).toEqual([])
  expect(shipped).toHaveLength(40)
  await expect(startService({ faults: ['api-key-compared-by-prefx'] })).rejects.toThrow(
    'unknown fault "api-key-compared-by-prefx"',
  )
})

it('needs described input for slips in checking it', () => {
  expect(rulesOf(byNeeds('described-input')).has('fuzz/query')).toBe(true)
  expect(byNeeds('described-input').length).toBeGreaterThanOrEqual(10)
})
