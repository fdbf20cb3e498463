import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { packed, unpackedFile, type Unpacked } from './gzip.ts'
import { mostBytes } from './layout.ts'

const content = Buffer.from('what was sealed '.repeat(50_000))
const archive = packed(content)

async function unpackedOf(bytes: Buffer): Promise<Unpacked> {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'archive.tar.gz')
  await writeFile(file, bytes)
  return unpackedFile(file)
}

describe('unpacking', () => {
  test('gives what was packed', async () => {
    const { bytes, wrong } = await unpackedOf(archive)

    expect(wrong).toBeNull()
    expect(bytes.equals(content)).toBe(true)
  })

  test.each([
    ['of nothing: it is empty', Buffer.alloc(0), 'is empty'],
    ['of something else', Buffer.from('PK\u0003\u0004 is not gzip'), 'is not a gzip archive'],
    ['of what another program packed', gzipSync(content), 'packed again by another program'],
    ['of what is cut short', archive.subarray(0, -100), 'is cut short'],
    ['of what is cut within its last bytes', archive.subarray(0, -1), 'is cut short'],
    ['of a header alone', archive.subarray(0, 10), 'is cut short'],
    ['with more behind it', Buffer.concat([archive, Buffer.from('more')]), 'is damaged'],
    ['with zeros behind it', Buffer.concat([archive, Buffer.alloc(4)]), 'something behind its end'],
  ])('%s', async (_, bytes, says) => {
    expect((await unpackedOf(bytes)).wrong).toContain(says)
  })

  test('of a checksum that does not fit still gives what could be read', async () => {
    const bent = Buffer.from(archive)
    bent.writeUInt8(bent.readUInt8(bent.length - 6) ^ 1, bent.length - 6)
    const { bytes, wrong } = await unpackedOf(bent)

    expect(wrong).toContain('is damaged')
    expect(bytes.length).toBeGreaterThan(0)
  })

  test('of one archive behind another gives both, of which the reader of the tar archive has to judge', async () => {
    const { bytes } = await unpackedOf(Buffer.concat([archive, archive]))

    expect(bytes.length).toBe(2 * content.length)
  })

  test('of a bomb ends at the limit, and gives nothing', async () => {
    const part = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const { bytes, wrong } = await unpackedOf(Buffer.concat(Array.from({ length: 200 }, () => part)))

    expect(mostBytes).toBeLessThan(200 * 64 * 1024 * 1024)
    expect(wrong).toContain('unpacks to more than 256 MiB')
    expect(bytes.length).toBe(0)
  })

  test('of no file fails as the file system does', async () => {
    await expect(unpackedFile(join(tmpdir(), 'there is no such file'))).rejects.toThrow('ENOENT')
    await expect(unpackedFile(tmpdir())).rejects.toThrow('EISDIR')
  })
})
