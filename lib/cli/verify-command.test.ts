import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { pack } from '../report/evidence/archive.ts'
import { changed, member, preceded, tarIn, without } from '../report/evidence/bundle.testing.ts'
import { emptyFolder, makeKeys, runIn, sealedFrom } from './bundle.testing.ts'

const escaped = (folder: string) => member({ path: `${folder}escaped.txt` }, 'x')
const link = member({ path: 'index.html', type: 'SymbolicLink', linkpath: '/etc/passwd' })
const leaves = 'it leaves the folder into which the archive is unpacked'

describe('verify ends with 1, all that is wrong, and nothing unpacked:', () => {
  test.for<readonly [string, (archive: Buffer) => Buffer, string]>([
    ['a byte that was changed', (archive) => bent(archive), 'is damaged'],
    ['an archive that is cut short', (archive) => archive.subarray(0, -1_000), 'is cut short'],
    ['a zero behind it', (archive) => Buffer.concat([archive, Buffer.of(0)]), 'has something behind its end'],
    [
      'an archive of another program',
      (archive) => gzipSync(tarIn(archive)),
      'was packed again by another program',
    ],
    ['a changed file', (archive) => repacked(archive, 'NONCONFORMANT', 'CONFORMANT!!!'), '"README.txt"'],
    ['a name that leaves the folder', (archive) => preceded(archive, escaped('../')), leaves],
    ['an absolute name', (archive) => preceded(archive, escaped('/tmp/')), 'it is absolute'],
    ['a link', (archive) => preceded(archive, link), 'is a symbolic link'],
  ])('%s', async ([, change, says]) => {
    const cwd = await sealedFrom()
    const file = join(cwd, 'evidence.tar.gz')
    await writeFile(file, change(await readFile(file)))
    const { code, stdout, stderr } = await runIn(cwd, ['verify', 'evidence.tar.gz'])

    expect(stderr).toContain(`${file} cannot be trusted, for `)
    expect(stderr).toContain(says)
    expect(stdout).toBe('')
    expect(await readdir(cwd)).toEqual(['evidence.tar.gz', 'reports'])
    expect(code).toBe(1)
  })
})

describe('verify ends with 2 for what is no archive of ours, and says what it is:', () => {
  const tarOfReports = pack(
    Buffer.concat([member({ path: 'reports/verdict.json' }, '{}'), Buffer.alloc(1_024)]),
  )

  test.for<readonly [string, string | Buffer, string]>([
    ['nothing', '', 'it is empty'],
    ['a text', 'evidence', 'it is not a gzip archive'],
    ['a packed text', gzipSync('evidence'), 'it holds no whole tar archive'],
    ['a packed text in a header like ours', pack(Buffer.from('evidence')), 'it holds no whole tar archive'],
    ['a packed text that was cut short', gzipSync(randomBytes(5_000)).subarray(0, 2_000), 'it is cut short'],
    ['a packed text that was damaged', bent(gzipSync('a text '.repeat(5_000))), 'it is damaged'],
    ['a tar archive that nobody sealed', tarOfReports, 'it holds nothing that `bundle` sealed'],
    [
      'a manifest of another program',
      pack(Buffer.concat([member({ path: 'manifest.json' }, '[{"Config":"x"}]'), Buffer.alloc(1_024)])),
      'it holds nothing that `bundle` sealed',
    ],
    ['a packed tar archive without members', pack(Buffer.alloc(1_024)), 'it '],
    [
      'what unpacks to too much',
      gzipSync(Buffer.alloc(300 * 1024 * 1024)),
      'it unpacks to more than 256 MiB',
    ],
  ])('%s', async ([, content, says]) => {
    const cwd = await emptyFolder()
    await writeFile(join(cwd, 'evidence.tar.gz'), content)
    const { code, stdout, stderr } = await runIn(cwd, ['verify', 'evidence.tar.gz'])

    expect(stderr).toContain(`${join(cwd, 'evidence.tar.gz')} is no archive that \`bundle\` wrote: ${says}`)
    expect([code, stdout]).toEqual([2, ''])
  })
})

describe('verify ends with 1 for an archive of ours, whatever was done to it:', () => {
  test.for<readonly [string, (archive: Buffer) => Buffer]>([
    ['its last byte is missing', (archive) => archive.subarray(0, -1)],
    ['half of it is missing', (archive) => archive.subarray(0, archive.length >> 1)],
    ['all but its header is missing', (archive) => archive.subarray(0, 10)],
    ['its first byte was changed', (archive) => Buffer.concat([Buffer.of(0), archive.subarray(1)])],
    ['it was packed again, and cut short', (archive) => gzipSync(tarIn(archive)).subarray(0, -2_000)],
    [
      'zeros were added until it is too large',
      (archive) => gzipSync(Buffer.concat([tarIn(archive), Buffer.alloc(300 * 1024 * 1024)])),
    ],
    ['its tar archive is cut short', (archive) => pack(tarIn(archive).subarray(0, 3_000))],
    ['its statement was removed', (archive) => changed(archive, without('attestation.json'))],
    [
      'its statement and its manifest were removed',
      (archive) => changed(archive, without('attestation.json', 'manifest.json')),
    ],
    ['its folder was renamed', (archive) => repacked(archive, 'evidence-2026', 'evidence_2026')],
  ])('%s', async ([, change]) => {
    const cwd = await sealedFrom()
    const file = join(cwd, 'evidence.tar.gz')
    await writeFile(file, change(await readFile(file)))
    const { code, stdout, stderr } = await runIn(cwd, ['verify', 'evidence.tar.gz'])

    expect(stderr).toContain(`${file} cannot be trusted, for `)
    expect([code, stdout]).toEqual([1, ''])
  })
})

describe('verify ends with 2 where nothing could be checked:', () => {
  test.for<readonly [string, readonly string[], string]>([
    ['a missing archive', ['missing.tar.gz'], 'cannot be checked: there is no such file'],
    ['a folder', ['reports'], 'cannot be checked: it is a folder'],
    ['a device', ['/dev/zero'], 'cannot be checked: it is no plain file'],
    ['a missing key', ['evidence.tar.gz', '--key', 'missing.pem'], 'missing.pem cannot be read'],
    ['a key that is none', ['evidence.tar.gz', '--key', 'evidence.tar.gz'], 'holds no key in PEM'],
    ['a private key', ['evidence.tar.gz', '--key', 'key.pem'], 'key.pem holds a private key'],
    ['a key without a name', ['evidence.tar.gz', '--key', ''], 'cannot be read'],
  ])('%s', async ([, args, says]) => {
    const cwd = await sealedFrom()
    makeKeys(cwd)
    const { code, stdout, stderr } = await runIn(cwd, ['verify', ...args])

    expect(stderr).toContain(says)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })
})

/** One bit within the packed bytes is turned over. */
function bent(archive: Buffer): Buffer {
  const copy = Buffer.from(archive)
  const at = copy.length >> 1
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

function repacked(archive: Buffer, from: string, to: string): Buffer {
  return pack(Buffer.from(tarIn(archive).toString('latin1').replace(from, to), 'latin1'))
}
