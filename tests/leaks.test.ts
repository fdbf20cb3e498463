import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leaks } from './leaks.ts'
import { emptyFolder } from './program.ts'

const secret = 'Zm9v+Tq/81==x7Qy9LbHd3'
const silent = { stdout: 'nothing', stderr: '' }

const writings = {
  'as it is': secret,
  reversed: '3dHbL9yQ7x==18/qT+v9mZ',
  'percent-encoded': encodeURIComponent(secret),
  'in base64': Buffer.from(`key:${secret}:`).toString('base64'),
}

for (const [how, written] of Object.entries(writings)) {
  test(`a credential ${how} is found wherever it is shown`, async () => {
    const reportsFolder = await emptyFolder()
    await mkdir(join(reportsFolder, 'allure-results'))
    await writeFile(join(reportsFolder, 'allure-results', 'a.json'), `{"a":"…${written}…"}`)

    expect(await leaks({ ...silent, reportsFolder }, [secret])).not.toEqual([])
    expect(await leaks({ ...silent, stdout: written, reportsFolder: '/nowhere' }, [secret])).not.toEqual([])
    expect(await leaks({ ...silent, stderr: written, reportsFolder: '/nowhere' }, [secret])).not.toEqual([])
  })
}

test('a credential that is shown nowhere is not found', async () => {
  const reportsFolder = await emptyFolder()
  await writeFile(join(reportsFolder, 'verdict.json'), '{"a":"<TARGET_API_KEY>"}')

  expect(await leaks({ ...silent, reportsFolder }, [secret])).toEqual([])
})
