import { generateKeyPairSync } from 'node:crypto'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesIn } from '../report/evidence/bundle.testing.ts'
import { nonconformantVerdict, rulesWith, verdictWith } from '../verdict/verdict.testing.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { writeReports } from '../report/write-reports.ts'
import { emptyFolder, makeKeys, reported, runIn, sealedFrom } from './bundle.testing.ts'

const { rules: every, waivers } = nonconformantVerdict()
const waived = rulesWith(every.filter(({ status }) => status === 'waived'))

describe('a bundle', () => {
  test('of the same reports is the same, whenever and where it is made, and whatever was bundled before', async () => {
    const [one, other] = [await sealedFrom(), await reported()]
    await utimes(join(other, 'reports', 'verdict.json'), 1, 1)
    for (const out of ['first.tar.gz', 'reports/second.tgz', 'reports/third.tgz']) {
      await runIn(other, ['bundle', 'reports/', '--out', out])
    }

    const expected = await readFile(join(one, 'evidence.tar.gz'))
    for (const out of ['first.tar.gz', 'reports/second.tgz', 'reports/third.tgz']) {
      expect((await readFile(join(other, out))).equals(expected), out).toBe(true)
    }
  })

  test.for<readonly [string, Partial<Verdict>, string]>([
    ['filtered', { selection: { only: ['fuzz/*'] } }, 'PARTIAL (only fuzz/*), '],
    ['waived', { rules: waived, waivers }, 'CONFORMANT WITH 1 AGREED EXCEPTION: '],
    ['of the embedded service', { target: { ...verdictWith().target, embedded: true } }, 'EMBEDDED '],
  ])('of a run that was %s says so first', async ([, changes, beginning]) => {
    const cwd = await sealedFrom(verdictWith(changes))
    const { stdout } = await runIn(cwd, ['verify', 'evidence.tar.gz'])

    const readme =
      filesIn(await readFile(join(cwd, 'evidence.tar.gz')))
        .get('README.txt')
        ?.toString() ?? ''
    expect(readme.startsWith(beginning)).toBe(true)
    expect(stdout.startsWith(beginning)).toBe(true)
  })

  test('of what report made again is sound', async () => {
    const cwd = await emptyFolder()
    await mkdir(join(cwd, 'reports'))
    await writeFile(join(cwd, 'reports', 'verdict.json'), JSON.stringify(verdictWith()))
    await runIn(cwd, ['report', 'reports'])
    await runIn(cwd, ['bundle', 'reports', '--out', 'evidence.tar.gz'])

    const { code, stdout } = await runIn(cwd, ['verify', 'evidence.tar.gz'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^CONFORMANT/)])
  })

  test('takes nothing from earlier runs, of which the reports of the folder tell', async () => {
    const cwd = await reported()
    const folder = join(cwd, 'reports')
    const later = { ...nonconformantVerdict(), startedAt: '2026-11-21T02:00:00.000Z' }
    await writeReports(later, { folder, history: join(folder, 'history.jsonl') })
    await runIn(cwd, ['bundle', 'reports', '--out', 'evidence.tar.gz'])

    const page = filesIn(await readFile(join(cwd, 'evidence.tar.gz')))
      .get('index.html')
      ?.toString()
    expect(await readFile(join(folder, 'index.html'), 'utf8')).toContain('2026-11-20 02:00')
    expect(page).not.toContain('2026-11-20 02:00')
    expect(page).toContain('2026-11-21 02:00')
  })
})

describe('a signed bundle', () => {
  test('is the same for the same key, by flag or by setting, and another than the one without', async () => {
    const cwd = await sealedFrom()
    makeKeys(cwd)
    await runIn(cwd, ['bundle', 'reports', '--out', 'a.tar.gz', '--signing-key-file', 'key.pem'])
    const env = { RUN_SIGNING_KEY_FILE: join(cwd, 'key.pem') }
    await runIn(cwd, ['bundle', 'reports', '--out', 'b.tar.gz'], env)
    const unsigned = await runIn(cwd, ['verify', 'evidence.tar.gz', '--key', 'public.pem'])

    const [a, b] = [await readFile(join(cwd, 'a.tar.gz')), await readFile(join(cwd, 'b.tar.gz'))]
    expect(a.equals(b)).toBe(true)
    expect(unsigned.stderr).toContain('the archive is not signed')
    expect(unsigned.code).toBe(1)
  })

  test.for<readonly [string, readonly string[], Readonly<Record<string, string>>, string]>([
    ['an encrypted key', ['--signing-key-file', 'encrypted.pem'], {}, 'is encrypted'],
    ['a public key', ['--signing-key-file', 'public.pem'], {}, 'holds no private key in PEM'],
    ['another type', [], { RUN_SIGNING_KEY_FILE: 'rsa.pem' }, 'holds a key of the type rsa'],
    ['a missing file', [], { RUN_SIGNING_KEY_FILE: 'missing.pem' }, 'missing.pem cannot be read'],
    ['a flag without a value', ['--signing-key-file', ''], {}, 'cannot be read'],
    ['a misspelt setting', [], { RUN_SIGNING_KEYFILE: 'key.pem' }, 'did you mean RUN_SIGNING_KEY_FILE?'],
  ])('is none with %s: 2, and no archive that nobody signed', async ([, args, env, says]) => {
    const cwd = await reported()
    makeKeys(cwd)
    const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const encrypted = { cipher: 'aes-256-cbc', passphrase: 'secret' }
    await writeFile(join(cwd, 'rsa.pem'), rsa.export({ type: 'pkcs8', format: 'pem' }))
    await writeFile(join(cwd, 'encrypted.pem'), rsa.export({ type: 'pkcs8', format: 'pem', ...encrypted }))
    const { code, stderr } = await runIn(cwd, ['bundle', 'reports', '--out', 'a.tar.gz', ...args], env)

    expect(stderr).toContain(says)
    expect(await readdir(cwd)).not.toContain('a.tar.gz')
    expect(code).toBe(2)
  })
})

