import { describe, expect, it } from 'vitest'
import { deep } from './json.testing.ts'
import { readTree, writeTree } from '../text/json-tree.ts'
import { changeText, toleratedChanges } from './tolerated.ts'

// In a file of its own, since it takes seconds: mutation leaves it out.
describe('50,000 levels', () => {
  const text = deep(50_000)

  it.each(toleratedChanges)('are changed: $name', ({ name }) => {
    expect(changeText(text, [name], 1).text.length).toBeGreaterThan(125_000)
  })

  it('and strings of millions of escapes are read and written', () => {
    const long = `["${String.raw`\"`.repeat(2_000_000)}","${'x'.repeat(4_000_000)}"]`

    expect(writeTree(readTree(long)) === long).toBe(true)
  })
})
