import { createHash, createPublicKey } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeKeys, reported } from '../lib/doors/cli/bundle.testing.ts'
import { filesIn } from '../lib/report/evidence/bundle.testing.ts'
import { nonconformantVerdict } from '../lib/verdict/verdict.testing.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { against, expectEnds, run as runAlone } from './support/program-test.ts'

test('the archive contains the reports of a run byte for byte, without history or local paths', async () => {
  const { cwd, run, read } = await against({
    faults: ['missing-api-key-called-invalid'],
    files: { 'endpoints.json': '[{ "method": "GET", "path": "/api/cards", "versions": [1] }]' },
  })
  const suites = await ownFolder({ 'own.mjs': declaring(ownEntry) })
  const digest = `sha256:${'0123abcd'.repeat(8)}`
  const files = `--baseline ${cwd}/baseline.json --endpoints ${cwd}/endpoints.json --suites ${suites}`
  const judged = await run(`--build ${digest} --valid-days 30 ${files}`)
  await writeFile(join(cwd, 'reports', '.env'), 'SOMETHING=else\n')
  // In the reports folder, because the search for credentials unpacks archives there.
  const bundled = await run('bundle reports --out reports/evidence.tar.gz')
  const verified = await run('verify reports/evidence.tar.gz')

  const sealed = filesIn(await readFile(join(cwd, 'reports', 'evidence.tar.gz')))
  const names = [...sealed.keys()]
  expect(names.filter((name) => name.startsWith('allure-results/')).length).toBeGreaterThan(10)
  expect(names.join()).not.toMatch(/history|\.env|evidence/)
  for (const name of names)
    expect(sealed.get(name)?.equals(await readFile(join(cwd, 'reports', name))), name).toBe(true)
  for (const [name, content] of sealed) {
    // The statement in the envelope, or the file.
    const isEnvelope = name === 'attestation.json'
    const text = isEnvelope ? atob(JSON.parse(content.toString()).payload) : content.toString()
    for (const folder of [cwd, suites]) expect(text, name).not.toContain(folder)
  }
  const told = /SHA-256 of verdict\.json: ([0-9a-f]{64})\n/
  const [, printed = 'none'] = told.exec(bundled.stdout) ?? []
  expect(sealed.get('run.sha256')?.toString()).toContain(`${printed}  verdict.json\n`)
  expect(await read('reports/history.jsonl')).toContain(`"digest":"${printed}"`)
  expect(told.exec(verified.stdout)?.[1]).toBe(printed)
  const { startedAt = '', validUntil = '' } = judged.verdict ?? {}
  expect(Date.parse(validUntil) - Date.parse(startedAt)).toBe(30 * 86_400_000)
  const build = `build: "${digest}", as declared by the run\n`
  const said = [/^NONCONFORMANT: http:\/\/127\.0\.0\.1:/, build, `valid until ${validUntil.slice(0, 10)} `]
  expectEnds(verified, 0, ...said)
  expect([judged.code, bundled.code, verified.stderr]).toEqual([1, 0, ''])
})

test('the archive is signed at the end of a run with a key, and packing it needs no key', async () => {
  const { cwd, run, read } = await against()
  makeKeys(cwd)
  const judged = await run('--essential --signing-key-file key.pem')
  await run('bundle reports --out evidence.tar.gz')
  const verified = await run('verify evidence.tar.gz --key public.pem --require-signature')
  const again = await run('--essential')

  const key = createPublicKey(await readFile(join(cwd, 'public.pem')))
  const der = key.export({ type: 'spki', format: 'der' })
  const fingerprint = createHash('sha256').update(der).digest('hex')
  expectEnds(verified, 0, `signed by the key in --key, whose SHA-256 is ${fingerprint}`)
  expect([judged.code, again.code]).toEqual([0, 0])
  // The next run does not sign, and moves this signature to `previous`.
  expect(await read('reports/attestation.json')).not.toContain('"sig"')
  expect(await read('reports/previous/attestation.json')).toContain('"sig"')
  for (const { stdout, stderr } of [judged, verified]) expect(stdout + stderr).not.toContain('PRIVATE KEY')
})

test('the archive is not left half-written on a full disk: bundle exits 2', async () => {
  const cwd = await reported(nonconformantVerdict())
  const names = await readdir(cwd)
  const through = ['bash', '-c', 'ulimit -f 4 && exec "$@"', 'bash']
  const ended = await runAlone('bundle reports --out e.tar.gz', { cwd, through })

  expectEnds(ended, 2, 'e.tar.gz was not written: EFBIG')
  expect(await readdir(cwd)).toEqual(names)
})
