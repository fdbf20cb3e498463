import { expect, test } from 'vitest'
import { urlOf } from './url.ts'

test.each([
  ['https://a.example/b', undefined, 'https://a.example/b'],
  ['/c', 'https://a.example/b', 'https://a.example/c'],
  ['/c', undefined, null],
  ['https://a b', undefined, null],
  // Often enough for the function to be compiled.
  ['https://bücher.example', undefined, 'https://xn--bcher-kva.example/'],
  ['/ü', 'https://a.example', 'https://a.example/%C3%BC'],
])('%s is read from %s as %s, however often', (text, base, href) => {
  const read = new Set(Array.from({ length: 20_000 }, () => urlOf(text, base)?.href ?? null))

  expect([...read]).toEqual([href])
})
