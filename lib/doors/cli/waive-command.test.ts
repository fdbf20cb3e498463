import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseWaivers } from '../../settings/waivers-file.ts'
import { concluded, nonconformantVerdict, ruleWith, rulesWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { reported, runIn } from './bundle.testing.ts'

const waive = ['waive', 'reports', '--out', 'w.json']
const named = ['--reason', 'mended in the next release', '--owner', 'Kim']
const kept = {
  rule: 'authentication/no-side-door',
  reason: 'mended in the next release',
  owner: 'Kim',
  expires: '2027-01-31',
}
const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no such client is given' })
const spent = ruleWith('fuzz/path', { status: 'inconclusive', because: 'the budget was used up' })

async function fileOf(cwd: string): Promise<string> {
  return readFile(join(cwd, 'w.json'), 'utf8')
}

function incomplete(changes: Partial<Verdict>): Verdict {
  return concluded({ because: ['the run ended early: why it is incomplete'], ...changes })
}

describe('waive', () => {
  test('writes an entry a cause, behind the waivers of the run, and says what each is about', async () => {
    const cwd = await reported(nonconformantVerdict())
    const { code, stdout, stderr } = await runIn(cwd, [...waive, ...named])
    const [first, ...entries]: unknown[] = JSON.parse(await fileOf(cwd))

    expect(first).toEqual(kept)
    expect(entries).toEqual(
      ['3f2a9c0d1e4b5a67', '81b7de0011aa22bb'].map((fingerprint) => ({
        fingerprint,
        reason: 'mended in the next release',
        owner: 'Kim',
        expires: '2026-12-20',
      })),
    )
    expect(stdout).toContain('w.json was written: 2 exceptions for review.\n')
    expect(stdout).toContain('Before them stand the waivers of that run, unchanged: 1.\n')
    expect(stdout).toMatch(/^Read it, then run again: .* run --profile gate --waivers w\.json$/m)
    expect(stdout).toMatch(/^entry 2: answered 401 \/ 1006/m)
    expect(stdout).toMatch(/^entry 3: answered 404, with a body that is not JSON/m)
    expect([code, stderr]).toEqual([0, ''])
  })

  test('leaves reason and owner to be filled in, and RUN_WAIVERS says which entry lacks them', async () => {
    const cwd = await reported(nonconformantVerdict())
    const { stdout } = await runIn(cwd, [...waive, '--owner', 'Kim'])
    const { issues } = parseWaivers({ setting: 'RUN_WAIVERS', file: 'w.json', text: await fileOf(cwd) })

    expect(stdout).toContain('Read it, fill in reason of each, then run again: ')
    expect(issues.map(({ expected }) => expected)).toEqual(
      [1, 2].map((entry) => `w.json, [${entry}].reason: why this is accepted, in words`),
    )
  })

  test('leaves out waivers that expired or whose fault is gone', async () => {
    const [waiver] = nonconformantVerdict().waivers
    const waivers =
      waiver === undefined
        ? []
        : [
            { ...waiver, expired: true },
            { ...waiver, gone: true as const },
          ]
    const cwd = await reported({ ...nonconformantVerdict(), waivers })

    expect((await runIn(cwd, [...waive, ...named])).code).toBe(0)
    expect(JSON.parse(await fileOf(cwd))).toHaveLength(2)
  })

  test('waives by its rule what acceptance demands and was not tested, and names what no waiver covers', async () => {
    const rules = rulesWith([untested, spent])
    const cwd = await reported(incomplete({ profile: 'acceptance', rules }))
    const { stdout } = await runIn(cwd, [...waive, ...named])

    expect(JSON.parse(await fileOf(cwd))).toMatchObject([{ rule: 'quota/exhausted', owner: 'Kim' }])
    expect(stdout).toContain('entry 1: quota/exhausted was not judged: no such client is given\n')
    expect(stdout).toContain(
      'No waiver covers these, so the run stays incomplete:\n  fuzz/path: the budget was used up\n',
    )
  })
})
