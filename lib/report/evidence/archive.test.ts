import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { blockSize, maxMembers, pack, readTar, tarOf, unpack } from './archive.ts'
import { member } from './bundle.testing.ts'
import { textFile } from './files.ts'

const content = Buffer.from('what was sealed '.repeat(50_000))
const archive = pack(content)

/** One gzip member that unpacks to 16 GiB. */
function bomb(): Buffer {
  const part = deflateRawSync(Buffer.alloc(64 * 1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([archive.subarray(0, 10), ...Array.from({ length: 256 }, () => part)])
}

/** An archive with one byte changed, counted from its end. */
function bent(fromEnd: number): Buffer {
  const copy = Buffer.from(archive)
  const at = copy.length - fromEnd
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

describe('unpacking', () => {
  test('gives what was packed', async () => {
    expect(await unpack(archive)).toEqual({ kind: 'tar', tar: content, wrong: null })
  })

  test.each([
    ['a zero behind it', Buffer.concat([archive, Buffer.alloc(1)]), 'has something behind its end'],
    ['text behind it', Buffer.concat([archive, Buffer.from('more')]), 'has something behind its end'],
    [
      'an empty member behind it',
      Buffer.concat([archive, pack(Buffer.of())]),
      'has something behind its end',
    ],
    ['itself behind it', Buffer.concat([archive, archive]), 'has something behind its end'],
    ['another checksum', bent(6), 'is damaged'],
    ['another length', bent(1), 'is damaged'],
    ['half a checksum', archive.subarray(0, -6), 'is cut short'],
    ['the header of another program', gzipSync(content), 'was packed again by another program'],
  ])('gives the contents with %s, and says so', async (_, bytes, says) => {
    const unpacked = await unpack(bytes)

    expect(unpacked).toMatchObject({ kind: 'tar', wrong: expect.stringContaining(says) })
    expect(unpacked.kind === 'tar' && unpacked.tar.equals(content)).toBe(true)
  })

  test.each([
    ['nothing', () => Buffer.alloc(0), 'is empty'],
    ['something else', () => Buffer.from('PK\u0003\u0004 is not gzip'), 'is not a gzip archive'],
    ['half a header', () => archive.subarray(0, 5), 'is cut short'],
    ['a header alone', () => archive.subarray(0, 10), 'is cut short'],
    ['a part of what was packed', () => archive.subarray(0, -100), 'is cut short'],
    ['a part of what another program packed', () => gzipSync(content).subarray(0, -100), 'is cut short'],
    ['what does not fit together', () => Buffer.from(archive).fill(0xff, 10), 'is damaged'],
    ['a bomb', bomb, 'unpacks to more than 256 MiB'],
    ['a bomb of another program', () => Buffer.concat([gzipSync(content), bomb()]), 'unpacks to more than'],
  ])('gives nothing of %s', async (_, bytes, why) => {
    expect(await unpack(bytes())).toEqual({ kind: 'unreadable', why: expect.stringContaining(why) })
  })
})

describe('a tar archive', () => {
  const tar = tarOf([textFile('b', 'two'), textFile('a', 'one')], { folder: 'top', seconds: 7 })

  test('holds the files by their names', () => {
    expect(readTar(tar ?? Buffer.of())).toEqual({
      kind: 'members',
      members: [
        { path: 'top/a', type: 'File', content: Buffer.from('one') },
        { path: 'top/b', type: 'File', content: Buffer.from('two') },
      ],
    })
  })

  test('is none where a name does not fit into a header', () => {
    expect(tarOf([textFile('a'.repeat(300), '')], { folder: 'top', seconds: 7 })).toBeNull()
  })

  const end = Buffer.alloc(2 * blockSize)
  const [file, oversized] = [member({ path: '0.json' }, 'x'), member({ path: '0.json', size: 2 ** 33 - 1 })]
  const noSize = Buffer.from(file).fill(0xff, 125, 136)
  noSize.writeUInt8(0x80, 124)
  test.each([
    ['nothing', Buffer.alloc(0), 'is cut short'],
    ['less than a block', Buffer.alloc(100), 'is cut short'],
    ['no end', file, 'is cut short behind "0.json"'],
    ['half an end', Buffer.concat([file, end.subarray(blockSize)]), 'is cut short behind "0.json"'],
    ['a file that reaches beyond it', Buffer.concat([file, oversized, end]), 'is cut short'],
    ['a size that no number holds', Buffer.concat([noSize, end]), 'is damaged'],
    [
      'a header that is none',
      Buffer.concat([file, Buffer.alloc(blockSize, 'x'), end]),
      'is damaged behind "0.json"',
    ],
    ['a path that is empty', Buffer.concat([member({ path: '' }), end]), 'is damaged'],
    ['a link that leads nowhere', Buffer.concat([member({ path: 'a', type: 'Link' }), end]), 'is damaged'],
    ['an archive packed once more', gzipSync(Buffer.concat([file, end])), 'is damaged'],
    ['a bomb packed once more', gzipSync(Buffer.alloc(64 * 1024 * 1024)), 'is damaged'],
    ['Zstandard', Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd), Buffer.alloc(2_000)]), 'is damaged'],
  ])('cannot be read with %s', (_, bytes, why) => {
    expect(readTar(bytes)).toEqual({ kind: 'unreadable', why: expect.stringContaining(why) })
  })

  test('stops reading members beyond a bound', () => {
    const one = member({ path: 'x' })
    const many = Buffer.concat(Array.from({ length: maxMembers + 1 }, () => one))

    expect(readTar(many)).toEqual({ kind: 'unreadable', why: `holds more than ${maxMembers} files` })
  })
})
