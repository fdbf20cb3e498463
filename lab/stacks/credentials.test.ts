import { expect, it } from 'vitest'
import { credentialsOf } from './credentials.ts'

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const shapes = [/^ak_live_\w{28}$/, uuid, /^[\da-f]{32}$/, /^[\w-]{24}$/]

it('credentials come in all four shapes, are the same for the same seed, and differ between clients', () => {
  const keys = Array.from({ length: 60 }, (_, seed) => credentialsOf(String(seed)).permitted.apiKey)
  const all = Object.values(credentialsOf('7')).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])

  expect(keys.filter((key) => !shapes.some((shape) => shape.test(key)))).toEqual([])
  expect(shapes.filter((shape) => !keys.some((key) => shape.test(key)))).toEqual([])
  expect(credentialsOf('7')).toEqual(credentialsOf('7'))
  expect(new Set(all).size).toBe(12)
})
