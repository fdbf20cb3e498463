import * as fc from 'fast-check'
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readVerdictBytes } from '../../verdict/read-verdict.ts'
import { verdictFormat } from '../../verdict/verdict.ts'
import { blockSize, pack, tarOf, tarTime, unpack } from './archive.ts'
import {
  archiveOf,
  changed,
  checkOf,
  filesIn,
  keyPair,
  member,
  mistakesOf,
  preceded,
  resealed,
  rewritten,
  sealInput,
  smallVerdict,
  suite,
  tarIn,
  without,
} from './bundle.testing.ts'
import { textFile } from './files.ts'
import { placementOf } from './seal.ts'

const archive = archiveOf()
const tar = tarIn(archive)
const { privateKey, publicKey } = keyPair()
const signed = archiveOf(sealInput(undefined, { key: privateKey }))
const folder = tar.toString('latin1', 0, tar.indexOf('/') + 1)
const otherwise = expect.stringMatching(/^the archive is not packed as `bundle` packs it, from byte \d+ on: /)

describe('an archive as it was sealed', () => {
  it('is sound', async () => {
    expect(await checkOf(archive)).toMatchObject({ kind: 'sound', signer: null, madeBy: suite, files: 13 })
    expect(await checkOf(signed, { key: publicKey })).toMatchObject({ kind: 'sound', files: 14 })
  })

  it('is sound where another version made it, whatever its pages say', async () => {
    const older = resealed(archive, (files) =>
      rewritten(
        'README.txt',
        (text) => `An older wording.\n${text}`,
      )(rewritten('versions.json', (text) => text.replaceAll('"0.1.0"', '"0.0.9"'))(files)),
    )

    expect(await checkOf(older)).toMatchObject({ kind: 'sound', madeBy: '0.0.9' })
  })

  it('is sound in whatever way its bytes are compressed, since versions of Node differ', async () => {
    const other = gzipSync(tar, { level: 1 })
    archive.copy(other, 0, 0, 10)

    expect(other.equals(archive)).toBe(false)
    expect(await checkOf(other)).toMatchObject({ kind: 'sound' })
  })
})

describe('an archive that was sealed once, on Node 20', () => {
  const at = (name: string): Buffer => readFileSync(new URL(`./testing/${name}`, import.meta.url))
  const sealed = at('sealed-example.tar.gz')
  const key = createPublicKey(at('sealed-example.pem'))

  it('is sound on every Node, and by every version of the suite that reads its format', async () => {
    expect(await checkOf(sealed, { key })).toMatchObject({
      kind: 'sound',
      madeBy: '0.0.9',
      signer: { trusted: true },
      validUntil: '2027-11-20T02:00:00.000Z',
      manifest: '37086774e57bc7f18162633f9c110d8e3a80d37bfe110fa81f2c6c517663d132',
    })
  })

  it('gives the same tar archive again', () => {
    const files = [...filesIn(sealed)].map(([name, content]) => ({ name, content }))
    const verdictBytes = filesIn(sealed).get('verdict.json') ?? Buffer.of()
    const verdict = readVerdictBytes(verdictBytes)
    const again = verdict.kind === 'value' ? tarOf(files, placementOf(verdict.value, verdictBytes)) : null

    expect(again?.equals(tarIn(sealed))).toBe(true)
  })
})