describe('a bundle with an end of validity', () => {
  test.for<readonly [string, number, string]>([
    ['1', 0, 'valid until 2026-11-21 02:00 UTC'],
    ['3650', 0, 'valid until 2036-11-17 02:00 UTC'],
  ])('of %s days says when it ends, on both commands', async ([days, code, says]) => {
    const cwd = await reported()
    const args = ['bundle', 'reports', '--out', 'a.tar.gz', '--valid-days', days]
    const bundled = await runIn(cwd, args)
    const verified = await runIn(cwd, ['verify', 'a.tar.gz'])

    expect(bundled.stdout).toContain(`${says}, counted from the start of the run\n`)
    expect(verified.stdout).toContain(`\n${says}\n`)
    expect([bundled.code, verified.code]).toEqual([0, code])
  })

  test('that is over is refused with its date', async () => {
    const cwd = await reported({ ...nonconformantVerdict(), startedAt: '2026-11-19T11:59:59.999Z' })
    await runIn(cwd, ['bundle', 'reports', '--out', 'a.tar.gz', '--valid-days', '1'])
    const { code, stdout, stderr } = await runIn(cwd, ['verify', 'a.tar.gz'])

    expect(stderr).toContain(
      'the archive was valid until 2026-11-20 11:59 UTC, and now it is 2026-11-20 12:00',
    )
    expect([code, stdout]).toEqual([1, ''])
  })

  test.for(['0', '3651', '1.5', '-1', '', 'ten', '+5', '05'])('is none for %j days: 2', async (days) => {
    const cwd = await reported()
    const { code, stderr } = await runIn(cwd, [
      'bundle',
      'reports',
      '--out',
      'a.tar.gz',
      `--valid-days=${days}`,
    ])

    expect(stderr).toBe(
      `--valid-days is a whole number from 1 to 3650, written in digits only: "${days}" is not\n`,
    )
    expect(await readdir(cwd)).not.toContain('a.tar.gz')
    expect(code).toBe(2)
  })
})

describe('bundle ends with 2, and leaves nothing behind:', () => {
  test.for<readonly [string, string, string]>([
    ['of what is no folder', 'missing', 'is no reports folder'],
    ['of a file', 'reports/verdict.json', 'is no reports folder'],
    ['of a folder without a verdict', '.', 'verdict.json cannot be read'],
    ['of a verdict of another format', 'other', 'is of the format'],
    ['of a verdict that was cut short', 'cut', 'is not JSON'],
    ['of a verdict that names a rule twice', 'twice', 'contradicts itself: it holds a rule twice'],
  ])('%s', async ([, folder, says]) => {
    const cwd = await reported()
    const text = await readFile(join(cwd, 'reports', 'verdict.json'), 'utf8')
    const { rules } = nonconformantVerdict()
    for (const [name, content] of [
      ['other', text.replace('verdict/1', 'verdict/2')],
      ['cut', text.slice(0, -100)],
      ['twice', JSON.stringify({ ...nonconformantVerdict(), rules: [...rules, ...rules] })],
    ] as const) {
      await mkdir(join(cwd, name))
      await writeFile(join(cwd, name, 'verdict.json'), content)
    }
    const before = await readdir(cwd)
    const { code, stderr } = await runIn(cwd, ['bundle', folder, '--out', 'evidence.tar.gz'])

    expect(stderr).toContain(says)
    expect(await readdir(cwd)).toEqual(before)
    expect(code).toBe(2)
  })

  test.for<readonly [string, string, string]>([
    ['to a name that is no archive', 'reports/index.html', 'whose name ends in .tar.gz'],
    ['to nothing', '', 'whose name ends in .tar.gz'],
    ['to a place that is not there', 'missing/evidence.tar.gz', 'ENOENT'],
    ['to a place that nobody may write to', '/sys/kernel/evidence.tar.gz', '/sys/kernel/evidence.tar.gz: E'],
    ['to a folder', 'folder.tar.gz', 'folder.tar.gz exists already, and an archive replaces nothing'],
  ])('%s', async ([, out, says]) => {
    const cwd = await reported()
    await mkdir(join(cwd, 'folder.tar.gz'))
    const page = await readFile(join(cwd, 'reports', 'index.html'))
    const { code, stderr } = await runIn(cwd, ['bundle', 'reports', '--out', out])

    expect(stderr).toContain(says)
    expect(await readdir(cwd)).toEqual(['folder.tar.gz', 'reports'])
    expect(await readFile(join(cwd, 'reports', 'index.html'))).toEqual(page)
    expect(code).toBe(2)
  })

  test('without --out', async () => {
    const { code, stderr } = await runIn(await reported(), ['bundle', 'reports'])

    expect(stderr).toContain('--out <file>')
    expect(code).toBe(2)
  })
})
