import { describe, expect, test } from 'vitest'
import { kindsTable } from '../lab/judge/sinks/page.ts'
import { targets } from '../lab/targets/all-targets.ts'
import { textOf } from './support/syntax.ts'

describe('the targets that are no service to be judged, or mean harm', () => {
  test('are many, each with a name of its own', () => {
    const names = targets.map(({ name }) => name)

    expect(names.length).toBeGreaterThanOrEqual(26)
    expect(names).toEqual([...new Set(names)])
    expect(names.filter((name) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name))).toEqual([])
  })

  test('say why in every case, and blame a rule where the exit is 1 and nobody where it is 3', () => {
    expect(targets.filter(({ says }) => says.length === 0)).toEqual([])
    expect(targets.filter(({ exit, rules }) => (exit === 1) === (rules.length === 0))).toEqual([])
    expect(targets.filter(({ kind, exit }) => kind === 'cannot be judged' && exit !== 3)).toEqual([])
  })
})

test('docs/proof.md counts the subjects that there are', () => {
  expect(textOf('docs/proof.md')).toContain(kindsTable())
})
