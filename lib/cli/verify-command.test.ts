import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { pack } from '../report/evidence/archive.ts'
import { member, preceded, tarIn } from '../report/evidence/bundle.testing.ts'
import { runIn, sealedFrom } from './bundle.testing.ts'

const escaped = (folder: string) => member({ path: `${folder}escaped.txt` }, 'x')
const link = member({ path: 'index.html', type: 'SymbolicLink', linkpath: '/etc/passwd' })
const leaves = 'it leaves the folder into which the archive is unpacked'

describe('verify ends with 1, all that is wrong, and nothing unpacked:', () => {
  test.for<readonly [string, (archive: Buffer) => Buffer, string]>([
    ['a byte that was changed', (archive) => bent(archive), 'is damaged'],
    ['an archive that is cut short', (archive) => archive.subarray(0, -1_000), 'is cut short'],
    ['a zero behind it', (archive) => Buffer.concat([archive, Buffer.of(0)]), 'has something behind its end'],
    ['what is no archive', () => Buffer.from('evidence'), 'is not a gzip archive'],
    ['nothing', () => Buffer.alloc(0), 'is empty'],
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

describe('verify ends with 2 where nothing could be checked:', () => {
  test.for<readonly [string, readonly string[], string]>([
    ['a missing archive', ['missing.tar.gz'], 'cannot be read: ENOENT'],
    ['a folder', ['reports'], 'cannot be read: EISDIR'],
    ['a missing key', ['evidence.tar.gz', '--key', 'missing.pem'], 'missing.pem cannot be read'],
    ['a key that is none', ['evidence.tar.gz', '--key', 'evidence.tar.gz'], 'holds no key in PEM'],
    ['a key without a name', ['evidence.tar.gz', '--key', ''], 'cannot be read'],
  ])('%s', async ([, args, says]) => {
    const { code, stdout, stderr } = await runIn(await sealedFrom(), ['verify', ...args])

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
