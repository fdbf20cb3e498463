import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from '../../text/folder.testing.ts'
import { expectedTargets, listedTargets } from './expected-targets.ts'

it('a list of targets has one line per target, with a name and a path, or one word for both', () => {
  const text = '# all of them\n\nvendor-a reports/a of ours\r\n  vendor-b\tb\nvendor-c\n#vendor-d\n'

  expect(listedTargets(text, 'list')).toEqual([
    { name: 'vendor-a', path: 'reports/a of ours' },
    { name: 'vendor-b', path: 'b' },
    { name: 'vendor-c', path: 'vendor-c' },
  ])
})

it('a list of targets cannot repeat a name or a path, and reports every mistake', () => {
  expect(() => listedTargets('a x\nb y\na z\nc x', 'list')).toThrow(
    'list:3 repeats the name of line 1: a\nlist:4 repeats the path of line 1: x',
  )
})

it('a list of targets accepts absolute paths, which become relative to the working folder', async () => {
  const cwd = await folderWith({ list: '' })
  await writeFile(join(cwd, 'list'), `a ${join(cwd, 'deep/a')}\nb ${join(cwd, '..')}\n`)

  expect((await expectedTargets('list', cwd)).map(({ path }) => path)).toEqual(['deep/a', '..'])
})

it.each<[string, Readonly<Record<string, string>>, string, string]>([
  ['an empty list', { list: '# none\n' }, 'list', 'list lists no targets'],
  ['a list with NUL bytes', { list: '\0' }, 'list', 'list is a file with NUL bytes'],
  ['a missing list', {}, 'none', 'none is a file that does not exist'],
  ['a folder without reports', { 'a/b': '' }, '.', '. contains no reports folder'],
])('%s is refused', async (_, files, path, message) => {
  await expect(expectedTargets(path, await folderWith(files))).rejects.toThrow(message)
})

describe('a folder of targets', () => {
  const of = async (paths: string, path: string, link: readonly string[] = []) => {
    const cwd = await folderWith(Object.fromEntries(paths.split(' ').map((one) => [one, ''])))
    const [from, to] = link.map((one) => join(cwd, one))
    if (from !== undefined && to !== undefined) await symlink(from, to)
    return expectedTargets(path, cwd)
  }
  const runs = 'all/10/verdict.json all/9/verdict.json all/9/previous/verdict.json'
  const others = 'all/9/allure-results/verdict.json all/.hidden/verdict.json all/notes/readme.txt'

  it('has one target per reports folder at any depth, ignoring the folders inside it', async () => {
    expect(await of(`${runs} ${others} all/eu/west/verdict.json`, 'all')).toEqual([
      { name: '9', path: 'all/9' },
      { name: '10', path: 'all/10' },
      { name: 'eu/west', path: 'all/eu/west' },
    ])
  })

  it('includes folders that had a verdict, follows no links, and can be a reports folder itself', async () => {
    const were = 'all/a/history.jsonl all/b/previous/verdict.json elsewhere/verdict.json'

    expect((await of(were, 'all', ['elsewhere', 'all/c'])).map(({ name }) => name)).toEqual(['a', 'b'])
    expect(await of('verdict.json', '.')).toEqual([{ name: '.', path: '.' }])
  })
})
