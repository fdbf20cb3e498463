import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allureResult } from './bundle.testing.ts'
import { collectFiles, installedPackages, makerVersion } from './contents.ts'

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
  expect(await collectFiles(linked)).toEqual({ allure: [], leftOut: ['allure-results'] })
})

test('a folder without any of them, as report may leave it, is fine', async () => {
  expect(await collectFiles(await folderWith('verdict.json'))).toEqual({ allure: [], leftOut: [] })
})
test('packages are told as they are installed, beside the suite or above it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const suite = join(folder, 'node_modules', 'suite')
  const write = async (at: string, content: object): Promise<void> => {
    await mkdir(at, { recursive: true })
    await writeFile(join(at, 'package.json'), JSON.stringify(content))
  }
  await write(suite, { dependencies: { inner: '^1.0.0', 'an-outer': '^2.0.0', missing: '3.0.0' } })
  await write(join(suite, 'node_modules', 'inner'), { version: '1.2.3' })
  await write(join(folder, 'node_modules', 'inner'), { version: '9.9.9' })
  await write(join(folder, 'node_modules', 'an-outer'), { version: '2.3.4' })

  expect(Object.entries(installedPackages([join(suite, 'dist'), suite]))).toEqual([
    ['an-outer', '2.3.4'],
    ['inner', '1.2.3'],
    ['missing', null],
  ])
})

test('who made an archive is told where its file says it, and only there', () => {
  expect(makerVersion(Buffer.from('{"bundle":{"suite":"0.1.0"}}'))).toBe('0.1.0')
  for (const text of ['', '[]', '{"bundle":null}', '{"bundle":{"suite":7}}', '{"suite":"0.1.0"}']) {
    expect(makerVersion(Buffer.from(text))).toBeNull()
  }
})
