import { readFile } from 'node:fs/promises'
import { parse } from 'dotenv'
import { expect, test } from 'vitest'
import { settingTable, settingsMarkdown } from '../lib/settings/setting-table.ts'

function read(name: string): Promise<string> {
  return readFile(new URL(`../${name}`, import.meta.url), 'utf8')
}

test('.env.example names every setting, none besides, and gives none a value', async () => {
  const given = parse(await read('.env.example'))

  expect(Object.keys(given)).toEqual(settingTable.map(({ name }) => name))
  expect(Object.values(given).filter((value) => value !== '')).toEqual([])
})

test('the README holds the table of settings as the program knows it', async () => {
  const readme = await read('README.md')
  const held = /<!-- settings -->\n([^]*?)\n<!-- \/settings -->/.exec(readme)?.[1]

  expect(held).toBe(settingsMarkdown())
})

test('the first two commands of the README judge the embedded service and run the tests, and CI calls the second', async () => {
  const readme = await read('README.md')
  const commands = [...readme.matchAll(/```sh\n([^]*?)```/g)].map(([, command]) => command?.trim())

  expect(commands.slice(0, 2)).toEqual([
    'npm ci && npm run conformance -- --base-url embedded',
    'npm ci && npm test',
  ])
  expect((await read('.ci/run')).split('\n')).toEqual(expect.arrayContaining(['npm ci', 'npm test']))
})

test('nothing that is shipped names a machine, a registry or a folder of ours', async () => {
  const files = [
    'package.json',
    'package-lock.json',
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    '.env.example',
  ]
  for (const file of files) {
    expect(await read(file), file).not.toMatch(
      /\/(?:work|home|root|Users)\/|"resolved"|_authToken|registry\./,
    )
  }
})
