import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { historyText, parsedLine } from '../lib/verdict/history-text.ts'
import { runInProcess } from './support/in-process.ts'
import { mendable } from './support/mendable.ts'
import { folderWith, ruleIn, rulesThat, settingsFor, type ProgramResult } from './support/program.ts'

const waiver = { reason: 'mended in the next release', owner: 'Kim', expires: '2999-12-31' }

/** A line of the history in which every fault was met now and then only. */
function asIntermittent(line: string): string {
  const known = parsedLine(line)
  if (known === null) return line
  return historyText({
    ...known,
    rules: known.rules.map((rule) => ({ ...rule, intermittent: rule.fingerprints })),
  })
}

describe('a waiver whose fault is gone', () => {
  /** Runs against a service that can be mended, with a waiver for its fault. */
  async function started() {
    const { service, mend } = await mendable()
    const waivers = [{ rule: 'authentication/api-key-missing', ...waiver }]
    const cwd = await folderWith({ 'waivers.json': JSON.stringify(waivers) })
    const judge = (profile: string): Promise<ProgramResult> => {
      const env = { ...settingsFor(service), RUN_WAIVERS: 'waivers.json', RUN_FUZZ_CASES: '2' }
      return runInProcess(['--profile', profile], { cwd, env })
    }
    return { cwd, judge, mend }
  }

  test('is announced loudly, and stops no deploy', async () => {
    const { cwd, judge, mend } = await started()
    const before = await judge('gate')
    expect(ruleIn(before.verdict, 'authentication/api-key-missing').status).toBe('waived')

    mend()
    const { code, verdict, stdout } = await judge('gate')

    expect(verdict?.waivers).toMatchObject([{ used: false, gone: true }])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('COVERED NOTHING, and its fault is gone: remove it')
    for (const name of ['summary.md', 'junit.xml']) {
      expect(await readFile(join(cwd, 'reports', name), 'utf8'), name).toContain('its fault is gone')
    }
    expect(code).toBe(0)
  })

  test('fails acceptance, which says to remove it and blames nobody, unless the fault was ever intermittent', async () => {
    const { cwd, judge, mend } = await started()
    await judge('acceptance')
    mend()
    const { code, verdict, stdout } = await judge('acceptance')

    expect(rulesThat(verdict, 'failed', 'waived')).toEqual([])
    expect(verdict).toMatchObject({ verdict: 'incomplete', exitCode: 3 })
    expect(verdict?.because).toEqual([
      expect.stringMatching(
        /^the waiver for authentication\/api-key-missing .* remove it from the file of RUN_WAIVERS$/,
      ),
    ])
    expect(stdout).toContain('acceptance waits for it')
    expect(code).toBe(3)

    const history = join(cwd, 'reports', 'history.jsonl')
    const lines = (await readFile(history, 'utf8')).trimEnd().split('\n')
    await writeFile(history, `${lines.map(asIntermittent).join('\n')}\n`)
    const lenient = await judge('acceptance')

    expect(lenient.verdict?.waivers).toMatchObject([{ used: false }])
    expect(lenient.stdout.replaceAll(/\s+/g, ' ')).toContain('COVERED NOTHING in this run')
    expect(lenient.code).toBe(0)
  })
})
