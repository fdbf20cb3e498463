import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectedTargets, listedTargets } from './expected-targets.ts'

/** A folder with these empty files, by their paths. */
async function folderOf(...files: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'targets-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const file of files) {
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), '')
  }
  return folder
}

describe('a list of targets', () => {
  it('has a line for each: a name and a path, or a name that is the path', () => {
    const text = '# all of them\n\nvendor-a reports/a of ours\r\n  vendor-b\tb\nvendor-c\n#vendor-d\n'

    expect(listedTargets(text, 'list')).toEqual([
      { name: 'vendor-a', path: 'reports/a of ours' },
      { name: 'vendor-b', path: 'b' },
      { name: 'vendor-c', path: 'vendor-c' },
    ])
  })

  it('names each target and each folder once; every mistake is told', () => {
    expect(() => listedTargets('a x\nb y\na z\nc x', 'list')).toThrow(
      'list:3 has the name of line 1: a\nlist:4 has the path of line 1: x',
    )
  })

  it.each([
    ['nothing', 'list lists no target'],
    ['a file of zeros', 'list is a file that holds NUL bytes'],
  ])('of %s is told', async (what, message) => {
    const cwd = await folderOf('list')
    await writeFile(join(cwd, 'list'), what === 'nothing' ? '# none\n' : '\0')

    await expect(expectedTargets('list', cwd)).rejects.toThrow(message)
  })

  it('may have absolute paths, which become paths from the working folder', async () => {
    const cwd = await folderOf('list')
    await writeFile(join(cwd, 'list'), `a ${join(cwd, 'deep/a')}\nb ${join(cwd, '..')}\n`)

    expect((await expectedTargets('list', cwd)).map(({ path }) => path)).toEqual(['deep/a', '..'])
  })

  it('that is not there is told', async () => {
    await expect(expectedTargets('none', await folderOf())).rejects.toThrow(
      'none is a file that does not exist',
    )
  })
})

describe('a folder of targets', () => {
  it('has one for each folder of reports at any depth, but not for the runs within', async () => {
    const cwd = await folderOf(
      'all/10/verdict.json',
      'all/9/verdict.json',
      'all/9/previous/verdict.json',
      'all/9/allure-results/verdict.json',
      'all/eu/west/verdict.json',
      'all/.hidden/verdict.json',
      'all/notes/readme.txt',
    )

    expect(await expectedTargets('all', cwd)).toEqual([
      { name: '9', path: 'all/9' },
      { name: '10', path: 'all/10' },
      { name: 'eu/west', path: 'all/eu/west' },
    ])
  })

  it('has one where a verdict was, and none behind a link', async () => {
    const cwd = await folderOf('all/a/history.jsonl', 'all/b/previous/verdict.json', 'elsewhere/verdict.json')
    await symlink(join(cwd, 'elsewhere'), join(cwd, 'all/c'))

    expect((await expectedTargets('all', cwd)).map(({ name }) => name)).toEqual(['a', 'b'])
  })

  it('may be a folder of reports itself', async () => {
    const cwd = await folderOf('verdict.json')

    expect(await expectedTargets('.', cwd)).toEqual([{ name: '.', path: '.' }])
  })

  it('without any is told', async () => {
    await expect(expectedTargets('.', await folderOf('a/b'))).rejects.toThrow('. holds no reports folder')
  })
})
