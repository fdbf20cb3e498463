import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { makeKeys } from '../lib/doors/cli/bundle.testing.ts'
import { filesIn } from '../lib/report/evidence/bundle.testing.ts'
import { nonconformantVerdict } from '../lib/verdict/verdict.testing.ts'
import { writeReports } from '../lib/report/write-reports.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { demands } from './gateways/installed.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { emptyFolder, settingsFor } from './support/program.ts'
import { run, test } from './support/program-test.ts'

/** The statement in an envelope. */
function payloadOf(envelope: Buffer | undefined): string {
  const { payload } = JSON.parse(envelope?.toString() ?? '')
  return Buffer.from(payload, 'base64').toString()
}

/** The verdict as its vendor would like it. */
function whitewashed(verdict: Verdict | null): Verdict {
  if (verdict === null) throw new Error('there is no verdict')
  const rules = verdict.rules.map((rule) => ({
    ...rule,
    status: 'passed' as const,
    findings: [],
    answers: 1,
  }))
  return { ...verdict, verdict: 'conformant', exitCode: 0, because: [], causes: [], rules }
}

/** A folder with the reports of a verdict, sealed as `evidence.tar.gz`. */
async function sealedFolder(): Promise<string> {
  const cwd = await emptyFolder()
  await writeReports(nonconformantVerdict(), { folder: cwd, history: join(cwd, 'history.jsonl') })
  await run(['bundle', '.', '--out', 'evidence.tar.gz'], { cwd })
  return cwd
}

