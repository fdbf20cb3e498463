import { describe, expect, it } from 'vitest'
import { common, differences, linesIn, textOf, type GoldenLine } from './golden-line.ts'

const line: GoldenLine = {
  of: 'fault a',
  exit: '1',
  rules: 'failed: x/y 12ab',
  requests: '325 abcdef012345',
  bytes: '0123456789ab',
}

describe('a golden line', () => {
  it('is read from the file as it was written', () => {
    const other = { ...line, of: 'stack b', rules: '' }

    expect([...linesIn(textOf([line, other])).values()]).toEqual([line, other])
  })

  it('reports each field that differs in a run', () => {
    expect(differences(line, { ...line, exit: '0', rules: '' })).toEqual([
      'fault a: exit: 1 → 0',
      'fault a: rules: failed: x/y 12ab → ',
    ])
    expect(differences(line, line)).toEqual([])
  })

  it('ignores fields that differ between identical runs', () => {
    const kept = common(line, { ...line, bytes: 'ffffffffffff' })

    expect(kept).toEqual({ ...line, bytes: '~' })
    expect(differences(kept, { ...line, bytes: 'eeeeeeeeeeee' })).toEqual([])
    expect(differences(kept, { ...line, requests: '326 x' })).toHaveLength(1)
  })
})
