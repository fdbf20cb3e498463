import { access, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { elsewhere } from '../lib/judge/untested.ts'
import { readHistory } from '../lib/report/history.ts'
import { verdictWith } from '../lib/report/verdict.testing.ts'
import type { Verdict } from '../lib/report/verdict.ts'
import { emptyFolder, settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

/** A folder with the reports folders `1`, `2`, … of conformant shards, but for what is given. */
async function shards(of: number, changes: readonly Partial<Verdict>[] = []): Promise<string> {
  const cwd = await emptyFolder()
  for (let index = 1; index <= of; index += 1) {
    await mkdir(join(cwd, `${index}`))
    const shard = verdictWith({ selection: { only: null, shard: `${index}/${of}` }, ...changes[index - 1] })
    await writeFile(join(cwd, `${index}`, 'verdict.json'), JSON.stringify(shard))
  }
  return cwd
}

function statusesOf(verdict: Verdict | null): readonly string[] {
  return verdict?.rules.map(({ id, status, findings }) => `${id} ${status} ${findings.length > 0}`) ?? []
}

describe.concurrent('merge', () => {
  test('of three shards of a gate gives what one run gives: statuses and exit code', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    // A budget that leaves each shard as much as it needs, with what controls and confirmations take in each.
    const judge = async (...args: readonly string[]) => {
      const service = await reference({ faults: ['missing-api-key-called-invalid'] })
      const env = { ...settingsFor(service), RUN_MAX_REQUESTS: '6000', TARGET_LABEL: 'build 42' }
      return run(['--quiet', ...args], { cwd, env })
    }
    const whole = await judge('--reports-dir', 'whole')
    const wholeVerdict: Verdict = JSON.parse(await readFile(join(cwd, 'whole', 'verdict.json'), 'utf8'))
    for (const index of [1, 2, 3]) await judge('--shard', `${index}/3`, '--reports-dir', `${index}`)
    const { baseUrl } = wholeVerdict.target
    for (const index of [1, 2, 3]) {
      // Each service listened on a port of its own.
      const file = join(cwd, `${index}`, 'verdict.json')
      const shard: Verdict = JSON.parse(await readFile(file, 'utf8'))
      await writeFile(file, JSON.stringify({ ...shard, target: { ...shard.target, baseUrl } }))
    }

    const { code, verdict, stdout } = await run(['merge', '2', '1', '3'], { cwd })

    expect(statusesOf(verdict)).toEqual(statusesOf(wholeVerdict))
    expect(verdict?.rules.filter(({ because }) => because?.includes(elsewhere))).toEqual([])
    expect(code).toBe(whole.code)
    expect(code).toBe(1)
    expect(stdout).toContain('answered 401 / 1006 where 400 / 1001 is documented')
    expect(verdict).toMatchObject({ verdict: 'nonconformant', selection: { only: null, shard: null } })
  })

  test('writes every report and a line of the history, and removes what an earlier run left', async ({
    expect,
  }) => {
    const cwd = await shards(2)
    await mkdir(join(cwd, 'all', 'allure-results'), { recursive: true })
    const { code } = await run(['merge', '1', '2', '--reports-dir', 'all'], {
      cwd,
      env: { RUN_REPORTS_DIR: 'all' },
    })

    for (const name of ['verdict.json', 'index.html', 'junit.xml', 'summary.md']) {
      await expect(access(join(cwd, 'all', name))).resolves.toBeUndefined()
    }
    await expect(access(join(cwd, 'all', 'allure-results'))).rejects.toThrow('ENOENT')
    expect(await readHistory(join(cwd, 'all', 'history.jsonl'))).toMatchObject([
      { selection: { shard: null } },
    ])
    expect(code).toBe(0)
  })

  test('of shards of which one is missing is incomplete', async ({ expect }) => {
    const { code, stdout, verdict } = await run(['merge', '1', '3'], { cwd: await shards(3) })

    expect(stdout).toContain('shard 2/3 is missing')
    expect(verdict).toMatchObject({ verdict: 'incomplete' })
    expect(code).toBe(3)
  })

  test('of what does not belong together: 2, every reason, and an error in the place of an earlier verdict', async ({
    expect,
  }) => {
    const cwd = await shards(2, [{}, { seed: 7, profile: 'nightly' }])
    await mkdir(join(cwd, 'reports'))
    await writeFile(join(cwd, 'reports', 'index.html'), 'yesterday')
    const { code, stderr, verdict } = await run(['merge', '1', '2', '1'], { cwd })

    expect(stderr).toContain('different seeds')
    expect(stderr).toContain('different profiles')
    expect(stderr).toContain('shard 1/2 is there more than once: 1, 1')
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 2, rules: [] })
    expect(await readFile(join(cwd, 'reports', 'index.html'), 'utf8')).not.toContain('yesterday')
    expect(code).toBe(2)
  })

  test('of what cannot be read: 2, with the file', async ({ expect }) => {
    const cwd = await shards(1)
    const { code, stderr, verdict } = await run(['merge', '1', 'missing'], { cwd })

    expect(stderr).toContain(join(cwd, 'missing'))
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 2 })
    expect(code).toBe(2)
  })

  test.for([['1'], ['1/verdict.json'], ['./1/']])(
    'never writes over a shard: %s',
    async ([given = ''], { expect }) => {
      const cwd = await shards(2)
      const before = await readFile(join(cwd, '1', 'verdict.json'), 'utf8')
      const { code, stderr } = await run(['merge', given, '2', '--reports-dir', '1'], { cwd })

      expect(stderr).toContain('--reports-dir')
      expect(await readFile(join(cwd, '1', 'verdict.json'), 'utf8')).toBe(before)
      expect(code).toBe(2)
    },
  )

  test('that cannot write: 4 with path and reason, and the verdict on the terminal all the same', async ({
    expect,
  }) => {
    const cwd = await shards(2)
    await writeFile(join(cwd, 'taken'), 'a file')
    const { code, stdout, stderr } = await run(['merge', '1', '2', '--reports-dir', 'taken'], { cwd })

    expect(stderr).toContain(join(cwd, 'taken'))
    expect(stdout).toContain('41 passed')
    expect(code).toBe(4)
  })

  test('whose history cannot be written: 4, and a verdict that says so', async ({ expect }) => {
    const cwd = await shards(2)
    const { code, stderr, verdict } = await run(['merge', '1', '2'], { cwd, env: { RUN_HISTORY: '1' } })

    expect(stderr).toMatch(new RegExp(`${join(cwd, '1')}: EISDIR.*RUN_HISTORY`))
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(code).toBe(4)
  })
})