describe.concurrent('the archive', () => {
  test('holds what the run left, byte for byte, with no history and no path of whoever ran it', async ({
    reference,
    expect,
  }) => {
    const cwd = await ownFolder({ 'own.mjs': declaring(ownEntry) })
    const env = settingsFor(await reference({ faults: ['missing-api-key-called-invalid'] }))
    await writeFile(
      join(cwd, 'endpoints.json'),
      '[{ "method": "GET", "path": "/api/cards", "versions": [1] }]',
    )
    const files = ['--baseline', join(cwd, 'baseline.json'), '--endpoints', join(cwd, 'endpoints.json')]
    const digest = `sha256:${'0123abcd'.repeat(8)}`
    const args = ['--quiet', '--build', digest, '--suites', cwd, '--valid-days', '30', ...files]
    const judged = await run(args, { cwd, env })
    await writeFile(join(cwd, 'reports', '.env'), 'SOMETHING=else\n')
    // Within the reports folder, where what looks for credentials unpacks it.
    const bundled = await run(['bundle', 'reports', '--out', 'reports/evidence.tar.gz'], { cwd, env })
    const verified = await run(['verify', 'reports/evidence.tar.gz'], { cwd, env })

    const sealed = await filesIn(await readFile(join(cwd, 'reports', 'evidence.tar.gz')))
    const names = [...sealed.keys()]
    expect(names[0]).toBe('README.txt')
    expect(names.filter((name) => name.startsWith('allure-results/')).length).toBeGreaterThan(10)
    expect(names.join()).not.toMatch(/history|\.env|evidence/)
    for (const name of names.filter((one) => !['README.txt', 'attestation.json'].includes(one)))
      expect(sealed.get(name)?.equals(await readFile(join(cwd, 'reports', name))), name).toBe(true)
    for (const [name, content] of sealed) {
      const text = name === 'attestation.json' ? payloadOf(content) : content.toString()
      expect(text, name).not.toContain(cwd)
    }
    expect(sealed.get('README.txt')?.toString()).toMatch(/^NONCONFORMANT: http:\/\/127\.0\.0\.1:/)
    const told = /SHA-256 of verdict\.json: ([0-9a-f]{64})\n/
    const [, printed = 'none'] = told.exec(judged.stdout) ?? []
    expect(sealed.get('run.sha256')?.toString()).toContain(`${printed}  verdict.json\n`)
    expect(await readFile(join(cwd, 'reports', 'history.jsonl'), 'utf8')).toContain(`"digest":"${printed}"`)
    for (const { stdout } of [bundled, verified]) expect(told.exec(stdout)?.[1]).toBe(printed)
    expect(verified.stdout).toContain(`build: "${digest}", as the maker of the run said\n`)
    const { startedAt = '', validUntil = '' } = judged.verdict ?? {}
    expect(Date.parse(validUntil) - Date.parse(startedAt)).toBe(30 * 86_400_000)
    expect(verified.stdout).toContain(`valid until ${validUntil.slice(0, 10)} `)
    expect([judged.code, bundled.code, verified.code, verified.stderr]).toEqual([1, 0, 0, ''])
  })

  test('is signed at the end of the run by RUN_SIGN, whatever seals it later', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    makeKeys(cwd)
    const env = { ...settingsFor(await reference()), RUN_SIGNING_KEY_FILE: 'key.pem' }
    const judged = await run(['--essential', '--sign'], { cwd, env })
    await run(['bundle', 'reports', '--out', 'evidence.tar.gz'], { cwd })
    const signed = ['verify', 'evidence.tar.gz', '--key', 'public.pem', '--require-signature']
    const verified = await run(signed, { cwd })
    const again = await run(['--essential', '--quiet'], { cwd, env })

    const key = createPublicKey(await readFile(join(cwd, 'public.pem')))
    const der = key.export({ type: 'spki', format: 'der' })
    const fingerprint = createHash('sha256').update(der).digest('hex')
    expect(verified.stdout).toContain(`signed by the key that you gave, with the SHA-256 ${fingerprint}`)
    expect([judged.code, verified.code, again.code]).toEqual([0, 0, 0])
    // The next run, which does not sign, leaves no signature of this one.
    expect(await readdir(join(cwd, 'reports'))).not.toContain('run.attestation')
    expect(await readdir(join(cwd, 'reports', 'previous'))).toContain('run.attestation')
    for (const { stdout, stderr } of [judged, verified]) expect(stdout + stderr).not.toContain('PRIVATE KEY')
  })

  test.for([
    ['without a key', {}, 'RUN_SIGN'],
    ['with a key that is none', { RUN_SIGNING_KEY_FILE: 'public.pem' }, 'holds no private key in PEM'],
  ] as const)(
    'is not signed %s: 2, before anything is sent',
    async ([, given, says], { reference, expect }) => {
      const cwd = await emptyFolder()
      makeKeys(cwd)
      const service = await reference()
      const { code, stderr } = await run(['--sign'], { cwd, env: { ...settingsFor(service), ...given } })

      expect(stderr).toContain(says)
      expect([code, service.requests()]).toEqual([2, 0])
    },
  )

  test('of a verdict that was changed is what its key holder signed, and says so, and no more', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    makeKeys(cwd)
    const env = settingsFor(await reference({ faults: ['missing-api-key-called-invalid'] }))
    const judged = await run(['--only', 'authentication/api-key-missing'], { cwd, env })
    const file = join(cwd, 'reports', 'verdict.json')
    await writeFile(file, JSON.stringify(whitewashed(judged.verdict)))
    const refused = await run(['bundle', 'reports', '--out', 'refused.tar.gz'], { cwd })
    const remade = await run(['report', 'reports'], { cwd })
    const keyed = ['--signing-key-file', 'key.pem']
    const sealed = await run(['bundle', 'reports', '--out', 'evidence.tar.gz', ...keyed], { cwd })
    const verified = await run(['verify', 'evidence.tar.gz', '--key', 'public.pem'], { cwd })

    expect(refused.stderr).toContain('"verdict.json" was changed: its SHA-256 is not that in run.sha256')
    expect([judged, refused, remade, sealed, verified].map(({ code }) => code)).toEqual([1, 2, 0, 0, 0])
    const digestIn = (text: string) => /SHA-256 of verdict\.json: ([0-9a-f]{64})\n/.exec(text)?.[1]
    expect(digestIn(judged.stdout)).toMatch(/^[0-9a-f]{64}$/)
    expect(digestIn(verified.stdout)).toMatch(/^[0-9a-f]{64}$/)
    expect(digestIn(verified.stdout)).not.toBe(digestIn(judged.stdout))
    expect(verified.stdout).toContain(
      'made again: All reports were made again from verdict.json, by version ',
    )
    expect(verified.stdout).toContain(
      'These files are, byte for byte, what the holder of the key signed. This does not show that a run took place, which build answered, or when.\n',
    )
    const files = await filesIn(await readFile(join(cwd, 'evidence.tar.gz')))
    expect(payloadOf(files.get('attestation.json'))).toMatch(/"madeAgainBy": "\d/)
    expect(files.get('README.txt')?.toString()).toContain('All reports were made again from verdict.json')
  })

  test.skipIf(!demands('openssl'))(
    'is checked by openssl alone, as its README.txt says, and refused where anything was changed',
    async ({ expect }) => {
      const cwd = await sealedFolder()
      makeKeys(cwd)
      await run(['bundle', '.', '--out', 'signed.tar.gz', '--signing-key-file', 'key.pem'], { cwd })
      const files = await filesIn(await readFile(join(cwd, 'signed.tar.gz')))
      const readme = files.get('README.txt')?.toString() ?? ''
      const recipe = /Without the program[^]*?\n((?: {2}.*\n)+)/.exec(readme)?.[1] ?? ''
      const lines = recipe.replaceAll('KEY.pem', join(cwd, 'public.pem'))
      /** The exit code of the recipe, and what it said, after this change of one of the files. */
      const followed = async (name: string, from: string | RegExp, to: string) => {
        const folder = await emptyFolder()
        for (const [file, content] of files) {
          await mkdir(join(folder, file, '..'), { recursive: true })
          const text = content.toString()
          if (file === name) expect(text).toMatch(from)
          await writeFile(join(folder, file), file === name ? text.replace(from, to) : content)
        }
        const { status, stdout } = spawnSync('sh', ['-ec', lines], { cwd: folder, encoding: 'utf8' })
        return { status, stdout }
      }

      const sound = await followed('README.txt', /^/, '')
      expect(sound.stdout).toContain('Signature Verified Successfully')
      expect(sound.stdout).toContain('"sha256"')
      expect(sound.status).toBe(0)
      for (const [name, from, to] of [
        ['attestation.json', /(?<="payload": ").{40}/, (32).toString().repeat(20)],
        ['attestation.json', /(?<="sig": ")..../, 'AAAA'],
        ['run.sha256', 'verdict.json', 'verdict.txt'],
        ['README.txt', 'NONCONFORMANT', 'CONFORMANT'],
        ['junit.xml', '<failure', '<success'],
        ['verdict.json', 'nonconformant', 'conformant'],
      ] as const) {
        expect((await followed(name, from, to)).status, `${name} ${to}`).toBe(1)
      }
    },
  )

  test('is not there where the disk is full: 2, and nothing half', async ({ expect }) => {
    const cwd = await sealedFolder()
    const names = await readdir(cwd)
    const { code, stderr } = await run(['bundle', '.', '--out', 'another.tar.gz'], {
      cwd,
      through: ['bash', '-c', 'ulimit -f 4 && exec "$@"', 'bash'],
    })

    expect(stderr).toContain('another.tar.gz: EFBIG')
    expect(await readdir(cwd)).toEqual(names)
    expect(code).toBe(2)
  })
})
