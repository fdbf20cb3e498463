import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { shownPath, withoutFolder } from './shown-path.ts'
import { temporaryFolder } from './testing/read.ts'
import { readBounded, sizeLimits } from './user-file.ts'

const folder = temporaryFolder({ four: 'abcd', empty: '' })
const four = join(folder, 'four')
const pipe = join(folder, 'pipe')
execFileSync('mkfifo', [pipe])

describe('reading a file with a size limit', () => {
  test('returns every byte up to the limit', async () => {
    const large = join(folder, 'large')
    const bytes = Buffer.alloc(700_000, 'x')
    writeFileSync(large, bytes)

    expect((await readBounded(four, 4)).toString()).toBe('abcd')
    expect((await readBounded(join(folder, 'empty'), 4)).length).toBe(0)
    expect((await readBounded(large, 700_000)).equals(bytes)).toBe(true)
  })

  test.each([
    [3, '0.0029296875 KiB'],
    [sizeLimits.lines, '256 KiB'],
    [sizeLimits.list, '8 MiB'],
    [sizeLimits.certificates, '4 MiB'],
  ])('fails above a limit of %i bytes', async (most, size) => {
    const large = join(folder, 'larger')
    writeFileSync(large, Buffer.alloc(most + 1))

    await expect(readBounded(large, most)).rejects.toThrow(`larger than ${size}, the maximum for`)
  })

  test('fails above the limit even if the file reports no size', async () => {
    await expect(readBounded('/proc/self/maps', 10)).rejects.toThrow('larger than')
  })

  test('fails on a pipe, a device or a socket instead of blocking', async () => {
    const socket = join(folder, 'socket')
    const server = createServer().listen(socket)
    onTestFinished(() => void server.close())

    await expect(readBounded(pipe, 4)).rejects.toThrow('a pipe or a device')
    await expect(readBounded('/dev/zero', 4)).rejects.toThrow('a pipe or a device')
    await expect(readBounded(socket, 4)).rejects.toThrow('ENXIO')
  })

  test('reports the file system error for a folder or a missing file', async () => {
    await expect(readBounded(folder, 4)).rejects.toMatchObject({ code: 'EISDIR' })
    await expect(readBounded(`${four}.not`, 4)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

test.each([
  ['/home/ann/cards/ca.pem', 'ca.pem'],
  ['keys/ca.pem', 'keys/ca.pem'],
  ['/home/ann/cards/keys/../ca.pem', 'ca.pem'],
  ['/home/ann/keys/ca.pem', '…/ca.pem'],
  ['../ca.pem', '…/ca.pem'],
  ['/etc/ssl/certs', '…/certs'],
])('in the working folder /home/ann/cards, the path %s is shown as %s', (file, shown) => {
  expect(shownPath(file, '/home/ann/cards')).toBe(shown)
})

test('the path of the working folder is removed everywhere in a text', () => {
  expect(withoutFolder('/x/reports: no; in /x', '/x')).toBe('reports: no; in .')
  expect(withoutFolder('/reports', '/')).toBe('/reports')
})
