import { expect, it } from 'vitest'
import { instrumented, mutatedTexts } from './instrumented.ts'
import { freshMutants, readKept } from './inventory.ts'

const kept = await readKept()
const ids = kept.mutants.map(({ id }) => id)

it('the list of mutants matches the current code; npm run lab -- mutants --renew rewrites it', async () => {
  const { mutants } = await freshMutants()

  expect(mutants.length).toBeGreaterThan(2_000)
  expect(kept.mutants).toEqual(mutants)
  expect(ids).toEqual([...new Set(ids)])
})

it('the list of mutants does not depend on line numbers', async () => {
  const name = 'quota.ts'
  const text = (await mutatedTexts()).get(name) ?? ''
  const idsOf = async (one: string): Promise<readonly string[]> =>
    (await instrumented(new Map([[name, one]]))).mutants.map(({ id }) => id)

  expect(await idsOf(`// a line\n\n${text}`)).toEqual(await idsOf(text))
  expect(await idsOf(text)).toEqual(ids.filter((id) => id.startsWith(`${name}:`)))
})

it('the list of mutants includes every mutant that another file names', () => {
  const { conformant, published } = kept
  const seen = kept.mutants.filter(({ half }) => half === 'seen').map(({ id }) => id)

  expect(Object.keys(conformant).filter((id) => !ids.includes(id))).toEqual([])
  const named = Object.values(published).flat()
  expect(named.filter((id) => !seen.includes(id))).toEqual([])
})
