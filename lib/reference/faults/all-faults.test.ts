import { expect, it } from 'vitest'
import { ruleIds } from '../../spec/rules.ts'
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

it.each(ruleIds)('has three faults at least for %s', (rule) => {
  expect(faults.filter(({ rules }) => rules.includes(rule)).length).toBeGreaterThanOrEqual(3)
})

it('names the nearest faults where one is unknown', async () => {
  await expect(startReference({ faults: ['api-key-compared-by-prefx'] })).rejects.toThrow(
    /unknown fault "api-key-compared-by-prefx"; did you mean api-key-compared-by-prefix, /,
  )
})
