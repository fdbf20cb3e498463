import { describe, expect, it } from 'vitest'
import { instrumented, mutatedTexts } from './instrumented.ts'
import { freshMutants, limitOf, readKept } from './inventory.ts'
import { shortened, unique } from './mutant.ts'

const kept = await readKept()
const ids = kept.mutants.map(({ id }) => id)

describe('the list of mutants', () => {
  it('matches the current code; npm run lab -- mutants --renew rewrites it', async () => {
    const { mutants } = await freshMutants()

    expect(mutants.length).toBeGreaterThan(2_000)
    expect(kept.mutants).toEqual(mutants)
  })

  it('names each mutant once', () => {
    expect(() => unique(kept.mutants.slice(0, 1).flatMap((one) => [one, one]))).toThrow('two mutants')
  })

  it('does not depend on line numbers', async () => {
    const texts = await mutatedTexts()
    const name = 'quota.ts'
    const text = texts.get(name) ?? ''
    const idsOf = async (one: string): Promise<readonly string[]> =>
      (await instrumented(new Map([[name, one]]))).mutants.map(({ id }) => id)

    expect(await idsOf(`// a line\n\n${text}`)).toEqual(await idsOf(text))
    expect(await idsOf(text)).toEqual(ids.filter((id) => id.startsWith(`${name}:`)))
  })

  it('includes every mutant that another file names', () => {
    const { conformant, limits, published } = kept
    const seen = kept.mutants.filter(({ half }) => half === 'seen').map(({ id }) => id)

    expect(Object.keys(conformant).filter((id) => !ids.includes(id))).toEqual([])
    const named = new Set(seen.map((id) => limitOf(id, limits)))
    expect(Object.keys(limits).filter((start) => !named.has(start))).toEqual([])
    expect(
      Object.values(published)
        .flat()
        .filter((id) => !seen.includes(id)),
    ).toEqual([])
  })

  it.each([
    ['http:a:1001:head', 'http:a:*:head'],
    ['http:a:1001', undefined],
    ['http:b:1001', 'http:b'],
    ['http:bc:1001', undefined],
  ])('finds the limit of a mutant, if any: %s', (id, limit) => {
    expect(limitOf(id, { 'http:a:*:head': 'one', 'http:b': 'another' })).toBe(limit)
  })
})

describe('original and replacement', () => {
  it('fit on one line each', () => {
    expect(shortened('a &&\n    b', 'true')).toEqual({ original: 'a && b', replacement: 'true' })
  })

  it('are shortened to the differing part', () => {
    const { original, replacement } = shortened(`${'x'.repeat(500)}1${'y'.repeat(500)}`, 'x'.repeat(500))

    expect(original).toMatch(/^…x{40}1y{119}…$/)
    expect(replacement).toMatch(/^…x{40}$/)
  })
})
