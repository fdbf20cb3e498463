import * as fc from 'fast-check'
import { appendFile, mkdir, readdir, readFile, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeAllureResults } from '../report/allure/allure.ts'
import { archiveOf, sealInput } from '../report/evidence/bundle.testing.ts'
import { collectFiles } from '../report/evidence/contents.ts'
import { hostileText, hostileVerdict } from '../report/hostile.testing.ts'
import { writeReports } from '../report/write-reports.ts'
import { packageVersion } from '../settings/package-version.ts'
import { nonconformantVerdict, verdictWith } from '../verdict/verdict.testing.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { emptyFolder, runIn } from './bundle.testing.ts'

/** A working folder whose `reports` a run of this version left. */
async function runOf(verdict: Verdict, before: readonly Verdict[] = []): Promise<string> {
  const cwd = await emptyFolder()
  const folder = join(cwd, 'reports')
  await mkdir(folder)
  const places = { folder, history: join(folder, 'history.jsonl') }
  const version = packageVersion()
  for (const one of [...before, verdict]) await writeReports({ ...one, suite: { version } }, places)
  writeAllureResults({ ...verdict, suite: { version } }, { reportsDir: folder, env: {} })
  return cwd
}

/** Replaces text in a file of the reports, and gives the name of the file. */
async function edit(cwd: string, name: RegExp, from: string | RegExp, to: string): Promise<string> {
  const names = await readdir(join(cwd, 'reports'), { recursive: true })
  for (const one of names.filter((found) => name.test(found))) {
    const file = join(cwd, 'reports', one)
    const text = await readFile(file, 'utf8')
    if (text.search(from) < 0) continue
    await writeFile(file, text.replace(from, to))
    return one
  }
  throw new Error(`nothing like ${from} in ${name}`)
}

const bundle = ['bundle', 'reports', '--out', 'evidence.tar.gz']
const verdictFile = /^verdict\.json$/
const failing = nonconformantVerdict()

/** The verdict as its vendor would like it. */
function whitewashed(verdict: Verdict): Verdict {
  const rules = verdict.rules.map((rule) =>
    rule.status === 'failed' || rule.status === 'inconclusive'
      ? { ...rule, status: 'passed' as const, findings: [], answers: 1 }
      : rule,
  )
  return {
    ...verdict,
    verdict: 'conformant',
    exitCode: 0,
    because: [],
    causes: [],
    rules,
    suite: { version: packageVersion() },
  }
}

