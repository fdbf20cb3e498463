import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { allureResult } from './bundle.testing.ts'
import { collectFiles, makerVersion, pinnedPackages } from './contents.ts'

/** A reports folder with these files, each of which holds its own name. */
async function folderWith(...names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const name of names) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), name)
  }
  return folder
}

test('only files that Allure writes go in; of all else it is said that they are left out', async () => {
  const folder = await folderWith(
    'verdict.json',
    'index.html',
    'junit.xml',
    'summary.md',
    'history.jsonl',
    '.env',
    allureResult.name,
    'allure-results/environment.properties',
    'allure-results/.env',
    'allure-results/deeper/x-result.json',
  )
  const { allure, leftOut } = await collectFiles(folder)

  expect(allure.map(({ name }) => name).toSorted()).toEqual([
    allureResult.name,
    'allure-results/environment.properties',
  ])
  expect(allure.every(({ name, content }) => content.toString() === name)).toBe(true)
  expect(leftOut).toEqual(['.env', 'allure-results/.env', 'allure-results/deeper', 'history.jsonl'])
})

test('links are not followed', async () => {
  const secret = await folderWith('secret.txt', allureResult.name)
  const folder = await folderWith('verdict.json', 'allure-results/environment.properties')
  await symlink(join(secret, 'secret.txt'), join(folder, allureResult.name))
  const linked = await folderWith('verdict.json')
  await symlink(join(secret, 'allure-results'), join(linked, 'allure-results'))

  expect(await collectFiles(folder)).toMatchObject({
    allure: [{ name: 'allure-results/environment.properties' }],
    leftOut: [allureResult.name],
  })
  expect(await collectFiles(linked)).toEqual({ reports: [], allure: [], leftOut: ['allure-results'] })
})

test('a folder without any of them, as report may leave it, is fine', async () => {
  expect(await collectFiles(await folderWith('verdict.json'))).toEqual({
    reports: [],
    allure: [],
    leftOut: [],
  })
})
test('packages are those that the first package.json pins', async () => {
  const [none, folder] = [await folderWith('other.json'), await folderWith('other.json')]
  await writeFile(join(folder, 'package.json'), '{ "dependencies": { "inner": "1.2.3", "outer": "2.3.4" } }')

  expect(pinnedPackages([none, folder])).toEqual({ inner: '1.2.3', outer: '2.3.4' })
  expect(pinnedPackages([none])).toEqual({})
})

test('the suite pins its own, so that what is pinned is what is installed', () => {
  const packages = pinnedPackages([fileURLToPath(new URL('../../..', import.meta.url))])

  expect(Object.keys(packages)).toContain('tar')
  for (const version of Object.values(packages)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
})

test('who made an archive is told where its file says it, and only there', () => {
  expect(makerVersion(Buffer.from('{"bundle":{"suite":"0.1.0"}}'))).toBe('0.1.0')
  for (const text of ['', '[]', '{"bundle":null}', '{"bundle":{"suite":7}}', '{"suite":"0.1.0"}']) {
    expect(makerVersion(Buffer.from(text))).toBeNull()
  }
})
