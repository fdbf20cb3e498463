import { spawnSync } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../text/folder.testing.ts'
import { smallVerdict } from './bundle.testing.ts'
import { runFiles, sealRun } from './run-folder.ts'

const result = 'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json'

/** A reports folder in which each of these files contains its name. */
const folderOf = (...names: readonly string[]): Promise<string> =>
  folderWith(Object.fromEntries(names.map((name) => [name, name])))

const reports = ['index.html', 'junit.xml', 'metrics.prom', 'summary.md', 'verdict.json']

test('run.sha256 lists only the reports of this run, in the format of sha256sum', async () => {
  const folder = await folderOf(
    ...reports,
    'history.jsonl',
    'history.html',
    '.env',
    'previous/verdict.json',
    result,
    'allure-results/environment.properties',
    'allure-results/.env',
    'allure-results/deeper/x-result.json',
  )
  await sealRun(folder, smallVerdict, null)

  const lines = (await readFile(join(folder, 'run.sha256'), 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => line.slice(66))).toEqual([
    result,
    'allure-results/environment.properties',
    ...reports,
  ])
  const { status, stdout } = spawnSync('sha256sum', ['-c', 'run.sha256'], { cwd: folder, encoding: 'utf8' })
  expect([status, stdout.split('\n').length]).toEqual([0, 8])
})

test('links are not followed', async () => {
  const secret = await folderOf('secret.txt', result)
  const folder = await folderOf('verdict.json', 'allure-results/environment.properties')
  await symlink(join(secret, 'secret.txt'), join(folder, result))
  await symlink(join(secret, 'secret.txt'), join(folder, 'index.html'))
  const linked = await folderOf('verdict.json')
  await symlink(join(secret, 'allure-results'), join(linked, 'allure-results'))

  const namesIn = async (one: string) => [...(await runFiles(one)).keys()]
  expect(await namesIn(folder)).toEqual(['verdict.json', 'allure-results/environment.properties'])
  expect(await namesIn(linked)).toEqual(['verdict.json'])
})
