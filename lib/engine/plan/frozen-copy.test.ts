import { describe, expect, it } from 'vitest'
import { Secret } from '../../redact/secret.ts'
import { frozenCopy } from './frozen-copy.ts'

describe('a frozen copy', () => {
  it('holds the same, and can be changed in no depth; what was given can', () => {
    const given = { a: { b: [{ c: 1 }] }, none: null, text: 'd' }
    const copy = frozenCopy(given)

    expect(copy).toEqual(given)
    expect(() => Reflect.apply(Array.prototype.push, copy.a.b, [1])).toThrow(TypeError)
    expect([Reflect.set(copy.a.b[0] ?? {}, 'c', 2), Reflect.set(copy, 'more', 2)]).toEqual([false, false])
    given.a.b.push({ c: 2 })
    expect(copy.a.b).toEqual([{ c: 1 }])
  })

  it('keeps secrets and functions, and makes another map, whose values nobody can change', () => {
    const secret = new Secret('TARGET_API_KEY', 'ak')
    const given = { secret, call: () => 1, known: new Map([['a', { b: 1 }]]) }
    const { known, ...others } = frozenCopy(given)
    known.clear()

    expect([others.secret === secret, others.call === given.call, Object.isFrozen(secret)]).toEqual([
      true,
      true,
      true,
    ])
    expect(given.known).toEqual(new Map([['a', { b: 1 }]]))
    expect(Object.isFrozen(frozenCopy(given.known).get('a'))).toBe(true)
  })

  it('is copied no further, and keeps what is the same the same, in circles, too', () => {
    const part: Record<string, unknown> = {}
    part['self'] = part
    const copy = frozenCopy({ one: part, other: part })

    expect(copy.one).toBe(copy.other)
    expect(copy.one['self']).toBe(copy.one)
    expect(frozenCopy(copy)).toBe(copy)
    expect(frozenCopy({ copy }).copy).toBe(copy)
  })

  it('keeps a property named __proto__ and objects without a prototype', () => {
    const given: unknown = JSON.parse('{"__proto__": {"a": 1}}')
    const bare: object = Object.assign(Object.create(null), { b: 2 })

    expect(Object.entries(frozenCopy({ given, bare }).given ?? {})).toEqual([['__proto__', { a: 1 }]])
    expect(frozenCopy(bare)).toEqual(bare)
  })
})
