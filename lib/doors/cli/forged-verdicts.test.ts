import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sealed, sealInput } from '../../report/evidence/bundle.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { emptyFolder, runIn } from './bundle.testing.ts'
import {
  accepted,
  forged,
  green,
  partial,
  red,
  shownAt,
  startsAt,
  waived,
} from './forged-verdicts.testing.ts'

test.each(forged)(
  '%s is refused by report and bundle with 2, and by verify with 1',
  async (_, says, verdict) => {
    const cwd = await emptyFolder()
    await mkdir(join(cwd, 'reports'))
    await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify(verdict))
    await writeFile(join(cwd, 'forged.tar.gz'), sealed(sealInput(verdict)))

    for (const args of [
      ['report', 'reports'],
      ['bundle', 'reports', '--out', 'evidence.tar.gz'],
    ]) {
      const { code, stdout, stderr } = await runIn(cwd, args)
      expect(stderr).toContain(join(cwd, 'reports', 'verdict.json'))
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
  ['judged again', ['--failed', '--base-url', 'embedded']],
])('one that contradicts itself is not %s: 2', async (_, args) => {
  const cwd = await emptyFolder()
  await mkdir(join(cwd, 'reports'))
  await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify({ ...red, exitCode: 0 }))
  await writeFile(join(cwd, 'honest.json'), JSON.stringify(red))
  const { code, stderr } = await runIn(cwd, args)

  expect(stderr).toContain('contradicts itself: it says nonconformant with exit code 0')
  expect(code).toBe(2)
})

test.each<readonly [string, Verdict]>([
  ['a conformant one', green],
  ['an accepted one', accepted],
  ['a nonconformant one', red],
  ['an incomplete one', partial],
  ['one with a waiver that holds for its last day', waived({})],
  ['one of a day ahead', startsAt('2026-11-21T12:00:00.000Z')],
  ['one of no known rule set', { ...green, ruleSet: null, rules: green.rules.slice(0, 3) }],
  ['one of some rules', { ...green, selection: { only: ['x'] }, rules: green.rules.slice(0, 3) }],
  [
    'an address that was withheld',
    shownAt('https://(withheld: 12 characters, a trace of TARGET_API_KEY)/api'),
  ],
  ['an address that was masked', shownAt('https://<TARGET_API_KEY>.example.com/cards/api')],
  ['a target that is no path', shownAt('https://staging.example.com http://other.example/')],
])('%s is taken, sealed and verified', async (_, verdict) => {
  const cwd = await emptyFolder()
  await mkdir(join(cwd, 'reports'))
  await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify(verdict))

  for (const args of [
    ['report', 'reports'],
    ['bundle', 'reports', '--out', 'evidence.tar.gz'],
    ['verify', 'evidence.tar.gz'],
  ])
    expect(await runIn(cwd, args)).toMatchObject({ code: 0, stderr: '' })
})
