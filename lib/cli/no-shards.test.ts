import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { historyLine } from '../verdict/history-line.ts'
import { verdictWith } from '../verdict/verdict.testing.ts'
import { emptyFolder, reported, runIn, sealedFrom } from './bundle.testing.ts'

const sentence = 'there are no shards any more, since a run waits'
const embedded = { TARGET_BASE_URL: 'embedded' }

/** Every file below a folder, with what it holds. */
async function contentsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)))
}

describe('who asks for a shard is told that there are none, in 2, and no report is touched:', () => {
  test.each([
    ['run', [], { RUN_SHARD: '1/8' }],
    ['run as JSON', ['run', '--format', 'json'], { RUN_SHARD: '1/8' }],
    ['plan', ['plan'], { RUN_SHARD: '1/8' }],
    ['doctor', ['doctor'], { RUN_SHARD: '1/8' }],
    ['replay', ['replay', 'fuzz/api-key:1:presence.0'], { RUN_SHARD: '1/8' }],
    ['proxy', ['proxy'], { RUN_SHARD: '1/8' }],
    ['the flag of run', ['--shard', '1/8'], {}],
    ['the flag of run, with =', ['run', '--shard=1/8'], {}],
    ['the flag of plan', ['plan', '--shard', '1/8'], {}],
    ['the flag of doctor', ['doctor', '--shard', '1/8'], {}],
    ['the flag of replay', ['replay', 'fuzz/api-key:1:presence.0', '--shard', '1/8'], {}],
    ['the flag of proxy', ['proxy', '--shard', '1/8'], {}],
    ['the flag of report', ['report', 'reports', '--shard', '1/8'], {}],
    ['the flag of rules', ['rules', '--shard=1/8'], {}],
    ['the flag of bundle', ['bundle', 'reports', '--shard', '1/8'], {}],
    ['the flag beside one without its value', ['--shard', '1/8', '--only'], {}],
    ['merge', ['merge', 'reports', '--reports-dir', 'reports'], {}],
    ['merge alone', ['merge'], {}],
    ['the help of merge', ['merge', '--help'], {}],
  ])('%s', async (_, args, env) => {
    const cwd = await reported()
    const before = await contentsOf(cwd)

    const { code, stderr } = await runIn(cwd, args, { ...embedded, ...env })

    expect(stderr).toContain(sentence)
    expect(stderr).toContain('to judge many targets, run the program once for each')
    expect(await contentsOf(cwd)).toEqual(before)
    expect(code).toBe(2)
  })

  test('by .env, beside another mistake', async () => {
    const cwd = await reported()
    await writeFile(join(cwd, '.env'), 'RUN_SHARD=1/8\n')
    const before = await contentsOf(cwd)

    const { code, stderr } = await runIn(cwd, ['--seed', 'x'], embedded)

    expect(stderr).toMatch(
      /^2 mistakes in the settings; nothing was sent\.\n\nRUN_SHARD\n {2}given {5}1\/8\n/m,
    )
    expect(stderr).toContain('RUN_SEED (--seed)')
    expect(await contentsOf(cwd)).toEqual(before)
    expect(code).toBe(2)
  })
})

test('an empty RUN_SHARD says nothing', async () => {
  const { code, stderr } = await runIn(await emptyFolder(), ['proxy', '--seed', 'x'], {
    ...embedded,
    RUN_SHARD: '',
  })

  expect([code, stderr]).toEqual([2, expect.stringMatching(/^One mistake(?!.*RUN_SHARD)/s)])
})

test('no help lists shards, nor the command that joined them', async () => {
  const cwd = await emptyFolder()
  const told = await Promise.all(
    [['--help'], ['run', '--help'], ['plan', '--help']].map((args) => runIn(cwd, args)),
  )

  for (const { stdout } of told) expect(stdout).not.toMatch(/shard|merge/i)
})

describe('a verdict of version 0.1', () => {
  const old = (shard: string | null) => verdictWith({ selection: { only: null, shard } })

  test('of one shard is read as a part, by every command', async () => {
    const cwd = await sealedFrom(old('1/2'))
    const line = historyLine({ ...old('1/2'), startedAt: '2026-11-19T02:00:00.000Z' })
    await appendFile(join(cwd, 'reports', 'history.jsonl'), `${JSON.stringify(line)}\n`)

    const made = await runIn(cwd, ['report', 'reports'])
    const compared = await runIn(cwd, ['compare', 'reports/history.jsonl', 'reports'])
    const verified = await runIn(cwd, ['verify', 'evidence.tar.gz'])

    expect([made.code, compared.code, verified.code]).toEqual([0, 0, 0])
    expect(await readFile(join(cwd, 'reports', 'summary.md'), 'utf8')).toContain('PARTIAL, CONFORMANT')
    expect(await readFile(join(cwd, 'reports', 'index.html'), 'utf8')).toContain('shard 1/2')
    expect(verified.stdout).toMatch(/^ONE SHARD ONLY \(1\/2\)/)
  })

  test('of all cases is read as one about the whole', async () => {
    const cwd = await sealedFrom(old(null))
    const made = await runIn(cwd, ['report', 'reports'])
    const verified = await runIn(cwd, ['verify', 'evidence.tar.gz'])

    expect([made.code, verified.code]).toEqual([0, 0])
    expect(await readFile(join(cwd, 'reports', 'index.html'), 'utf8')).not.toContain('Only a part')
    expect(verified.stdout).toMatch(/^CONFORMANT/)
  })
})
