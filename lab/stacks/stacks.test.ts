import { describe, expect, it } from 'vitest'
import { textOf } from '../../tests/support/syntax.ts'
import { credentialsOf } from './credentials.ts'
import { stacksPage } from './page.ts'
import { firstRun, lastRun, readRecord, readSettlements } from './record.ts'
import { allStacks, faultsOf } from './stack.ts'

it('docs/stacks.md says what was written down', async () => {
  const [first, last] = [await readRecord(firstRun), await readRecord(lastRun)]
  if (first === null || last === null) throw new Error('a record is missing')
  const stacks = allStacks.map((stack) => ({ ...stack, faults: faultsOf(stack) }))

  expect(textOf('docs/stacks.md')).toBe(
    stacksPage({ stacks, first, last, settlements: await readSettlements() }),
  )
})

it('every stack was in the first run, as it is and with each of its faults', async () => {
  const first = await readRecord(firstRun)
  const runs = new Set(first?.outcomes.map(({ stack, fault, profile }) => `${stack} ${fault} ${profile}`))
  const expected = allStacks.flatMap((stack) =>
    [null, ...faultsOf(stack).map(({ name }) => name)].flatMap((fault) =>
      ['gate', 'acceptance'].map((profile) => `${stack.name} ${fault} ${profile}`),
    ),
  )

  expect(expected.filter((run) => !runs.has(run))).toEqual([])
})

describe('credentials', () => {
  const shapes = [
    /^ak_live_\w{28}$/,
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
    /^[\da-f]{32}$/,
    /^[\w-]{24}$/,
  ]

  it('have each of four shapes, and the same seed gives the same', () => {
    const keys = Array.from({ length: 60 }, (_, seed) => credentialsOf(String(seed)).permitted.apiKey)

    expect(keys.filter((key) => !shapes.some((shape) => shape.test(key)))).toEqual([])
    expect(shapes.filter((shape) => !keys.some((key) => shape.test(key)))).toEqual([])
    expect(credentialsOf('7')).toEqual(credentialsOf('7'))
  })

  it('are others for each client', () => {
    const all = Object.values(credentialsOf('7')).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])

    expect(new Set(all).size).toBe(12)
  })
})
