import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe } from 'vitest'
import { makeKeys } from '../lib/cli/bundle.testing.ts'
import { filesIn, member, preceded } from '../lib/report/evidence/bundle.testing.ts'
import { nonconformantVerdict } from '../lib/verdict/verdict.testing.ts'
import { writeReports } from '../lib/report/write-reports.ts'
import { demands } from './gateways/installed.ts'
import { emptyFolder, settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

/** A folder with the reports of a verdict, sealed as `evidence.tar.gz`. */
async function sealedFolder(): Promise<string> {
  const cwd = await emptyFolder()
  await writeReports(nonconformantVerdict(), { folder: cwd, history: join(cwd, 'history.jsonl') })
  await run(['bundle', '.', '--out', 'evidence.tar.gz'], { cwd })
  return cwd
}

describe.concurrent('the archive', () => {
  test('of a run is sound, holds what is behind its findings, no history and no credential', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    const env = settingsFor(await reference({ faults: ['missing-api-key-called-invalid'] }))
    const digest = `sha256:${'0123abcd'.repeat(8)}`
    await run(['--quiet', '--build-digest', digest], { cwd, env })
    await writeFile(join(cwd, 'reports', '.env'), 'SOMETHING=else\n')
    // Within the reports folder, where what looks for credentials unpacks it.
    const bundled = await run(['bundle', 'reports', '--out', 'reports/evidence.tar.gz'], { cwd, env })
    const verified = await run(['verify', 'reports/evidence.tar.gz'], { cwd, env })

    const files = filesIn(await readFile(join(cwd, 'reports', 'evidence.tar.gz')))
    const names = [...files.keys()]
    expect(names[0]).toBe('README.txt')
    expect(names).toContain('exchanges/authentication/api-key-missing/1.json')
    expect(names.filter((name) => name.startsWith('allure-results/')).length).toBeGreaterThan(10)
    expect(names.join()).not.toMatch(/history|\.env|evidence/)
    for (const name of ['verdict.json', 'index.html', 'junit.xml', 'summary.md']) {
      expect(files.get(name)?.equals(await readFile(join(cwd, 'reports', name))), name).toBe(true)
    }
    expect(files.get('README.txt')?.toString()).toMatch(/^NONCONFORMANT: http:\/\/127\.0\.0\.1:/)
    expect(bundled.stdout).toContain(
      'left out, since it is no report of this run: ".env", "history.html", "history.jsonl"',
    )
    expect(verified.stdout).toContain(`checked: ${files.size} files`)
    expect(verified.stdout).toContain(`about the build with the digest ${digest}`)
    expect(verified.stdout).toContain('not signed: whoever has the archive may have made it')
    expect([bundled.code, verified.code, verified.stderr]).toEqual([0, 0, ''])
  })

  test('is signed by the key of RUN_SIGNING_KEY_FILE, and by no other', async ({ expect }) => {
    const cwd = await sealedFolder()
    makeKeys(cwd)
    await writeFile(join(cwd, '.env'), 'RUN_SIGNING_KEY_FILE=key.pem\n')
    await rm(join(cwd, 'evidence.tar.gz'))
    const bundled = await run(['bundle', '.', '--out', 'evidence.tar.gz'], { cwd })
    const verified = await run(['verify', 'evidence.tar.gz', '--key', 'public.pem'], { cwd })
    const unasked = await run(['verify', 'evidence.tar.gz'], { cwd })
    const other = generateKeyPairSync('ed25519').publicKey
    await writeFile(join(cwd, 'other.pem'), other.export({ type: 'spki', format: 'pem' }))
    const wrong = await run(['verify', 'evidence.tar.gz', '--key', 'other.pem'], { cwd })

    const key = createPublicKey(await readFile(join(cwd, 'public.pem')))
    const der = key.export({ type: 'spki', format: 'der' })
    const fingerprint = createHash('sha256').update(der).digest('hex')
    const files = filesIn(await readFile(join(cwd, 'evidence.tar.gz')))
    expect(files.get('attestation.json')?.toString()).toContain(`"keyid": "${fingerprint}"`)
    expect(files.get('public-key.pem')).toEqual(await readFile(join(cwd, 'public.pem')))
    expect(bundled.stdout).toContain(`the SHA-256 ${fingerprint}`)
    expect(verified.stdout).toContain(`signed by the key that you gave, with the SHA-256 ${fingerprint}`)
    expect(unasked.stdout).toContain('signed by a key that only the archive vouches for')
    expect(wrong.stderr).toContain('the archive was signed with another key')
    expect([bundled, verified, unasked, wrong].map(({ code }) => code)).toEqual([0, 0, 0, 1])
    expect(bundled.stdout + verified.stdout).not.toContain('PRIVATE KEY')
  })

  test.skipIf(!demands('openssl'))(
    'is checked by openssl alone, as its README.txt says, and refused where anything was changed',
    async ({ expect }) => {
      const cwd = await sealedFolder()
      makeKeys(cwd)
      await run(['bundle', '.', '--out', 'signed.tar.gz', '--signing-key-file', 'key.pem'], { cwd })
      const files = filesIn(await readFile(join(cwd, 'signed.tar.gz')))
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
        ['manifest.json', '"README.txt"', '"readme.txt"'],
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

describe.concurrent('verify', () => {
  test('says all that is wrong, and writes nothing, not even what would leave the folder', async ({
    expect,
  }) => {
    const cwd = await sealedFolder()
    const file = join(cwd, 'evidence.tar.gz')
    const members = [
      member({ path: '../escaped.txt' }, 'x'),
      member({ path: join(cwd, 'absolute.txt') }, 'x'),
      member({ path: 'index.html', type: 'SymbolicLink', linkpath: '/etc/passwd' }),
    ]
    await writeFile(file, preceded(await readFile(file), ...members))
    const names = await readdir(cwd)
    const { code, stdout, stderr } = await run(['verify', 'evidence.tar.gz'], { cwd })

    expect(stderr).toContain('"../escaped.txt" is refused: it leaves the folder')
    expect(stderr).toContain('absolute.txt" is refused: it is absolute')
    expect(stderr).toContain('"index.html" is a symbolic link')
    expect(stdout).toBe('')
    expect(await readdir(cwd)).toEqual(names)
    expect(await readdir(join(cwd, '..'))).not.toContain('escaped.txt')
    expect(code).toBe(1)
  })

  test('of a bomb ends soon, within a bounded memory', async ({ expect }) => {
    const cwd = await emptyFolder()
    const part = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    // 32 GiB.
    await writeFile(join(cwd, 'bomb.tar.gz'), Buffer.concat(Array.from({ length: 512 }, () => part)))
    const { code, stderr, memoryMiB } = await run(['verify', 'bomb.tar.gz'], { cwd })

    expect(stderr).toContain('unpacks to more than 256 MiB')
    expect(memoryMiB ?? 0).toBeLessThan(600)
    expect(code).toBe(2)
  })
})
