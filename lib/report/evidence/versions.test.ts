import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { installedPackages, madeBy } from './versions.ts'

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
  expect(madeBy(Buffer.from('{"bundle":{"suite":"0.1.0"}}'))).toBe('0.1.0')
  for (const text of ['', '[]', '{"bundle":null}', '{"bundle":{"suite":7}}', '{"suite":"0.1.0"}']) {
    expect(madeBy(Buffer.from(text))).toBeNull()
  }
})
