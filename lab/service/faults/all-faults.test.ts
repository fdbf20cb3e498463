import { expect, it } from 'vitest'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { faults as shipped } from '../../../lib/serve/reference/faults.ts'
import { ruleIds, ruleOf, type SpecRuleId } from '../../../lib/specification/rules.ts'
import { startService } from '../start.ts'
import { faults } from './all-faults.ts'
import { provenOtherwise } from './proven-otherwise.ts'

it('all faults have unique names in kebab case', () => {
  const names = faults.map(({ name }) => name)

  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+(?:-[a-z\d]+)+$/)
})

it('each fault is described in one sentence', () => {
  for (const { about } of faults) expect(about).toMatch(/^[A-Z][^\n]+\.$/)
})

const byNeeds = (needs: Fault['needs']): readonly Fault[] => faults.filter((fault) => fault.needs === needs)
const rulesOf = (some: readonly Fault[]): ReadonlySet<SpecRuleId> =>
  new Set(some.flatMap(({ rules }) => rules))

it.each(ruleIds)('%s has at least three faults, or another proof', (rule) => {
  const isProvenOtherwise = Object.hasOwn(provenOtherwise, rule)
  const count = faults.filter(({ rules }) => rules.includes(rule)).length

  if (isProvenOtherwise) expect(count).toBe(0)
  else expect(count).toBeGreaterThanOrEqual(3)
})

it('every rule about the service has a fault that a plain run can find', () => {
  const rules = rulesOf(byNeeds(undefined))

  for (const id of ruleIds)
    expect(rules.has(id), id).toBe(['documented', 'implied'].includes(ruleOf(id).level))
})

it('a baseline is needed only by faults that only a baseline reveals', () => {
  const needing = byNeeds('baseline')

  expect([...rulesOf(needing)]).toEqual(['tolerance/no-breaking-change'])
  expect(needing.length).toBeGreaterThanOrEqual(6)
})

it('an endpoints file is needed only for rules that it describes', () => {
  expect([...rulesOf(byNeeds('endpoints-file'))]).toEqual(['endpoints/list-succeeds'])
})

it('the list includes every fault that ships, and no unknown name', async () => {
  expect(shipped.filter(({ name }) => !faults.some((fault) => fault.name === name))).toEqual([])
  expect(shipped).toHaveLength(40)
  await expect(startService({ faults: ['api-key-compared-by-prefx'] })).rejects.toThrow(
    'unknown fault "api-key-compared-by-prefx"',
  )
})

it('described input is needed by faults in checking input', () => {
  expect(rulesOf(byNeeds('described-input')).has('fuzz/query')).toBe(true)
  expect(byNeeds('described-input').length).toBeGreaterThanOrEqual(10)
})
