import { createHash, createPublicKey } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeKeys } from '../lib/doors/cli/bundle.testing.ts'
import { filesIn } from '../lib/report/evidence/bundle.testing.ts'
import { writeReports } from '../lib/report/write-reports.ts'
import { nonconformantVerdict } from '../lib/verdict/verdict.testing.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { reference, run } from './support/program-test.ts'
import { emptyFolder, settingsFor } from './support/program.ts'

/** The statement in an envelope. */
function payloadOf(envelope: Buffer | undefined): string {
  const { payload } = JSON.parse(envelope?.toString() ?? '')
  return Buffer.from(payload, 'base64').toString()
}

/** A folder with the reports of a verdict, sealed as `evidence.tar.gz`. */
async function sealedFolder(): Promise<string> {
  const cwd = await emptyFolder()
  await writeReports(nonconformantVerdict(), { folder: cwd, history: join(cwd, 'history.jsonl') })
  await run(['bundle', '.', '--out', 'evidence.tar.gz'], { cwd })
  return cwd
}

describe('the archive', () => {
  test('contains the reports of a run byte for byte, without history or local paths', async () => {
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
    // In the reports folder, because the search for credentials unpacks archives there.
    const bundled = await run(['bundle', 'reports', '--out', 'reports/evidence.tar.gz'], { cwd, env })
    const verified = await run(['verify', 'reports/evidence.tar.gz'], { cwd, env })

    const sealed = await filesIn(await readFile(join(cwd, 'reports', 'evidence.tar.gz')))
    const names = [...sealed.keys()]
    expect(names.filter((name) => name.startsWith('allure-results/')).length).toBeGreaterThan(10)
    expect(names.join()).not.toMatch(/history|\.env|evidence/)
    for (const name of names)
      expect(sealed.get(name)?.equals(await readFile(join(cwd, 'reports', name))), name).toBe(true)
    for (const [name, content] of sealed) {
      const text = name === 'attestation.json' ? payloadOf(content) : content.toString()
      expect(text, name).not.toContain(cwd)
    }
    expect(verified.stdout).toMatch(/^NONCONFORMANT: http:\/\/127\.0\.0\.1:/)
    const told = /SHA-256 of verdict\.json: ([0-9a-f]{64})\n/
    const [, printed = 'none'] = told.exec(bundled.stdout) ?? []
    expect(sealed.get('run.sha256')?.toString()).toContain(`${printed}  verdict.json\n`)
    expect(await readFile(join(cwd, 'reports', 'history.jsonl'), 'utf8')).toContain(`"digest":"${printed}"`)
    expect(told.exec(verified.stdout)?.[1]).toBe(printed)
    expect(verified.stdout).toContain(`build: "${digest}", as declared by the run\n`)
    const { startedAt = '', validUntil = '' } = judged.verdict ?? {}
    expect(Date.parse(validUntil) - Date.parse(startedAt)).toBe(30 * 86_400_000)
    expect(verified.stdout).toContain(`valid until ${validUntil.slice(0, 10)} `)
    expect([judged.code, bundled.code, verified.code, verified.stderr]).toEqual([1, 0, 0, ''])
  })

  test('is signed at the end of a run with a key, and packing it needs no key', async () => {
    const cwd = await emptyFolder()
    makeKeys(cwd)
    const settings = settingsFor(await reference())
    const env = { ...settings, RUN_SIGNING_KEY_FILE: 'key.pem' }
    const judged = await run(['--essential'], { cwd, env })
    await run(['bundle', 'reports', '--out', 'evidence.tar.gz'], { cwd })
    const signed = ['verify', 'evidence.tar.gz', '--key', 'public.pem', '--require-signature']
    const verified = await run(signed, { cwd })
    const again = await run(['--essential', '--quiet'], { cwd, env: settings })

    const key = createPublicKey(await readFile(join(cwd, 'public.pem')))
    const der = key.export({ type: 'spki', format: 'der' })
    const fingerprint = createHash('sha256').update(der).digest('hex')
    expect(verified.stdout).toContain(`signed by the key in --key, whose SHA-256 is ${fingerprint}`)
    expect([judged.code, verified.code, again.code]).toEqual([0, 0, 0])
    // The next run does not sign, and moves this signature to `previous`.
    const [next, previous] = await Promise.all(
      ['', 'previous'].map((name) => readFile(join(cwd, 'reports', name, 'attestation.json'), 'utf8')),
    )
    expect([next?.includes('"sig"'), previous?.includes('"sig"')]).toEqual([false, true])
    for (const { stdout, stderr } of [judged, verified]) expect(stdout + stderr).not.toContain('PRIVATE KEY')
  })

  test('cannot be signed with a public key: the run exits 2 before its first request', async () => {
    const cwd = await emptyFolder()
    makeKeys(cwd)
    const service = await reference()
    const env = { ...settingsFor(service), RUN_SIGNING_KEY_FILE: 'public.pem' }
    const { code, stderr } = await run([], { cwd, env })

    expect(stderr).toContain('contains no private key in PEM')
    expect([code, service.requests()]).toEqual([2, 0])
  })

  test('is not left half-written on a full disk: bundle exits 2', async () => {
    const cwd = await sealedFolder()
    const names = await readdir(cwd)
    const { code, stderr } = await run(['bundle', '.', '--out', 'another.tar.gz'], {
      cwd,
      through: ['bash', '-c', 'ulimit -f 4 && exec "$@"', 'bash'],
    })

    expect(stderr).toContain('another.tar.gz was not written: EFBIG')
    expect(await readdir(cwd)).toEqual(names)
    expect(code).toBe(2)
  })
})
