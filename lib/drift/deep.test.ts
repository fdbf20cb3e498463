import { describe, expect, it } from 'vitest'
import { readTree, writeTree } from '../text/json-tree.ts'
import { deep } from './json.testing.ts'
import { changeText, toleratedChanges } from './tolerated.ts'

// In a separate file because it takes seconds: mutation testing skips it.
describe('JSON with 50,000 levels', () => {
  const text = deep(50_000)

  it.each(toleratedChanges)('is changed by $name', ({ name }) => {
    expect(changeText(text, [name], 1).text.length).toBeGreaterThan(125_000)
  })

  it('and JSON strings with millions of escapes can be read and written', () => {
    const long = `["${String.raw`\"`.repeat(2_000_000)}","${'x'.repeat(4_000_000)}"]`

    expect(writeTree(readTree(long)) === long).toBe(true)
  })
})
