import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { historyLine } from '../lib/verdict/history-line.ts'
import { historyText } from '../lib/verdict/history-text.ts'
import {
  errorVerdict,
  findingWith,
  ruleWith,
  rulesWith,
  verdictWith,
} from '../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { emptyFolder, settingsFor } from './support/program.ts'
import { run, test } from './support/program-test.ts'

const failed = ruleWith('authentication/api-key-missing', { status: 'failed', findings: [findingWith()] })
const broken: Partial<Verdict> = {
  rules: rulesWith([failed]),
  verdict: 'nonconformant',
  exitCode: 1,
  because: ['authentication/api-key-missing is violated'],
}
const nonconformant = verdictWith(broken)

/** A folder with a reports folder of this name for each verdict. */
async function folderWith(verdicts: Readonly<Record<string, unknown>>): Promise<string> {
  const cwd = await emptyFolder()
  for (const [name, verdict] of Object.entries(verdicts)) {
    await mkdir(join(cwd, name))
    await writeFile(
      join(cwd, name, 'verdict.json'),
      typeof verdict === 'string' ? verdict : JSON.stringify(verdict),
    )
  }
  return cwd
}

describe.concurrent('compare', () => {
  test('of two runs of a service that broke: exit 1, the rule and its finding', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    const only = ['--only', 'authentication/*', '--quiet']
    const sound = await reference()
    const bent = await reference({ faults: ['missing-api-key-called-invalid'] })
    await run([...only, '--reports-dir', 'a'], { cwd, env: settingsFor(sound) })
    await run([...only, '--reports-dir', 'b'], { cwd, env: settingsFor(bent) })

    const worse = await run(['compare', 'a', 'b'], { cwd })
    const better = await run(['compare', 'b/verdict.json', 'a'], { cwd })

    expect(worse.stdout).toContain('authentication/api-key-missing: passed → failed\n')
    expect(worse.stdout).toContain('answered 401 / 1006 where 400 / 1001 is documented')
    expect([worse.code, better.code]).toEqual([1, 0])
  })

  test.for<[string, Verdict, Verdict, number]>([
    ['the same', verdictWith(), verdictWith(), 0],
    ['mended', nonconformant, verdictWith(), 0],
    ['failing as before', nonconformant, nonconformant, 0],
    ['newly failing', verdictWith(), nonconformant, 1],
    ['come to nothing', verdictWith(), errorVerdict(), 1],
  ])(
    'of a run that is %s ends in the right code, in every format',
    async ([, first, other, expected], { expect }) => {
      const cwd = await folderWith({ a: first, b: other })
      for (const format of ['text', 'markdown', 'json', 'html']) {
        const { code, stdout, stderr } = await run(['compare', 'a', 'b', '--format', format], { cwd })

        expect(stdout.length).toBeGreaterThan(100)
        expect(stderr).toBe('')
        expect(code).toBe(expected)
      }
    },
  )

  test('cannot read: 2, with every file and what is wrong with it, and nothing on standard output', async ({
    expect,
  }) => {
    const cwd = await folderWith({
      good: verdictWith(),
      broken: '{"format"',
      later: { ...verdictWith(), format: 'card-switch-conformance/verdict/2' },
    })
    const { code, stdout, stderr } = await run(['compare', 'broken', 'good', 'later', 'missing'], { cwd })

    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`${join(cwd, 'broken', 'verdict.json')} is not JSON`),
      expect.stringMatching(/later\/verdict\.json is of the format "card-switch-conformance\/verdict\/2"/),
      expect.stringContaining(`${join(cwd, 'missing')} cannot be read`),
    ])
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  test.for([
    ['compare'],
    ['compare', 'a'],
    ['compare', 'a', '--targets', 'list'],
    ['compare', 'a', 'b', '--max-age', '24'],
    ['compare', 'a', 'b', '--format', 'xml'],
  ])('needs two runs, or targets alone, and a format that it knows: %s', async (args, { expect }) => {
    const { code, stderr } = await run(args)

    expect(stderr).toContain('compare --help')
    expect(code).toBe(2)
  })

  test('takes a history for its last run before the second, of the same target and profile', async ({
    expect,
  }) => {
    const at = (hour: number, changes: Partial<Verdict> = {}): Verdict =>
      verdictWith({ startedAt: `2026-11-20T0${hour}:00:00.000Z`, ...changes })
    const cwd = await folderWith({ b: at(5, broken) })
    const history = [
      at(1, broken),
      at(2),
      at(3, { profile: 'nightly', ...broken }),
      at(4, { verdict: 'error', exitCode: 4 }),
      at(5),
      at(6, broken),
    ]
    for (const verdict of history)
      await appendFile(join(cwd, 'runs'), `${historyText(historyLine(verdict))}\n`)
    await writeFile(join(cwd, 'empty.jsonl'), '')

    const { code, stdout } = await run(['compare', 'runs', 'b'], { cwd })
    const none = await run(['compare', 'empty.jsonl', 'b'], { cwd })

    expect(stdout).toContain('2026-11-20 02:00:00 UTC')
    expect(stdout).toContain('newly failing (1)')
    expect(code).toBe(1)
    expect(none.stderr).toContain('empty.jsonl holds no run before b of the same target')
    expect(none.code).toBe(2)
  })
})
