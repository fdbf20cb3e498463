import { readFile, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runIn } from '../lib/doors/cli/bundle.testing.ts'
import { appendHistory, parsedLine, historyText } from '../lib/report/history/history.ts'
import { violationOf } from '../lib/verdict/conclude.ts'
import { historyLine } from '../lib/verdict/history-line.ts'
import { errorVerdict, findingWith, rulesWith } from '../lib/verdict/verdict.testing.ts'
import { ruleWith, targetWith, verdictWith } from '../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { expectEnds, mendable, run, inOneLine } from './support/program-test.ts'
import { emptyFolder, folderWith, rulesThat, type ProgramResult } from './support/program.ts'

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

const known = { 'all/a/history.jsonl': lineOf({ ...sound, ...yesterday }) }

// lib/report/compare has every kind of difference.
test.for<readonly [string, Files, readonly string[], number]>([
  ['an unchanged run', from(sound), sides, 0],
  ['a service that newly fails', from(broken), sides, 1],
  ['a run that ended in an error', from(errorVerdict()), sides, 1],
  ['an unchanged target', { ...last(sound), ...before }, targets, 0],
  ['a target that newly fails since its last run in the history', { ...last(broken), ...known }, targets, 1],
])('compare exits with the right code in every format for %s', async ([, files, commands, expected]) => {
  for (const command of commands)
    for (const format of ['text', 'json', 'html']) {
      const { code, stdout, stderr } = await ran(files, `${command} --format ${format}`)

      expect(stdout.length).toBeGreaterThan(100)
      expect([code, stderr]).toEqual([expected, ''])
    }
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

  for (const says of [
    'gone: ABSENT; no earlier run is known\n    no verdict.json in gone/at/all\n',
    'never: ABSENT;',
    /torn: UNREADABLE; .*\n {4}torn\/verdict\.json is not JSON/,
    /newer: UNREADABLE; .*\n {4}version 99\.0\.0 of the suite made it, with rules unknown to version 1\.0\.0\n/,
  ])
    expect(stdout).toMatch(says)
  expect(stdout).not.toContain('conformance-')
  expect(stdout).toContain('4 of 5 targets have no verdict (exit 1)\n')
  // A folder shows where a verdict used to be, but not targets that never had one.
  expect(found.stdout).toContain('3 of 4 targets have no verdict (exit 1)\n')
  expect([code, found.code]).toEqual([1, 1])
})

test('compare --targets reports verdicts older than --max-age as outdated, and exits 1', async () => {
  const on = (day: number) => ({ ...sound, startedAt: `2026-11-${day}T10:00:00.000Z` })
  const files = { 'all/today/verdict.json': on(20), 'all/yesterday/verdict.json': on(19) }

  const { code, stdout } = await ran(files, `${targets[0]} --max-age 25`)
  const both = await ran(files, `${targets[0]} --max-age 27`)

  const old = /^✗ 1 yesterday: OUTDATED; was conformant on .* 26 h old\n {4}no run started in the last 25 h\n/
  expect(stdout).toMatch(old)
  expect(stdout).toContain('1 of 2 targets has no verdict (exit 1)\n')
  expect([code, both.code]).toEqual([1, 0])
})

