import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packed, runOf } from '../../report/evidence/bundle.testing.ts'
import { forged, red } from '../../verdict/forged-verdicts.testing.ts'
import { emptyFolder, runIn } from './bundle.testing.ts'

// A sample. lib/verdict/consistency.test.ts checks that all of them are refused by the common reader.
test.each(forged.filter((_, place) => place % 12 === 0))(
  '%s is refused by report and bundle with 2, and by verify with 1',
  async (_, says, verdict) => {
    const cwd = await emptyFolder()
    await mkdir(join(cwd, 'reports'))
    await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify(verdict))
    await writeFile(join(cwd, 'forged.tar.gz'), packed(runOf(verdict)))

    for (const args of [
      ['report', 'reports'],
      ['bundle', 'reports', '--out', 'evidence.tar.gz'],
    ]) {
      const { code, stdout, stderr } = await runIn(cwd, args)
      expect(stderr).toContain(join(cwd, 'reports'))
      expect(stderr).toContain(says)
      expect([code, stdout]).toEqual([2, ''])
    }
    expect(await readdir(join(cwd, 'reports'))).toEqual(['verdict.json'])
    const { code, stdout, stderr } = await runIn(cwd, ['verify', 'forged.tar.gz'])
    expect(stderr).toContain('"verdict.json" ')
    expect(stderr).toContain(says)
    expect([code, stdout]).toEqual([1, ''])
  },
)

test.each<readonly [string, readonly string[]]>([
  ['compared with', ['compare', 'reports', 'honest.json']],
  ['compared', ['compare', 'honest.json', 'reports']],
  ['waived', ['waive', 'reports', '--out', 'waivers.json']],
  ['used by --failed', ['--failed', '--base-url', 'embedded']],
])('a verdict that contradicts itself is not %s, and the command ends in 2', async (_, args) => {
  const cwd = await emptyFolder()
  await mkdir(join(cwd, 'reports'))
  await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify({ ...red, exitCode: 0 }))
  await writeFile(join(cwd, 'honest.json'), JSON.stringify(red))
  const { code, stderr } = await runIn(cwd, args)

  expect(stderr).toContain('contradicts itself: it says nonconformant with exit code 0')
  expect(code).toBe(2)
})
