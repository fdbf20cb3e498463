import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filesIn, smallVerdict } from '../../report/evidence/bundle.testing.ts'
import { hostileText, hostileVerdict, shortHostileVerdict } from '../../report/testing/hostile.ts'
import { writeReports } from '../../report/write-reports.ts'
import { verdictJson } from '../../verdict/verdict-json.ts'
import { errorVerdict, nonconformantVerdict, rulesWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { emptyFolder, makeKeys, reported, runIn, sealedFrom, signedRun } from './bundle.testing.ts'

const { rules: every, waivers } = nonconformantVerdict()
const waived = rulesWith(every.filter(({ status }) => status === 'waived'))
const bundle = ['bundle', 'reports', '--out', 'evidence.tar.gz']
const verify = ['verify', 'evidence.tar.gz']

/** The files in the archive in a working folder. */
async function sealedFiles(cwd: string): Promise<ReadonlyMap<string, Buffer>> {
  return filesIn(await readFile(join(cwd, 'evidence.tar.gz')))
}

describe('a bundle', () => {
  test('of the same reports has the same bytes at any time, in any place and after other bundles', async () => {
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
    ['filtered', { selection: { only: ['fuzz/*'] } }, 'PARTIAL, CONFORMANT: '],
    ['waived', { rules: waived, waivers }, 'CONFORMANT WITH 1 AGREED EXCEPTION: '],
    ['embedded', { target: { ...verdictWith().target, embedded: true } }, 'EMBEDDED '],
  ])('of a run that is %s makes verify begin with a warning', async ([, changes, beginning]) => {
    const cwd = await sealedFrom(verdictWith(changes))
    const { stdout } = await runIn(cwd, verify)

    expect(stdout.startsWith(beginning)).toBe(true)
  })

  test.for<readonly [string, Verdict]>([
    ['that is conformant', verdictWith()],
    ['that is nonconformant', nonconformantVerdict()],
    ['with every status', hostileVerdict('text')],
    ['that ended with an error', errorVerdict()],
  ])('of a run %s is intact', async ([, verdict]) => {
    const cwd = await reported(verdict, { allure: true })

    expect(await runIn(cwd, bundle)).toMatchObject({ code: 0, stderr: '' })
    expect(await runIn(cwd, verify)).toMatchObject({ code: 0, stderr: '' })
  })

  test('is intact whatever the service answers', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const cwd = await reported(shortHostileVerdict(`x${text}`), { allure: true })
        expect(await runIn(cwd, bundle)).toMatchObject({ code: 0, stderr: '' })
      }),
      { numRuns: 8 },
    )
  })

  test('contains the files of the run byte for byte, and reveals no other run', async () => {
    const cwd = await reported({ ...nonconformantVerdict(), startedAt: '2026-11-19T02:00:00.000Z' })
    const folder = join(cwd, 'reports')
    await writeReports(nonconformantVerdict(), { folder })
    await writeFile(join(folder, '.env'), 'SOMETHING=else')
    await runIn(cwd, bundle)

    const files = await sealedFiles(cwd)
    const reports = [
      'attestation.json',
      'index.html',
      'junit.xml',
      'metrics.prom',
      'requests.http',
      'run.sha256',
      'summary.md',
      'verdict.json',
    ]
    expect([...files.keys()]).toEqual(reports)
    for (const name of reports)
      expect(files.get(name)?.equals(await readFile(join(folder, name))), name).toBe(true)
    for (const [name, content] of files) expect(content.toString(), name).not.toContain('2026-11-19')
  })

  test('is intact despite Allure results of other tests in the reports folder', async () => {
    const cwd = await reported(smallVerdict, { allure: true })
    const other = { name: 'shop opens', status: 'failed' }
    const file = join(cwd, 'reports', 'allure-results', '00000000-0000-0000-0000-000000000000-result.json')
    await writeFile(file, JSON.stringify(other))
    await writeReports(smallVerdict, { folder: join(cwd, 'reports') })

    expect(await runIn(cwd, bundle)).toMatchObject({ code: 0, stderr: '' })
  })

  test('names the version that recreated the reports, as the page does', async () => {
    const cwd = await emptyFolder()
    await mkdir(join(cwd, 'reports'))
    const accepted = verdictWith({ profile: 'acceptance', strict: true, suite: { version: '0.0.9' } })
    await writeFile(join(cwd, 'reports', 'verdict.json'), verdictJson(accepted))
    const remade = await runIn(cwd, ['report', 'reports'])
    const bundled = await runIn(cwd, bundle)
    const verified = await runIn(cwd, verify)

    const again =
      'recreated: version "0.0.9" of the suite judged the service, and version "1.0.0" made the reports\n'
    for (const { stdout } of [bundled, verified]) expect(stdout).toContain(again)
    expect(remade.stdout).toContain('version 0.0.9 of the suite made the run and verdict.json\n')
    expect(remade.stdout).toContain(
      'version 1.0.0 made the other reports, run.sha256 and attestation.json again',
    )
    expect((await sealedFiles(cwd)).get('index.html')?.toString()).toMatch(
      /<dt>Reports<\/dt>\s*<dd>made again from verdict\.json by/,
    )
    expect(verified.code).toBe(0)
  })

  test('contains the expiry of the verdict, and stays intact after it', async () => {
    const cwd = await reported(verdictWith({ validUntil: '2026-11-20T11:59:59.999Z' }))
    const bundled = await runIn(cwd, bundle)
    const { code, stdout, stderr } = await runIn(cwd, verify)

    expect(bundled).toMatchObject({ code: 0 })
    expect(stdout).toContain('\nvalid until 2026-11-20 11:59 UTC\n')
    expect(stderr).toContain('is intact, but does not meet the requirements, for 1 reason:\n  - it expired: ')
    expect(code).toBe(1)
  })
})

describe('the signature of a run', () => {
  test('is packed, and only its key verifies it', async () => {
    const cwd = await signedRun(verdictWith())
    const { code, stdout } = await runIn(cwd, bundle)
    const withKey = await runIn(cwd, [...verify, '--key', 'public.pem', '--require-signature'])
    makeKeys(cwd)

    expect([code, stdout]).toEqual([0, expect.stringContaining('\nsigned by a key whose SHA-256 is ')])
    expect(withKey).toMatchObject({ code: 0, stderr: '' })
    expect(await runIn(cwd, [...verify, '--key', 'public.pem'])).toMatchObject({ code: 1 })
  })

  test('is gone after the reports are recreated', async () => {
    const cwd = await signedRun(verdictWith())
    await runIn(cwd, ['report', 'reports'])

    expect((await runIn(cwd, bundle)).stdout).toContain('\nnot signed')
    expect((await runIn(cwd, [...verify, '--key', 'public.pem'])).stderr).toContain('is not signed')
  })
})

test('bundle writes one intact archive when it runs three times at once, and refuses twice', async () => {
  const cwd = await reported()
  const codes = await Promise.all([1, 2, 3].map(async () => (await runIn(cwd, bundle)).code))

  expect(codes.toSorted((one, other) => one - other)).toEqual([0, 2, 2])
  expect((await runIn(cwd, verify)).code).toBe(0)
  expect(await readdir(cwd)).toEqual(['evidence.tar.gz', 'reports'])
})
