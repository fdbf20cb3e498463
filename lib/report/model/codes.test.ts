import { expect, it } from 'vitest'
import { withCodeNames } from './codes.ts'

it.each([
  [
    'answered 401 / 1006 where 400 / 1001 is documented',
    'answered 401 / 1006 (invalid api key) where 400 / 1001 (api key header is missing) is documented',
  ],
  ['is refused with 429 and 1020', 'is refused with 429 and 1020 (daily quota limit exceeded)'],
  ['400 / 1001, then 400 / 1001', '400 / 1001 (api key header is missing), then 400 / 1001'],
  ['400 / 1001 (api key header is missing)', '400 / 1001 (api key header is missing)'],
  ['400 / 1006 and 400 / 1999', '400 / 1006 and 400 / 1999'],
])('code names are added where they are missing in %j', (text, named) => {
  expect(withCodeNames(text)).toBe(named)
})
