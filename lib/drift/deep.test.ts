import { describe, expect, it } from 'vitest'
import { deep } from './json.testing.ts'
import { treeOf } from './json-tree.ts'
import { readTree } from './read-tree.ts'
import { changedText, changeText, toleratedChanges } from './tolerated.ts'
import { writeTree } from './write-tree.ts'

// In a file of its own, since it takes seconds: mutation leaves it out.
describe('200,000 levels', () => {
  const text = deep(200_000)

  it('are read, made a tree of, and written', () => {
    expect(writeTree(readTree(text)) === text).toBe(true)
    expect(writeTree(treeOf(JSON.parse(text))) === text).toBe(true)
  })

  it.each(toleratedChanges)('are changed: $name', ({ name }) => {
    expect(changeText(text, [name], 1).text.length).toBeGreaterThan(500_000)
    expect(changedText(name, JSON.parse(text), 1).length).toBeGreaterThan(500_000)
  })
})
