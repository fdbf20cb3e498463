import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runIn } from '../lib/doors/cli/bundle.testing.ts'
import { historyText } from '../lib/report/history/history.ts'
import { violationOf } from '../lib/verdict/conclude.ts'
import { historyLine } from '../lib/verdict/history-line.ts'
import {
  errorVerdict,
  findingWith,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { inOneLine, mendable } from './support/program-test.ts'
import { folderWith } from './support/program.ts'

const failed = ruleWith('authentication/api-key-missing', { status: 'failed', findings: [findingWith()] })
const sound = verdictWith()
const because = [violationOf(failed)]
const nonconformant = { rules: rulesWith([failed]), verdict: 'nonconformant', exitCode: 1, because } as const
const broken = verdictWith(nonconformant)
const yesterday = { startedAt: '2026-11-19T02:00:00.000Z' }

type Files = Readonly<Record<string, Verdict | string>>

/** Runs a command in a folder with these files, at noon. */
const ran = async (files: Files, words: string) => runIn(await folderWith(files), words.split(' '))

const lineOf = (verdict: Verdict): string => `${historyText(historyLine(verdict))}\n`

const sides = ['compare first last']
const targets = ['compare --targets all', 'compare --targets list']
const from = (verdict: Verdict): Files => ({ 'first/verdict.json': sound, 'last/verdict.json': verdict })
const last = (verdict: Verdict): Files => ({ 'all/a/verdict.json': verdict, list: 'a all/a\n' })
const before = { 'all/a/previous/verdict.json': verdictWith(yesterday) }

// lib/report/compare has every kind of difference.
test.for<readonly [string, Files, readonly string[], number]>([
  ['an unchanged run', from(sound), sides, 0],
  ['a service that newly fails', from(broken), sides, 1],
  ['a run that ended in an error', from(errorVerdict()), sides, 1],
  ['an unchanged target', { ...last(sound), ...before }, targets, 0],
  [
    'a target that newly fails since its last run in the history',
    { ...last(broken), 'all/a/history.jsonl': lineOf({ ...sound, ...yesterday }) },
    targets,
    1,
  ],
])('compare exits with the right code in every format for %s', async ([, files, commands, expected]) => {
  for (const command of commands)
    for (const format of ['text', 'json', 'html']) {
      const { code, stdout, stderr } = await ran(files, `${command} --format ${format}`)

      expect(stdout.length).toBeGreaterThan(100)
      expect([code, stderr]).toEqual([expected, ''])
    }
})

test('compare picks the last earlier run of the same target and profile from a history', async () => {
  const at = (hour: number, changes: Partial<Verdict> = {}): Verdict =>
    verdictWith({ startedAt: `2026-11-20T0${hour}:00:00.000Z`, ...changes })
  const history = [
    at(1, nonconformant),
    at(2),
    at(3, { profile: 'nightly', ...nonconformant }),
    at(4, { verdict: 'error', exitCode: 4 }),
    at(5),
    at(6, nonconformant),
  ]
  const files = { 'b/verdict.json': at(5, nonconformant), runs: history.map(lineOf).join('') }

  const { code, stdout } = await ran(files, 'compare runs b')

  expect(stdout).toContain('2026-11-20 02:00:00 UTC')
  expect(stdout).toContain('newly failing (1)')
  expect(code).toBe(1)
})

test('compare --targets reports listed verdicts that are absent or unreadable, and exits 1', async () => {
  const files = {
    'good/verdict.json': sound,
    'good/previous/verdict.json': { ...sound, ...yesterday },
    'torn/verdict.json': '{"format"',
    'gone/at/all/previous/notes': '',
    'newer/verdict.json': verdictWith({ suite: { version: '99.0.0' } }),
    list: '# by name and folder\ngood\ntorn\nnewer\ngone gone/at/all\nnever\n',
  }

  const { code, stdout } = await ran(files, 'compare --targets list')
  const found = await ran(files, 'compare --targets .')

  expect(stdout).toContain('gone: ABSENT; no earlier run is known\n    no verdict.json in gone/at/all\n')
  expect(stdout).toContain('never: ABSENT;')
  expect(stdout).toMatch(/torn: UNREADABLE; .*\n {4}torn\/verdict\.json is not JSON/)
  expect(stdout).toMatch(
    /newer: UNREADABLE; .*\n {4}version 99\.0\.0 of the suite made it, with rules unknown to version 1\.0\.0\n/,
  )
  expect(stdout).not.toContain('conformance-')
  expect(stdout).toContain('4 of 5 targets have no verdict (exit 1)\n')
  // A folder shows where a verdict used to be, but not targets that never had one.
  expect(found.stdout).toContain('3 of 4 targets have no verdict (exit 1)\n')
  expect([code, found.code]).toEqual([1, 1])
})

test('compare --targets reports verdicts older than --max-age as outdated, and exits 1', async () => {
  const files = {
    'all/today/verdict.json': { ...sound, startedAt: '2026-11-20T10:00:00.000Z' },
    'all/yesterday/verdict.json': { ...sound, startedAt: '2026-11-19T10:00:00.000Z' },
  }

  const { code, stdout } = await ran(files, `${targets[0]} --max-age 25`)
  const both = await ran(files, `${targets[0]} --max-age 27`)

  expect(stdout).toMatch(
    /^✗ 1 yesterday: OUTDATED; was conformant on .* 26 h old\n {4}no run started in the last 25 h\n/,
  )
  expect(stdout).toContain('1 of 2 targets has no verdict (exit 1)\n')
  expect([code, both.code]).toEqual([1, 0])
})

test('compare --targets compares each service with its own last run', async () => {
  const { service, fault, cwd, run } = await mendable({ isBent: false })
  const judge = (name: string) => run(`--only authentication/api-key-missing --reports-dir pods/${name}`)
  const pods = join(cwd, 'pods')
  await judge('same')
  for (const name of ['broke', 'lost']) await cp(join(pods, 'same'), join(pods, name), { recursive: true })
  await judge('same')
  await cp(join(pods, 'same'), join(pods, 'deep/er'), { recursive: true })
  fault.isBent = true
  await judge('broke')
  await service.close()
  await judge('lost')

  const { code, stdout } = await run('compare --targets pods')
  const worse = await run('compare pods/broke/previous pods/broke')
  const better = await run('compare pods/broke/verdict.json pods/same')

  const text = inOneLine(stdout)
  expect(text).toMatch(
    /✗ 1 broke: PARTIAL, NONCONFORMANT; [^;]*; [1-4] newly failing \(last run [^;]*; 0 min old wrong answer, contract: A request without x-api-key/,
  )
  expect(text).toMatch(
    /! 2 lost: NOT JUDGED; was partial, conformant on [^;]*; 0 min old the run ended early: nothing is/,
  )
  expect(text).toMatch(/! 3 deep\/er: PARTIAL, CONFORMANT; [^;]*; unchanged \(last run /)
  expect(text).not.toMatch(/\d+ worse|no longer judged/)
  expect(text).toContain('2 of 4 targets got worse (exit 1)')
  expect(worse.stdout).toContain('authentication/api-key-missing: passed → failed\n')
  expect(worse.stdout).toContain('answered 401 / 1006 where 400 / 1001 is documented')
  expect([code, worse.code, better.code]).toEqual([1, 1, 0])
})
