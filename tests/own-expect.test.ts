import { describe, expect, it } from 'vitest'

describe('a test', () => {
  it.fails('must assert', () => {})

  it.fails('must call the callback that asserts', () => {
    for (const one of []) expect(one).toBe(1)
  })
})

describe.concurrent('a test that runs beside others', () => {
  it.fails('must not assert by the global expect', () => {
    expect(1).toBe(1)
  })

  it('asserts by the expect of its context', ({ expect: own }) => {
    own(1).toBe(1)
  })
})
