import { describe, expect, it } from 'vitest'
import { changed, member, mistakesOf, preceded, tarFrom } from './bundle.testing.ts'
import { textFile } from './layout.ts'
import { blockSize } from './tar.ts'

const tar = tarFrom()

/** What is said of an archive that holds a further file of this name. */
function toldOf(path: string): string {
  return mistakesOf(preceded(tar, member({ path }, 'x'))).join('\n')
}

describe('a name that is refused', () => {
  it.each([
    ['/etc/passwd', 'it is absolute'],
    ['C:/windows/x', 'it is absolute'],
    ['../verdict.json', 'it leaves the folder'],
    ['exchanges/../../x', 'it leaves the folder'],
    [String.raw`..\verdict.json`, 'it holds a backslash'],
    ['./verdict.json', 'it names one file in several ways'],
    ['exchanges//x.json', 'no file of an archive of ours is called so'],
    ['verdict.json ', 'no file of an archive of ours is called so'],
    ['\u001B[2Jx', 'no file of an archive of ours is called so'],
    ['vërdict.json', 'no file of an archive of ours is called so'],
    ['', 'it is empty'],
  ])('%j', (path, why) => {
    expect(toldOf(path)).toContain(`is refused: ${why}`)
    expect(toldOf(path)).not.toContain('\u001B')
  })

  it('is one that is there twice, whichever comes first', () => {
    const double = member({ path: 'verdict.json' }, '{}')

    expect(mistakesOf(preceded(tar, double))).toContain(
      '"verdict.json" is there 2 times: which one counts depends on the reader',
    )
  })

  it('is one that differs from another in letter case alone', () => {
    expect(toldOf('Verdict.json')).toContain('"Verdict.json" and "verdict.json" are one file')
    expect(mistakesOf(changed(tar, (files) => [...files, textFile('readme.TXT', 'x')])).join()).toContain(
      '"README.txt" and "readme.TXT" are one file',
    )
  })
})

describe('what is no ordinary file is refused:', () => {
  it.each([
    ['Link', 'a hard link'],
    ['SymbolicLink', 'a symbolic link'],
    ['CharacterDevice', 'a device'],
    ['BlockDevice', 'a device'],
    ['Directory', 'a folder'],
    ['FIFO', 'a pipe'],
    ['ExtendedHeader', 'an extended header'],
    ['GlobalExtendedHeader', 'an extended header'],
    ['NextFileHasLongPath', 'an extended header'],
    ['NextFileHasLongLinkpath', 'an extended header'],
    ['ContiguousFile', 'something else than a file'],
    ['SparseFile', 'something else than a file'],
  ] as const)('%s', (type, says) => {
    const bent = preceded(tar, member({ path: 'allure-results', type, linkpath: '/etc/passwd' }))

    expect(mistakesOf(bent)).toContain(
      `"allure-results" is ${says}: an archive of ours holds files only`.replace(
        'header:',
        'header, which changes the names and sizes of files:',
      ),
    )
  })

  it('also in the place of a report', () => {
    const bent = preceded(
      changed(tar, (files) => files.filter(({ name }) => name !== 'verdict.json')),
      member({ path: 'verdict.json', type: 'SymbolicLink', linkpath: '/dev/zero' }),
    )

    expect(mistakesOf(bent)).toEqual([
      '"verdict.json" is a symbolic link: an archive of ours holds files only',
      'the files are not in the order in which `bundle` writes them',
    ])
  })
})

describe('what one reader passes over and another acts on is noticed:', () => {
  it.each([
    ['another mode', { mode: 0o4755 }],
    ['an owner', { uid: 1000 }],
    ['a group', { gname: 'wheel' }],
    ['a target of a link', { linkpath: '/etc/passwd' }],
    ['a time of access', { atime: new Date(0) }],
  ])('%s in a header', (_, data) => {
    const bent = preceded(tar, member({ path: '0.json', ...data }, 'x'))

    expect(mistakesOf(bent)).toContain(
      'the header of "0.json" was changed: it says more than `bundle` writes',
    )
  })

  it('something within a padding', () => {
    const bent = Buffer.from(tar)
    const size = Number.parseInt(bent.toString('latin1', 124, 135), 8)
    bent.write('x', blockSize + size)

    expect(mistakesOf(bent)).toEqual(['something is hidden behind "README.txt"'])
  })

  it('another time', () => {
    const bent = preceded(tar, member({ path: '0.json', mtime: new Date(0) }, 'x'))

    expect(mistakesOf(bent)).toContain('the files of the archive do not have the time at which the run began')
  })

  it('another order', () => {
    const first = tar.subarray(0, tar.indexOf('allure-results/05'))
    const bent = Buffer.concat([
      tar.subarray(first.length, -2 * blockSize),
      first,
      Buffer.alloc(2 * blockSize),
    ])

    expect(mistakesOf(bent)).toEqual(['the files are not in the order in which `bundle` writes them'])
  })

  it('something behind the end, and an end that is not there', () => {
    const end = tar.length - 2 * blockSize

    expect(mistakesOf(Buffer.concat([tar, member({ path: 'x' }, 'x')]))).toEqual([
      'something is behind the end of the archive',
    ])
    expect(mistakesOf(Buffer.concat([tar, Buffer.alloc(blockSize)]))).toEqual([
      'something is behind the end of the archive',
    ])
    expect(mistakesOf(tar.subarray(0, end + blockSize))).toEqual(['the archive is cut short at its end'])
    expect(mistakesOf(tar.subarray(0, end))).toEqual(['the archive is cut short: it has no end'])
  })

  it('a header that is none, after which nothing is called missing', () => {
    const at = tar.indexOf('index.html\0')
    const bent = Buffer.from(tar)
    bent.write('X', at)

    expect(mistakesOf(bent)).toEqual([
      `the archive is damaged: what should be a file's header at byte ${at} is none`,
    ])
  })

  it('a size that reaches beyond the archive, or that no number holds', () => {
    expect(mistakesOf(preceded(tar, member({ path: '0.json', size: 2 ** 33 - 1 })))).toEqual([
      'the archive is cut short within "0.json"',
    ])
    const bent = member({ path: '0.json' })
    bent.fill(0xff, 125, 136)
    bent.writeUInt8(0x80, 124)
    expect(mistakesOf(preceded(tar, bent))[0]).toContain('the archive is damaged')
  })
})
