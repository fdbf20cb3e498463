import { describe, expect, test } from 'vitest'
import { blockSize, pack, readArchive, tarOf, tarTime } from './archive.ts'
import { bomb, member } from './bundle.testing.ts'
import { textFile } from './files.ts'

const files = [textFile('b', 'two'), textFile('allure-results/a', 'one')]
const tar = tarOf(files, { folder: 'top', seconds: 7 })

describe('an archive', () => {
  test('gives the files that were put into it, by their names in its folder', async () => {
    expect(await readArchive(pack(tar))).toEqual({
      kind: 'files',
      files: new Map([
        ['allure-results/a', Buffer.from('one')],
        ['b', Buffer.from('two')],
      ]),
      mistakes: [],
    })
  })

  test('has nobody as owner, the time that it was given, and nothing in its gzip header', () => {
    const header = tar.subarray(0, blockSize).toString('latin1')

    expect([...pack(tar).subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])
    expect(header.slice(100, 124).match(/[0-7]+/g)).toEqual(['000644', '000000', '000000'])
    expect(Number.parseInt(header.slice(136, 147), 8)).toBe(7)
  })

  test.each([
    ['2026-11-20T02:00:00.999Z', 1_795_140_000],
    ['1969-12-31T23:59:59Z', 0],
    ['2300-01-01T00:00:00Z', 0],
    ['never', 0],
  ])('takes %s for a time of a header: %i', (date, seconds) => {
    expect(tarTime(date)).toBe(seconds)
  })

  test('may be large in one file, and has names of more than a hundred characters', async () => {
    const long = textFile(`allure-results/${'a'.repeat(95)}`, 'x'.repeat(3_000_000))
    const read = await readArchive(
      pack(tarOf([long], { folder: 'evidence-2026-11-20-01234567', seconds: 0 })),
    )

    expect(read).toMatchObject({ kind: 'files', mistakes: [] })
    // Comparing arrays of this length takes half a minute.
    expect(read.kind === 'files' && read.files.get(long.name)?.equals(long.content)).toBe(true)
  })

  const end = Buffer.alloc(2 * blockSize)
  const [file, oversized] = [member({ path: 't/0' }, 'x'), member({ path: 't/0', size: 2 ** 33 - 1 })]
  const noSize = Buffer.from(file).fill(0xff, 125, 136)
  noSize.writeUInt8(0x80, 124)
  test.each([
    ['half an end', Buffer.concat([file, end.subarray(blockSize)]), 'is cut short behind "t/0"'],
    ['a file that reaches beyond it', Buffer.concat([file, oversized, end]), 'is cut short'],
    ['a header that is none', Buffer.concat([file, Buffer.alloc(blockSize, 'x'), end]), 'is damaged behind'],
    ['a size that no number holds', Buffer.concat([file, noSize, end]), 'is damaged behind "t/0"'],
  ])('is not read with %s', async (_, bytes, why) => {
    expect(await readArchive(pack(bytes))).toEqual({
      kind: 'damaged',
      why: expect.stringContaining(why),
    })
  })

  test('that is a bomb behind another archive is not unpacked', async () => {
    expect(await readArchive(Buffer.concat([pack(tar), bomb()]))).toEqual({
      kind: 'no archive',
      why: expect.stringContaining('unpacks to more than 256 MiB'),
    })
  })
})
