import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { emptyFolder, folderWith } from '../support/program.ts'
import { finderOf } from './finder.ts'
import { leaks } from './leaks.ts'
import { spellings } from './spellings.ts'

const credentials = [
  'Zm9v+Tq/81==x7Qy9LbHd3',
  'a&b<c>"d%,e;f=41kQ7wXz2Rt',
  'ak_live_HuPvbsz8YJEinxxqnoezFVok',
] as const
const [secret] = credentials
const findAny = finderOf(credentials)
const silent = { stdout: 'nothing', stderr: '', reportsFolder: '/nowhere' }

test.for(Object.entries(spellings))('a credential is found %s', ([, spell]) => {
  for (const credential of credentials) {
    const found = findAny(Buffer.from(`{"a":"…${spell(credential)}…"}`))

    expect(found.map(({ value }) => credentials[value])).toEqual([credential])
  }
})

test('a credential is found in every kind of output, except in a file that contained it before', async () => {
  const reportsFolder = await emptyFolder()
  await mkdir(join(reportsFolder, 'allure-results'))
  await writeFile(join(reportsFolder, 'allure-results', 'a.json'), secret)

  for (const shown of [{ reportsFolder }, { stdout: secret }, { stderr: secret }, { argv: ['run', secret] }])
    expect(await leaks({ ...silent, ...shown }, [secret])).toHaveLength(1)
  expect(await leaks({ ...silent, reportsFolder, except: ['allure-results/a.json'] }, [secret])).toEqual([])
})

test.each([
  ['the name of a file', `${encodeURIComponent(secret)}.txt`, 'nothing'],
  ['a packed file', 'a.gz', gzipSync(secret)],
  ['a file that is packed twice', 'a.tar.gz.gz', gzipSync(gzipSync(secret))],
])('a credential is found in %s', async (_, file, content) => {
  const reportsFolder = await folderWith({ [file]: content })

  expect(await leaks({ ...silent, reportsFolder }, [secret])).toHaveLength(1)
})

test.each([
  ['ak_live_HuPvbsz8YJEinxxqnoezFVok', 'ak_live_HuPvbsz8', 'ak_live_HuPvbsz'],
  ['ak_live_HuPvbsz8YJEinxxqnoezFVok', 'YJEinxxqnoezFVok', 'JEinxxqnoezFVok'],
  ['ak_live_HuPvb', 'live_HuPvb', 'ive_HuPvb'],
  ['zebra', 'zebra', 'zebr'],
  ['q7#', 'q7#', 'q7'],
])('the shortest part of %s that is found is %s, not %s', (value, part, less) => {
  const find = finderOf([value, ''])

  expect(find(Buffer.from(`"${part}"`))).toMatchObject([{ value: 0 }])
  expect(find(Buffer.from(`"${less}"`))).toEqual([])
})

test('only a credential that is shown is found, and the message does not repeat it', async () => {
  const reportsFolder = await folderWith({ 'verdict.json': '{"a":"<TARGET_API_KEY>"}' })

  expect(await leaks({ ...silent, reportsFolder }, [secret])).toEqual([])
  expect((await leaks({ ...silent, stdout: secret }, [secret])).join('')).not.toContain(secret.slice(0, 8))
})

test('a missing folder counts as empty, but a missing parent folder fails the search', async () => {
  const folder = await emptyFolder()
  const search = (...names: readonly string[]) =>
    leaks({ ...silent, reportsFolder: join(folder, ...names) }, [secret])

  expect(await search('reports')).toEqual([])
  await expect(search('gone', 'reports')).rejects.toThrow('neither it nor its parent folder exists any more')
})