test('compare --targets compares each service with its own last run', async () => {
  const { service, fault, cwd, run: judged } = await mendable({ isBent: false })
  const judge = (name: string) => judged(`--only authentication/api-key-missing --reports-dir pods/${name}`)
  const pods = join(cwd, 'pods')
  await judge('same')
  for (const name of ['broke', 'lost']) await cp(join(pods, 'same'), join(pods, name), { recursive: true })
  await judge('same')
  await cp(join(pods, 'same'), join(pods, 'deep/er'), { recursive: true })
  fault.isBent = true
  await judge('broke')
  await service.close()
  await judge('lost')

  const { code, stdout } = await judged('compare --targets pods')
  const worse = await judged('compare pods/broke/previous pods/broke')
  const better = await judged('compare pods/broke/verdict.json pods/same')

  const text = inOneLine(stdout)
  expect(text).toMatch(
    /✗ 1 broke: PARTIAL, NONCONFORMANT; [^;]*; [1-4] newly failing \(last run [^;]*; 0 min old wrong answer, contract: A request without x-api-key/,
  )
  expect(text).toMatch(/! 2 lost: NOT JUDGED; was partial, conformant on [^;]*; 0 min old the run ended/)
  expect(text).toMatch(/! 3 deep\/er: PARTIAL, CONFORMANT; [^;]*; unchanged \(last run /)
  expect(text).not.toMatch(/\d+ worse|no longer judged/)
  expect(text).toContain('2 of 4 targets got worse (exit 1)')
  expect(worse.stdout).toContain('authentication/api-key-missing: passed → failed\n')
  expect(worse.stdout).toContain('answered 401 / 1006 where 400 / 1001 is documented')
  expect([code, worse.code, better.code]).toEqual([1, 1, 0])
})

const quick = '--base-url embedded --only endpoints/list-succeeds'.split(' ')

test('the history links to the previous run, which no other report names', async () => {
  const cwd = await emptyFolder()
  const read = (name: string): Promise<string> => readFile(join(cwd, 'reports', name), 'utf8')
  const runs: ProgramResult[] = []
  const pages: string[] = []
  for (const build of ['a', 'b', 'c']) {
    runs.push(await run([...quick, '--build', build], { cwd }))
    pages.push(await read('history.html'))
  }
  const compared = await run(['compare', '--targets', '.'], { cwd })

  expect(pages.map((page) => page.split('href="previous/index.html"').length - 1)).toEqual([0, 1, 1])
  expect(runs.map(({ stdout }) => stdout.includes('nothing is new'))).toEqual([false, true, true])
  // Each run has its own port.
  const { startedAt, target } = runs[1]?.verdict ?? verdictWith()
  for (const name of ['index.html', 'summary.md', 'junit.xml', 'metrics.prom'])
    expect(await read(name), name).not.toMatch(new RegExp(`previous/|${startedAt}|${target.baseUrl}`))
  expect(/"build": "(.)"/.exec(await read('previous/verdict.json'))?.[1]).toBe('b')
  expect(compared.stdout).toContain('1 target')
})

test('the history neither loses nor mixes lines when several write at once', async () => {
  const file = join(await emptyFolder(), 'history.jsonl')
  const writers = ['a', 'b', 'c']
  // Each line is larger than a memory page.
  const findings = Array.from({ length: 500 }, (_, at) => findingWith({ fingerprint: `${at}`.padEnd(16) }))
  const rules = [ruleWith('errors/body-shape', { status: 'failed', findings })]
  const write = async (label: string): Promise<void> => {
    const line = historyLine(verdictWith({ target: targetWith({ label }), rules }))
    for (let count = 0; count < 80; count += 1) await appendHistory(file, line)
  }
  await Promise.all(writers.map(write))
  // A writer that sees half a line of another begins with an empty one.
  const texts = (await readFile(file, 'utf8')).split('\n').filter((text) => text !== '')

  const labels = texts.map((text) => parsedLine(text)?.target.label ?? 'torn')
  expect(labels.toSorted()).toEqual(writers.flatMap((writer) => Array(80).fill(writer)))
})

test('--failed judges again the rules that failed in the last finished run, until all pass', async () => {
  const { run: judge, fault } = await mendable()
  const some = 'authentication/*-missing,authentication/no-bypass,versioning/*'
  const { verdict: whole } = await judge(`--only ${some}`)
  const ids = rulesThat(whole, 'failed')
  expect(ids).toContain('authentication/api-key-missing')
  expect(ids.length).toBeLessThan((whole?.rules.length ?? 0) / 2)

  expect(await judge('--timeout-ms soon')).toMatchObject({ code: 2, verdict: whole })
  const one = await judge('plan --failed --only authentication/api-key-missing')
  expect(one.stdout.match(/^ {2}authentication\/\S+/gm)).toEqual(['  authentication/api-key-missing'])
  const elsewhere = { env: { TARGET_BASE_URL: 'embedded' } }
  expectEnds(await judge('--failed', elsewhere), 2, /the last run judged http:\/\/127\.0\.0\.1:\d+/)

  const again = await judge('--failed')
  expect(again).toMatchObject({ code: 1, verdict: { selection: { only: ids } } })
  const statuses = again.verdict?.rules.map(({ id, status }) => [id, status])
  expect(statuses).toEqual(ids.map((id) => [id, 'failed']))

  const planned = await judge('plan --failed')
  expectEnds(planned, 0, 'authentication/api-key-missing')
  expect(planned.stdout).not.toContain('versioning/')

  fault.isBent = false
  const mended = await judge('--failed')
  expect(mended).toMatchObject({ code: 0, verdict: { verdict: 'conformant', selection: { only: ids } } })
  expect(mended.stdout).toContain('PARTIAL')

  const nothing = await judge('--failed')
  expectEnds(nothing, 2, 'there is nothing to judge again')
  expect(nothing.verdict).toEqual(mended.verdict)
})
