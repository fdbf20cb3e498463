import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { verdictJson } from '../../verdict/verdict-json.ts'
import { keyPair, runOf, smallVerdict } from './bundle.testing.ts'
import { readChecksums } from './checksums.ts'
import { pinnedPackages, runFiles, signedStatement, signRun, writeChecksums } from './run-folder.ts'

const result = 'allure-results/05c290cd-2695-457a-928d-0b563d6e2d80-result.json'

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

const reports = ['index.html', 'junit.xml', 'metrics.prom', 'summary.md', 'verdict.json']

test('run.sha256 lists the reports of the run, and nothing of other runs, as sha256sum reads it', async () => {
  const folder = await folderWith(
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
  await writeChecksums(folder)

  const listed = readChecksums(await readFile(join(folder, 'run.sha256')))
  expect([...(listed?.keys() ?? [])]).toEqual([result, 'allure-results/environment.properties', ...reports])
  const { status, stdout } = spawnSync('sha256sum', ['-c', 'run.sha256'], { cwd: folder, encoding: 'utf8' })
  expect([status, stdout.split('\n').length]).toEqual([0, 8])
})

test('links are not followed', async () => {
  const secret = await folderWith('secret.txt', result)
  const folder = await folderWith('verdict.json', 'allure-results/environment.properties')
  await symlink(join(secret, 'secret.txt'), join(folder, result))
  await symlink(join(secret, 'secret.txt'), join(folder, 'index.html'))
  const linked = await folderWith('verdict.json')
  await symlink(join(secret, 'allure-results'), join(linked, 'allure-results'))

  const namesIn = async (one: string) => (await runFiles(one)).map(({ name }) => name)
  expect(await namesIn(folder)).toEqual(['verdict.json', 'allure-results/environment.properties'])
  expect(await namesIn(linked)).toEqual(['verdict.json'])
})

test('a key signs the run in a folder beside its reports', async () => {
  const folder = await folderWith(...reports)
  for (const { name, content } of runOf()) await writeFile(join(folder, name), content)
  await writeFile(join(folder, 'verdict.json'), verdictJson(smallVerdict))
  expect(await signedStatement(folder)).toEqual([])
  await writeChecksums(folder)
  await signRun(folder, smallVerdict, keyPair().privateKey)

  const names = ['README.txt', 'attestation.json', 'public-key.pem']
  expect((await signedStatement(folder)).map(({ name }) => name)).toEqual(names)
  expect((await readdir(join(folder, 'run.attestation'))).toSorted()).toEqual(names)
})

test.each([
  'x',
  `${'a'.repeat(64)} verdict.json\n`,
  `${'a'.repeat(64)}  a`,
  `${'a'.repeat(64)}  a\n`.repeat(2),
])('a list of digests is not read from %j', (text) => {
  expect(readChecksums(Buffer.from(text))).toBeNull()
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
