import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allureResult } from './bundle.testing.ts'
import { collected } from './collect.ts'

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
  const { allure, leftOut } = await collected(folder)

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

  expect(await collected(folder)).toMatchObject({
    allure: [{ name: 'allure-results/environment.properties' }],
    leftOut: [allureResult.name],
  })
  expect(await collected(linked)).toEqual({ allure: [], leftOut: ['allure-results'] })
})

test('a folder without any of them, as report may leave it, is fine', async () => {
  expect(await collected(await folderWith('verdict.json'))).toEqual({ allure: [], leftOut: [] })
})
