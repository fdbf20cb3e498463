import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseWaivers } from '../../settings/waivers-file.ts'
import { concluded, nonconformantVerdict, ruleWith, rulesWith } from '../../verdict/verdict.testing.ts'
import { reported, runIn } from './bundle.testing.ts'

const waive = ['waive', 'reports', '--out', 'w.json']
const named = ['--reason', 'mended in the next release', '--owner', 'Kim']
const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no such client is given' })
const spent = ruleWith('fuzz/path', { status: 'inconclusive', because: 'the budget was used up' })

async function fileOf(cwd: string): Promise<string> {
  return readFile(join(cwd, 'w.json'), 'utf8')
}

describe('waive', () => {
  test('writes an entry for each cause after the waivers of the run, and describes each entry', async () => {
    const cwd = await reported(nonconformantVerdict())
    const { code, stdout, stderr } = await runIn(cwd, [...waive, ...named])
    const [first, ...entries]: unknown[] = JSON.parse(await fileOf(cwd))

    const agreed = { reason: 'mended in the next release', owner: 'Kim' }
    expect(first).toEqual({ rule: 'authentication/no-side-door', ...agreed, expires: '2027-01-31' })
    expect(entries).toEqual(
      ['3f2a9c0d1e4b5a67', '81b7de0011aa22bb'].map((fingerprint) => ({
        fingerprint,
        ...agreed,
        expires: '2026-12-20',
      })),
    )
    expect(stdout).toContain('w.json was written: 2 exceptions for review.\n')
    expect(stdout).toContain('The file begins with the 1 waiver of that run, unchanged.\n')
    expect(stdout).toMatch(/^Review it, then run again: .* run --profile gate --waivers w\.json$/m)
    expect(stdout).toMatch(/^entry 2: answered 401 \/ 1006/m)
    expect(stdout).toMatch(/^entry 3: answered 404, with a body that is not JSON/m)
    expect([code, stderr]).toEqual([0, ''])
  })

  test('omits missing reasons and owners, which RUN_WAIVERS then reports for each entry', async () => {
    const cwd = await reported(nonconformantVerdict())
    const { stdout } = await runIn(cwd, [...waive, '--owner', 'Kim'])
    const { issues } = parseWaivers({ setting: 'RUN_WAIVERS', file: 'w.json', text: await fileOf(cwd) })

    expect(stdout).toContain('Review it, fill in reason of each entry, then run again: ')
    expect(issues.map(({ expected }) => expected)).toEqual(
      [1, 2].map((entry) => `w.json, [${entry}].reason: why this is accepted, in words`),
    )
  })

  test('omits waivers that have expired or are no longer needed', async () => {
    const waivers = nonconformantVerdict().waivers.flatMap((waiver) => [
      { ...waiver, expired: true },
      { ...waiver, gone: true as const },
    ])
    const cwd = await reported({ ...nonconformantVerdict(), waivers })

    expect((await runIn(cwd, [...waive, ...named])).code).toBe(0)
    expect(JSON.parse(await fileOf(cwd))).toHaveLength(2)
  })

  test('waives untested rules that acceptance requires, and names rules that no waiver can cover', async () => {
    const rules = rulesWith([untested, spent])
    const because = ['the run ended early: why it is incomplete']
    const cwd = await reported(concluded({ because, profile: 'acceptance', rules }))
    const { stdout } = await runIn(cwd, [...waive, ...named])

    expect(JSON.parse(await fileOf(cwd))).toMatchObject([{ rule: 'quota/exhausted', owner: 'Kim' }])
    expect(stdout).toContain('entry 1: quota/exhausted was not judged: no such client is given\n')
    expect(stdout).toContain(
      'No waiver can cover these rules, so the run stays incomplete:\n  fuzz/path: the budget was used up\n',
    )
  })
})
