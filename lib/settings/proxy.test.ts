import { expect, test } from 'vitest'

import { passwordsIn, secretsIn } from './connection-settings.ts'
import { issuesOf, read, settingsOf, target } from './testing/read.ts'

test.each(['http://proxy.example:3128', 'https://proxy.example', 'http://me:pr0xypass@proxy.example:3128'])(
  '%s is a proxy',
  async (HTTPS_PROXY) => {
    expect(settingsOf(await read({ ...target, HTTPS_PROXY })).run.httpsProxy).toBe(HTTPS_PROXY)
  },
)

test.each([
  'me:pr0xypass@proxy.example:3128',
  'socks5://me:pr0xypass@proxy.example',
  'http://me:pr0xypass@proxy.example:99999',
  'http://me:pr0xypass@',
  'http:///pr0xypass@x',
])('%s is none, and its password is shown nowhere', async (HTTPS_PROXY) => {
  const result = await read({ ...target, HTTPS_PROXY, TARGET_LABEL: 'pr0xypass', RUN_SEED: 'pr0xypass' })

  expect(issuesOf(result).map(({ setting }) => setting)).toEqual(['RUN_SEED', 'HTTPS_PROXY', 'TARGET_LABEL'])
  expect(JSON.stringify(result)).not.toContain('pr0xypass')
})

test('secrets of a proxy are found as written and decoded', () => {
  expect(secretsIn('http://me:p%40ss@proxy.example')).toEqual([
    'me:p%40ss',
    'me:p@ss',
    'me',
    'p%40ss',
    'p@ss',
  ])
  expect(secretsIn('http://proxy.example')).toEqual([])
  expect(passwordsIn('http://me:p%40ss@proxy.example')).toEqual(['p%40ss', 'p@ss'])
  expect(passwordsIn('http://t0ken@proxy.example')).toEqual(['t0ken'])
  expect(passwordsIn('http://proxy.example')).toEqual([])
})