describe('no change is accepted, and none makes the check fail:', () => {
  /** Whatever was done to an archive, it is refused unless it unpacks to the same bytes. */
  async function expectRefusal(bent: Buffer): Promise<void> {
    const { kind } = await checkOf(bent)
    const unpacked = await unpack(bent)
    const isSame = unpacked.kind === 'tar' && unpacked.tar.equals(tarIn(signed))
    expect(kind !== 'sound' || isSame).toBe(true)
  }

  it.each([
    ['bytes of the archive', signed, (bent: Buffer) => bent],
    ['bytes of what is packed', tarIn(signed), pack],
  ])('of %s', async (_, whole, archived) => {
    const place = fc.integer({ min: 0, max: whole.length - 1 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 3 }),
        async (flips) => {
          const bent = Buffer.from(whole)
          for (const [at, mask] of flips) bent.writeUInt8(bent.readUInt8(at) ^ mask, at)
          await expectRefusal(archived(bent))
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([
    ['the archive', signed, (bent: Buffer) => bent],
    ['what is packed', tarIn(signed), pack],
  ])('of the length of %s', async (_, whole, archived) => {
    const more = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 2_000 }),
      fc.constant(archive),
      fc.constant(Buffer.alloc(1)),
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length - 1 }), more, async (length, bytes) => {
        expect(await mistakesOf(archived(whole.subarray(0, length)))).not.toEqual([])
        expect(await mistakesOf(archived(Buffer.concat([whole, bytes])))).not.toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})

describe('files that were changed are told first, each once:', () => {
  it('by their length or their checksum', async () => {
    const longer = rewritten('summary.md', (text) => `${text} `)
    const other = rewritten('junit.xml', (text) => text.replace('failure', 'fallure'))

    expect(await mistakesOf(changed(archive, (files) => longer(other(files))))).toEqual([
      '"junit.xml" was changed: its SHA-256 is not the one that was sealed',
      expect.stringMatching(/^"summary\.md" was changed: it has \d+ bytes where \d+ were sealed$/),
    ])
  })

  it('missing and further ones', async () => {
    const bent = changed(archive, (files) => [
      ...without('index.html')(files),
      textFile('notes.txt', 'hello'),
    ])

    expect(await mistakesOf(bent)).toEqual([
      '"index.html" is missing',
      '"notes.txt" is extra: manifest.json does not list it',
    ])
  })

  it('before the signature and the packing, also where another program packed all of it again', async () => {
    const bent = tarIn(
      changed(
        signed,
        rewritten('summary.md', () => 'All is well.'),
      ),
    )
    const folders = [
      member({ path: folder, type: 'Directory' }),
      member({ path: `${folder}exchanges/`, type: 'Directory' }),
    ]
    const repacked = gzipSync(Buffer.concat([...folders, bent]))

    expect(await mistakesOf(repacked, { key: keyPair().publicKey })).toEqual([
      expect.stringMatching(/^"summary\.md" was changed/),
      expect.stringContaining('the archive was signed with another key'),
      expect.stringContaining('does not fit the statement and the key that you gave'),
      expect.stringContaining('the archive was packed again by another program'),
    ])
  })

  it('a manifest that is missing, was changed, or is of another format', async () => {
    const bent = (change: (text: string) => string) =>
      mistakesOf(changed(archive, rewritten('manifest.json', change)))

    expect(await mistakesOf(changed(archive, without('manifest.json')))).toEqual([
      '"manifest.json" is missing',
    ])
    for (const change of [
      (text: string) => text.replace('  ', '\t '),
      (text: string) => text.slice(0, -10),
      (text: string) => text.replace('"size"', '"bulk"'),
      (text: string) => text.replace('"files": [', '"files": [ null,'),
      (text: string) => text.replace('"format"', '"formal"'),
    ]) {
      expect(await bent(change)).toEqual(['"manifest.json" was changed: it is not as `bundle` writes one'])
    }
  })

  it('another format, with the version of the suite that reads it', async () => {
    const other = changed(archive, (files) =>
      rewritten('manifest.json', (text) => text.replace('bundle/3', 'bundle/4'))(
        rewritten('versions.json', (text) => text.replaceAll('"0.1.0"', '"0.0.9"'))(
          without('attestation.json')(files),
        ),
      ),
    )

    expect(await mistakesOf(other, { key: publicKey })).toEqual([
      '"manifest.json" is of the format "card-switch-conformance/bundle/4", and this program reads card-switch-conformance/bundle/3: use the version of the suite that made it (0.0.9)',
    ])
  })
})

describe('an archive that somebody made who knows how', () => {
  it.each([
    ['is of the format', (text: string) => text.replace(verdictFormat, 'card-switch-conformance/verdict/2')],
    ['is not JSON', () => 'nonsense'],
    ['names no format', () => '{}'],
    ['does not fit the format', (text: string) => text.replace('"gate"', '"gates"')],
    [
      'does not fit the format .*/findings/0/exchange must have',
      (text: string) => text.replace(/"exchange": \{[^]*?"curl"/, '"exchange": {}, "curl"'),
    ],
  ])('does not hold a verdict that %s', async (says, change) => {
    expect(await mistakesOf(resealed(archive, rewritten('verdict.json', change)))).toContainEqual(
      expect.stringMatching(new RegExp(`^"verdict.json" .*${says}`)),
    )
  })

  it.each(['README.txt', 'index.html', 'junit.xml', 'summary.md', 'settings.json'])(
    'does not hold a %s that says something else than its verdict',
    async (name) => {
      const bent = resealed(
        archive,
        rewritten(name, (text) => text.replace(/nonconformant|staging/i, 'conformant')),
      )

      expect(await mistakesOf(bent)).toEqual([`"${name}" does not say what "verdict.json" says`])
    },
  )

  it.each([
    ['summary.md', '"summary.md" is missing'],
    [
      'exchanges/authentication/api-key-missing/1',
      '"exchanges/authentication/api-key-missing/1.json" is missing',
    ],
  ])('does not lack %s, whichever version made it', async (name, says) => {
    const bent = resealed(archive, (files) =>
      rewritten('versions.json', (text) => text.replaceAll('"0.1.0"', '"0.0.9"'))(without(name)(files)),
    )

    expect(await mistakesOf(bent)).toEqual([says])
  })

  it.each(['history.jsonl', '.env', 'allure-results/notes.txt', 'exchanges/other/1.json', 'Verdict.json'])(
    'does not hold %s',
    async (name) => {
      const bent = resealed(archive, (files) => [...files, textFile(name, 'x')])

      expect(await mistakesOf(bent)).toEqual([`"${name}" does not belong into an archive of this verdict`])
    },
  )

  it('does not hide who made it', async () => {
    const nobody = rewritten('versions.json', (text) => text.replaceAll('"suite"', '"sweet"'))

    expect(await mistakesOf(resealed(archive, without('versions.json')))).toEqual([
      '"versions.json" is missing',
    ])
    expect(await mistakesOf(resealed(archive, nobody))).toEqual([
      '"versions.json" does not say which version made the archive',
    ])
  })
})

describe('a member is refused that', () => {
  it.each([
    ['/etc/passwd', 'it is absolute'],
    ['C:/windows/x', 'it is absolute'],
    ['../verdict.json', 'it leaves the folder'],
    [`${folder}exchanges/../../x`, 'it leaves the folder'],
    [String.raw`..\verdict.json`, 'it holds a backslash'],
    ['elsewhere/x', `is outside of the folder "${folder}"`],
    ['\u001B[2Jx', 'is outside of the folder'],
  ])('is called %j', async (path, why) => {
    const told = await mistakesOf(preceded(archive, member({ path }, 'x')))

    expect(told[0]).toContain(why)
    expect(told.join()).not.toContain('\u001B')
  })

  it.each([
    ['verdict.json ', 'is extra'],
    ['vërdict.json', 'is extra'],
    ['./summary.md', 'is extra'],
    ['exchanges//x.json', 'is extra'],
    ['summary.md', 'is there more than once: which one counts depends on the reader'],
  ])('is called %j in the folder', async (name, why) => {
    const told = await mistakesOf(preceded(archive, member({ path: `${folder}${name}` }, '{}')))

    expect(told.join('\n')).toContain(`${JSON.stringify(name)} ${why}`)
  })

  it.each([
    ['Link', 'a hard link'],
    ['SymbolicLink', 'a symbolic link'],
    ['CharacterDevice', 'a device'],
    ['BlockDevice', 'a device'],
    ['FIFO', 'a pipe'],
    ['ContiguousFile', 'something else than a file'],
    ['SparseFile', 'something else than a file'],
  ] as const)('is a %s', async (type, says) => {
    const linkpath = type.endsWith('Link') ? '/etc/passwd' : ''
    const bent = preceded(
      changed(archive, without('summary.md')),
      member({ path: `${folder}summary.md`, type, linkpath }),
    )

    expect(await mistakesOf(bent)).toEqual([
      `"summary.md" is ${says}: an archive of ours holds files only`,
      otherwise,
    ])
  })

  it('is an extended header that gives the next file another name', async () => {
    const record = '24 path=../../escaped.txt\n'.replace('24', '26')
    const bent = preceded(archive, member({ path: 'PaxHeader', type: 'ExtendedHeader' }, record))

    expect(await mistakesOf(bent)).toContain(
      'the name "../../escaped.txt" is refused: it leaves the folder into which the archive is unpacked',
    )
  })
})

describe('what one reader passes over and another acts on is noticed, in one line:', () => {
  const padded = Buffer.from(tar)
  padded.write('x', blockSize + Number.parseInt(tar.toString('latin1', 124, 135), 8))
  const later = tar.subarray(tar.indexOf(`${folder}index.html`), -2 * blockSize)
  const sooner = tar.subarray(0, -2 * blockSize - later.length)
  const first = tar.subarray(0, tar.indexOf(`${folder}allure-results`))
  const readme = first
    .subarray(blockSize, blockSize + Number.parseInt(tar.toString('latin1', 124, 135), 8))
    .toString()
  const remade = (data: Parameters<typeof member>[0]) =>
    Buffer.concat([member({ path: `${folder}README.txt`, ...data }, readme), tar.subarray(first.length)])

  it.each([
    ['another mode', remade({ mode: 0o4755 })],
    ['an owner', remade({ uid: 1000 })],
    ['a group', remade({ gname: 'wheel' })],
    ['a time of access', remade({ atime: new Date(0) })],
    ['another time', remade({ mtime: new Date(0) })],
    ['another order', Buffer.concat([later, sooner, Buffer.alloc(2 * blockSize)])],
    ['a folder', Buffer.concat([member({ path: folder, type: 'Directory' }), tar])],
    ['something within a padding', padded],
    ['another archive behind the end', Buffer.concat([tar, member({ path: 'x' }, 'x')])],
    ['zeros behind the end', Buffer.concat([tar, Buffer.alloc(blockSize)])],
    [
      'a comment',
      Buffer.concat([member({ path: 'x', type: 'GlobalExtendedHeader' }, '15 comment=abcd\n'), tar]),
    ],
  ])('%s', async (_, bent) => {
    expect(await mistakesOf(pack(bent))).toEqual([otherwise])
  })

  it.each(['evidence-2026-11-20-00000000', '.', 'a/b'])('another folder, %j', async (other) => {
    const files = [...filesIn(archive)].map(([name, content]) => ({ name, content }))
    const bent = tarOf(files, { folder: other, seconds: tarTime(smallVerdict.startedAt) })

    expect(await mistakesOf(pack(bent ?? Buffer.of()))).toEqual([
      `the archive has its files in the folder "${other}/", where \`bundle\` puts them into "${folder}"`,
    ])
  })
})
