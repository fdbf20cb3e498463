import { describe, expect, it } from 'vitest'
import { credentialsOf } from './credentials.ts'

describe('credentials', () => {
  const shapes = [
    /^ak_live_\w{28}$/,
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
    /^[\da-f]{32}$/,
    /^[\w-]{24}$/,
  ]

  it('come in all four shapes, and are the same for the same seed', () => {
    const keys = Array.from({ length: 60 }, (_, seed) => credentialsOf(String(seed)).permitted.apiKey)

    expect(keys.filter((key) => !shapes.some((shape) => shape.test(key)))).toEqual([])
    expect(shapes.filter((shape) => !keys.some((key) => shape.test(key)))).toEqual([])
    expect(credentialsOf('7')).toEqual(credentialsOf('7'))
  })

  it('differ between clients', () => {
    const all = Object.values(credentialsOf('7')).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])

    expect(new Set(all).size).toBe(12)
  })
})
