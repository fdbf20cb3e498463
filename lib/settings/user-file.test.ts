import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from './testing/read.ts'
import { readBounded, shownPath, sizeLimits, withoutFolder } from './user-file.ts'

const large = Buffer.alloc(700_000, 'x')
const folder = temporaryFolder({ four: 'abcd', empty: '', large })
const at = (name: string): string => join(folder, name)
execFileSync('mkfifo', [at('pipe')])
const server = createServer().listen(at('socket'))
afterAll(() => void server.close())

test('a file is read with every byte up to the limit', async () => {
  expect((await readBounded(at('four'), 4)).toString()).toBe('abcd')
  expect((await readBounded(at('empty'), 4)).length).toBe(0)
  expect((await readBounded(at('large'), 700_000)).equals(large)).toBe(true)
})

test.each([
  [3, '0.0029296875 KiB'],
  [sizeLimits.lines, '256 KiB'],
  [sizeLimits.list, '8 MiB'],
  [sizeLimits.certificates, '4 MiB'],
])('reading a file fails above a limit of %i bytes', async (most, size) => {
  const file = at('larger')
  writeFileSync(file, Buffer.alloc(most + 1))

  await expect(readBounded(file, most)).rejects.toThrow(`larger than ${size}, the maximum for`)
})

test.each([
  ['a larger file that reports no size', '/proc/self/maps', 'larger than'],
  ['a pipe', at('pipe'), 'a pipe or a device'],
  ['a device', '/dev/zero', 'a pipe or a device'],
  ['a socket', at('socket'), 'ENXIO'],
  ['a folder', folder, 'EISDIR'],
  ['a missing file', at('none'), 'ENOENT'],
])('reading %s fails instead of blocking', async (_, path, says) => {
  await expect(readBounded(path, 10)).rejects.toThrow(says)
})

test.each([
  ['/home/ann/cards/ca.pem', 'ca.pem'],
  ['/home/ann/cards/keys/../ca.pem', 'ca.pem'],
  ['/home/ann/keys/ca.pem', '…/ca.pem'],
  ['../ca.pem', '…/ca.pem'],
])('in the working folder /home/ann/cards, the path %s is shown as %s', (file, shown) => {
  expect(shownPath(file, '/home/ann/cards')).toBe(shown)
})

test('the path of the working folder is removed everywhere in a text', () => {
  expect(withoutFolder('/x/reports: no; in /x', '/x')).toBe('reports: no; in .')
  expect(withoutFolder('/reports', '/')).toBe('/reports')
})
