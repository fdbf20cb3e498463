import { expect, it } from 'vitest'
import { ruleIds, ruleOf } from '../../spec/rules.ts'
import { startReference } from '../service.ts'
import { faults } from './all-faults.ts'

it('has unique names in kebab-case', () => {
  const names = faults.map(({ name }) => name)

  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+(?:-[a-z\d]+)+$/)
})

it('says of each fault in one sentence what it does', () => {
  for (const { about } of faults) expect(about).toMatch(/^[A-Z][^\n]+\.$/)
})

// The suite is at fault where its own expectations break; what a baseline says, no service can know: neither is in its power.
const breakable = ruleIds.filter((id) => ['documented', 'implied'].includes(ruleOf(id).level))

it.each(breakable)('has three faults at least for %s', (rule) => {
  expect(faults.filter(({ rules }) => rules.includes(rule)).length).toBeGreaterThanOrEqual(3)
})

it('has none for a rule that a service cannot break by itself', () => {
  const named = new Set(faults.flatMap(({ rules }) => rules))

  expect(ruleIds.filter((id) => named.has(id) && !breakable.includes(id))).toEqual([])
})

it('names the nearest faults where one is unknown', async () => {
  await expect(startReference({ faults: ['api-key-compared-by-prefx'] })).rejects.toThrow(
    /unknown fault "api-key-compared-by-prefx"; did you mean api-key-compared-by-prefix, /,
  )
})
