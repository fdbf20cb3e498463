import fc from 'fast-check'
import { expect, test } from 'vitest'
import { faults } from '../lab/service/faults/all-faults.ts'
import { judgedInMemory } from './support/in-memory.ts'
import { against } from './support/program-test.ts'

test.for([
  ['errors-in-plain-text', 'Every error answer has a body that is not JSON'],
  ['errors-are-pages-without-accept', 'Every error answer without accept has a body that is not JSON'],
  ['every-error-under-200', 'Every error answer has status 200'],
  ['error-code-padded', 'Every error answer has error_code "1006 " instead of "1006", or similar'],
  ['error-body-is-nested', 'Every error answer lacks error_code'],
] as const)('%s gives one cause, shown on at most thirty lines', async ([name, sentence]) => {
  const { run } = await against({ faults: [name] })
  const { verdict, stdout } = await run()

  expect(verdict?.causes).toMatchObject([{ sentence }])
  expect(verdict?.causes[0]?.warning ?? false).toBe(false)
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(30)
})

test('at least nine of ten services with two faults have two causes', async () => {
  // Sorted, so that the drawn pairs do not depend on where a fault stands.
  const ofGate = faults
    .flatMap(({ name, profile, needs }) => (profile === undefined && needs === undefined ? [name] : []))
    .toSorted()
  const two = fc.uniqueArray(fc.constantFrom(...ofGate), { minLength: 2, maxLength: 2 })
  const merged: string[] = []
  for (const pair of fc.sample(two, { seed: 20260101, numRuns: 10 })) {
    const { causes } = await judgedInMemory({ faults: pair })
    if (causes.length < 2) merged.push(pair.join())
  }

  expect(merged.length, merged.join('; ')).toBeLessThanOrEqual(1)
})
