import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { historyLine } from '../lib/verdict/history-line.ts'
import { historyText } from '../lib/verdict/history-text.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { emptyFolder, settingsFor } from './support/program.ts'
import { run, test } from './support/program-test.ts'

const failed = ruleWith('authentication/api-key-missing', { status: 'failed', findings: [findingWith()] })
const sound = verdictWith()
const broken = verdictWith({
  rules: rulesWith([failed]),
  verdict: 'nonconformant',
  exitCode: 1,
  because: ['authentication/api-key-missing is violated'],
})
const yesterday = '2026-11-19T02:00:00.000Z'

/** Runs of a target: the last one, and the one before where there is one. */
interface Runs {
  readonly last: Verdict
  readonly before?: Verdict
  /** Where the run before is kept. */
  readonly kept?: 'previous' | 'history'
}

/** A folder with reports folders of these names. */
async function folderOf(targets: Readonly<Record<string, Runs>>): Promise<string> {
  const cwd = await emptyFolder()
  for (const [name, { last, before, kept = 'previous' }] of Object.entries(targets)) {
    const folder = join(cwd, name)
    await mkdir(join(folder, 'previous'), { recursive: true })
    await writeFile(join(folder, 'verdict.json'), JSON.stringify(last))
    if (before === undefined) continue
    const earlier = { ...before, startedAt: yesterday }
    if (kept === 'previous') await writeFile(join(folder, 'previous/verdict.json'), JSON.stringify(earlier))
    else await writeFile(join(folder, 'history.jsonl'), `${historyText(historyLine(earlier))}\n`)
  }
  return cwd
}

const formats = ['text', 'markdown', 'json', 'html']

describe.concurrent('compare --targets', () => {
  test.for<[string, Runs, number]>([
    ['conformant as before', { last: sound, before: sound }, 0],
    [
      'red, and the run before was of another profile',
      { last: broken, before: { ...sound, profile: 'nightly' } },
      0,
    ],
    ['red since its last run, which is kept', { last: broken, before: sound }, 1],
    ['red since its last run, of the history', { last: broken, before: sound, kept: 'history' }, 1],
  ])(
    'of a target that is %s ends in the right code, in every format',
    async ([, runs, expected], { expect }) => {
      const cwd = await folderOf({ 'all/a': runs })
      await writeFile(join(cwd, 'list'), 'a all/a\n')

      for (const given of ['list', 'all']) {
        for (const format of formats) {
          const { code, stdout, stderr } = await run(['compare', '--targets', given, '--format', format], {
            cwd,
          })

          expect(stdout.length).toBeGreaterThan(100)
          expect(stderr).toBe('')
          expect(code).toBe(expected)
        }
      }
    },
  )

  test('tells what a list expects and is not there, cannot be read or did not finish, and ends in 1', async ({
    expect,
  }) => {
    const cwd = await folderOf({
      good: { last: sound, before: sound },
      torn: { last: sound },
      'gone/at/all': { last: sound },
    })
    await writeFile(join(cwd, 'torn/verdict.json'), '{"format"')
    await rm(join(cwd, 'gone/at/all/verdict.json'))
    await writeFile(join(cwd, 'list'), '# by name and folder\ngood\ntorn\ngone gone/at/all\nnever\n')

    const { code, stdout } = await run(['compare', '--targets', 'list'], { cwd })
    const found = await run(['compare', '--targets', '.'], { cwd })

    expect(stdout).toContain('gone: ABSENT; no earlier run is known\n    no verdict.json in gone/at/all\n')
    expect(stdout).toContain('never: ABSENT;')
    expect(stdout).toMatch(/torn: UNREADABLE; .*\n {4}torn\/verdict\.json is not JSON/)
    expect(stdout).not.toContain(cwd)
    expect(stdout).toContain('3 of 4 targets have no verdict (exit 1)\n')
    // A folder shows where a verdict was, and not what never was.
    expect(found.stdout).toContain('2 of 3 targets have no verdict (exit 1)\n')
    expect([code, found.code]).toEqual([1, 1])
  })

  test('does not take an old verdict for a new one where an age is given, and ends in 1', async ({
    expect,
  }) => {
    const hoursAgo = (hours: number): Verdict => ({
      ...sound,
      startedAt: new Date(Date.now() - hours * 3_600_000).toISOString(),
    })
    const cwd = await folderOf({
      'all/today': { last: hoursAgo(2) },
      'all/yesterday': { last: hoursAgo(26) },
    })

    const { code, stdout } = await run(['compare', '--targets', 'all', '--max-age', '25'], { cwd })
    const both = await run(['compare', '--targets', 'all', '--max-age', '27'], { cwd })
    const wrong = await run(['compare', '--targets', 'all', '--max-age', 'a day'], { cwd })

    expect(stdout).toMatch(
      /^✗ 1 yesterday: OUTDATED; was conformant on .* 26 h old\n {4}no run began in the last 25 h\n/,
    )
    expect(stdout).toContain('1 of 2 targets has no verdict (exit 1)\n')
    expect(wrong.stderr).toBe('--max-age: expected a whole number of hours, 1 to 99999\n')
    expect([code, both.code, wrong.code]).toEqual([1, 0, 2])
  })

  test.for<[string, RegExp]>([
    ['a\nb\na c', /^list:3 has the name of line 1: a\n$/],
    ['# none', /^list lists no target; give a list/],
  ])('refuses a list that is none: %j', async ([list, message], { expect }) => {
    const cwd = await emptyFolder()
    await writeFile(join(cwd, 'list'), list)

    const { code, stdout, stderr } = await run(['compare', '--targets', 'list'], { cwd })

    expect(stderr).toMatch(message)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test('of services that broke, were not reached or stayed the same: each beside its own last run', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    let isBroken = false
    const service = await reference({
      intervene: (request, response) => {
        if (!isBroken || request.headers['x-api-key'] !== undefined) return false
        response
          .writeHead(401, { 'content-type': 'application/json' })
          .end('{"error_code":"1006","error_message":""}')
        return true
      },
    })
    const closing = await reference()
    const judge = async (name: string, judged: typeof service): Promise<unknown> =>
      run(['--only', 'authentication/*', '--quiet', '--reports-dir', `pods/${name}`], {
        cwd,
        env: settingsFor(judged),
      })
    for (const name of ['same', 'broke', 'lost']) await judge(name, name === 'lost' ? closing : service)
    await judge('same', service)
    await closing.close()
    await judge('lost', closing)
    isBroken = true
    await judge('broke', service)
    await cp(join(cwd, 'pods/same'), join(cwd, 'pods/deep/er'), { recursive: true })

    const { code, stdout } = await run(['compare', '--targets', 'pods'], { cwd })

    const text = stdout.replaceAll(/\s+/g, ' ')
    expect(text).toMatch(
      /✗ 1 broke: PARTIAL, NONCONFORMANT; [^;]*; [1-4] newly failing \(last run [^;]*; 0 min old wrong answer, contract: A request without x-api-key/,
    )
    expect(text).toMatch(
      /! 2 lost: NOT JUDGED; was partial, conformant on [^;]*; 0 min old the run ended early: nobody/,
    )
    expect(text).toMatch(/! 3 deep\/er: PARTIAL, CONFORMANT; [^;]*; unchanged \(last run /)
    expect(text).not.toMatch(/\d+ worse|not judged any more/)
    expect(text).toContain('2 of 4 targets got worse (exit 1)')
    expect(code).toBe(1)
  })
})