describe('reports that a run left are sealed', () => {
  test.for<readonly [string, Verdict, readonly Verdict[]]>([
    ['of a conformant one', verdictWith(), []],
    ['of a nonconformant one', failing, []],
    ['of every status', hostileVerdict('text'), []],
    [
      'that tell of an earlier one',
      { ...failing, startedAt: '2026-11-21T02:00:00.000Z' },
      [verdictWith({ startedAt: '2026-11-20T02:00:00.000Z' })],
    ],
  ])('%s', async ([, verdict, before]) => {
    const cwd = await runOf(verdict, before)
    const { code, stderr } = await runIn(cwd, bundle)

    expect([code, stderr]).toEqual([0, ''])
    expect((await runIn(cwd, ['verify', 'evidence.tar.gz'])).code).toBe(0)
  })

  test('whatever the service sent', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const { code, stderr } = await runIn(await runOf(hostileVerdict(`x${text}`)), bundle)
        expect([code, stderr]).toEqual([0, ''])
      }),
      { numRuns: 25 },
    )
  })

  test('beside results of other tests, and of vitest', async () => {
    const cwd = await runOf(failing)
    const results = join(cwd, 'reports', 'allure-results')
    const id = failing.rules.find(({ status }) => status === 'failed')?.id
    const others = [
      { name: 'shop opens', status: 'failed', fullName: 'shop', historyId: 'shop' },
      { name: `${id}: its sentence`, status: 'broken', fullName: 'rules.ts#x', historyId: '0a' },
    ]
    for (const [index, one] of others.entries())
      await writeFile(
        join(results, `0000000${index}-0000-0000-0000-000000000000-result.json`),
        JSON.stringify(one),
      )

    expect(await runIn(cwd, bundle)).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('bundle ends with 2, says what does not fit, and writes nothing:', () => {
  test.for<readonly [string, (cwd: string) => Promise<string>]>([
    [
      'one figure of the verdict',
      (cwd) => edit(cwd, verdictFile, /"durationMs": \d+/, '"durationMs": 7').then(() => 'junit.xml'),
    ],
    [
      'a finding',
      (cwd) =>
        edit(cwd, verdictFile, /"summary": "answered/g, '"summary": "responded').then(() => 'summary.md'),
    ],
    ['JUnit', (cwd) => edit(cwd, /^junit\.xml$/, '<failure', '<success')],
    ['the summary', (cwd) => edit(cwd, /^summary\.md$/, /NONCONFORMANT/, 'CONFORMANT')],
    ['the page', (cwd) => edit(cwd, /^index\.html$/, /Nonconformant/i, 'conformant')],
    ['the metrics', (cwd) => edit(cwd, /^metrics\.prom$/, /exit_code\{.*\} 1/, 'exit_code{} 0')],
    ['a result of Allure', (cwd) => edit(cwd, /-result\.json$/, '"status":"failed"', '"status":"passed"')],
    ['the words of one', (cwd) => edit(cwd, /-result\.json$/, 'violation: ', 'warned: ')],
    [
      'what is attached to one',
      (cwd) => edit(cwd, /-attachment\.httpexchange$/, 'GET', 'PUT').then(() => '-result.json'),
    ],
    ["Allure's environment", (cwd) => edit(cwd, /environment\.properties$/, 'exit 1', 'exit 0')],
    [
      'a result that is missing',
      async (cwd) => {
        const folder = join(cwd, 'reports', 'allure-results')
        const result = (await readdir(folder)).find((name) => name.endsWith('-result.json')) ?? ''
        await unlink(join(folder, result))
        return '"allure-results/" has no result of '
      },
    ],
  ])('%s', async ([, change]) => {
    const cwd = await runOf(failing)
    const named = await change(cwd)
    const { code, stdout, stderr } = await runIn(cwd, bundle)

    expect(stderr).toContain(
      'reports is not sealed: its verdict.json and the other reports of the run do not fit together:\n',
    )
    expect(stderr).toContain(named)
    expect([code, stdout, await readdir(cwd)]).toEqual([2, '', ['reports']])
  })

  test.for(['0.0.9', packageVersion()])(
    'a verdict made conformant, of a run of version %s',
    async (version) => {
      const cwd = await runOf(failing)
      const edited = { ...whitewashed(failing), suite: { version } }
      await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify(edited))
      const { code, stderr } = await runIn(cwd, bundle)

      expect(stderr).toMatch(/result\.json" says failed of [\w/-]+, where "verdict\.json" says passed\n/)
      expect(stderr.includes('"junit.xml" does not say what "verdict.json" says')).toBe(version !== '0.0.9')
      expect([code, await readdir(cwd)]).toEqual([2, ['reports']])
    },
  )

  test('but not of reports that were made again from the verdict, which nobody can tell', async () => {
    const cwd = await runOf(failing)
    await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify(whitewashed(failing)))
    await runIn(cwd, ['report', 'reports'])

    expect((await runIn(cwd, bundle)).code).toBe(0)
  })
})

describe('verify ends with 1 for an archive whose Allure results say something else than its verdict:', () => {
  const version = packageVersion()

  test.for<readonly [string, Verdict, RegExp]>([
    [
      'a status',
      whitewashed(failing),
      /result\.json" says failed of [\w/-]+, where "verdict\.json" says passed\n/,
    ],
    [
      'a status, of a run of another version',
      { ...whitewashed(failing), suite: { version: '0.0.9' } },
      /result\.json" says failed of [\w/-]+, where "verdict\.json" says passed\n/,
    ],
    [
      'a sentence',
      { ...failing, notCovered: ['nothing at all'], suite: { version } },
      /environment\.properties" does not say what "verdict\.json" says\n/,
    ],
  ])('%s', async ([, verdict, says]) => {
    const cwd = await runOf(failing)
    const { allure } = await collectFiles(join(cwd, 'reports'))
    const bundled = { suite: version, node: '20.19.0', packages: {} }
    const versions = { run: { suite: verdict.suite.version }, bundle: bundled }
    await writeFile(join(cwd, 'evidence.tar.gz'), archiveOf(sealInput(verdict, { allure, versions })))
    const { code, stdout, stderr } = await runIn(cwd, ['verify', 'evidence.tar.gz'])

    expect(stderr).toMatch(says)
    expect([code, stdout]).toEqual([1, ''])
  })
})

describe('bundle ends with 2 for reports that are not as the run left them:', () => {
  test.for<readonly [string, (reports: string) => Promise<unknown>, string]>([
    [
      'a byte behind the summary',
      (reports) => appendFile(join(reports, 'summary.md'), '\n'),
      '"summary.md" was changed since the run left it',
    ],
    ['a report that was removed', (reports) => unlink(join(reports, 'junit.xml')), '"junit.xml" is missing'],
    [
      'a result of Allure that was added',
      (reports) => writeFile(join(reports, 'allure-results', 'categories2.json'), '[]'),
      '"allure-results/categories2.json" is not listed in "run.sha256"',
    ],
    [
      'digests with a line of another form',
      (reports) => appendFile(join(reports, 'run.sha256'), 'and more\n'),
      '"run.sha256" is not as a run writes it',
    ],
    [
      'digests that are missing',
      (reports) => unlink(join(reports, 'run.sha256')),
      'run.sha256, which a run writes last of all, cannot be read: ENOENT',
    ],
  ])('%s', async ([, change, says]) => {
    const cwd = await runOf(failing)
    await runIn(cwd, ['report', 'reports'])
    await change(join(cwd, 'reports'))
    const { code, stderr } = await runIn(cwd, bundle)

    expect(stderr).toContain(says)
    expect([code, await readdir(cwd)]).toEqual([2, ['reports']])
  })
})

describe('an archive replaces nothing: 2, and what is there stays', () => {
  test.for(['a file', 'a link to a file', 'a link to nothing', 'a folder'])('%s', async (kind) => {
    const cwd = await runOf(failing)
    const out = join(cwd, 'evidence.tar.gz')
    await writeFile(join(cwd, 'precious'), 'signed')
    if (kind === 'a folder') await mkdir(out)
    else if (kind === 'a file') await writeFile(out, 'signed')
    else await symlink(kind === 'a link to a file' ? 'precious' : 'nothing', out)
    const { code, stderr } = await runIn(cwd, bundle)

    expect(stderr).toBe(
      `${out} exists already, and an archive replaces nothing: give another name in --out\n`,
    )
    expect(await readdir(cwd)).toEqual(['evidence.tar.gz', 'precious', 'reports'])
    expect(await readFile(join(cwd, 'precious'), 'utf8')).toBe('signed')
    if (kind === 'a file') expect(await readFile(out, 'utf8')).toBe('signed')
    expect(code).toBe(2)
  })

  test('also where two are made at once: one is whole, the other is refused', async () => {
    const cwd = await runOf(failing)
    const codes = await Promise.all([1, 2, 3].map(async () => (await runIn(cwd, bundle)).code))

    expect(codes.toSorted((one, other) => one - other)).toEqual([0, 2, 2])
    expect((await runIn(cwd, ['verify', 'evidence.tar.gz'])).code).toBe(0)
    expect(await readdir(cwd)).toEqual(['evidence.tar.gz', 'reports'])
  })
})
