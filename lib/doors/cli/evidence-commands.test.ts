import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pack, tarOf } from '../../report/evidence/archive.ts'
import { filesIn, rewritten, runOf, sealedAnew, smallVerdict } from '../../report/evidence/bundle.testing.ts'
import { hostileText, hostileVerdict, shortHostileVerdict } from '../../report/testing/hostile.ts'
import { writeReports } from '../../report/write-reports.ts'
import { parseWaivers } from '../../settings/waivers-file.ts'
import { verdictDigest, verdictJson } from '../../verdict/verdict-json.ts'
import {
  concluded,
  errorVerdict,
  nonconformantVerdict,
  rulesWith,
  ruleWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { emptyFolder, makeKeys, reported, runIn, sealedFrom, signedRun } from './bundle.testing.ts'

const failed = nonconformantVerdict()
const excepted = {
  rules: rulesWith(failed.rules.filter(({ status }) => status === 'waived')),
  waivers: failed.waivers,
}
const accepted = verdictWith({ profile: 'acceptance', strict: true })
const bundle = ['bundle', 'reports', '--out', 'evidence.tar.gz']
const verify = ['verify', 'evidence.tar.gz']
const key = ['--key', 'public.pem']

/** The files in the archive in a working folder. */
async function sealedFiles(cwd: string): Promise<ReadonlyMap<string, Buffer>> {
  return filesIn(await readFile(join(cwd, 'evidence.tar.gz')))
}

describe('a bundle', () => {
  test('of the same reports has the same bytes at any time, in any place and after other bundles', async () => {
    const [one, other] = [await sealedFrom(), await reported()]
    await utimes(join(other, 'reports', 'verdict.json'), 1, 1)
    const expected = await readFile(join(one, 'evidence.tar.gz'))
    for (const out of ['first.tar.gz', 'reports/second.tgz', 'reports/third.tgz']) {
      await runIn(other, ['bundle', 'reports/', '--out', out])
      expect((await readFile(join(other, out))).equals(expected), out).toBe(true)
    }
  })

  test.for<readonly [string, Verdict, beginning: string]>([
    ['that is conformant', verdictWith(), 'CONFORMANT: '],
    ['that is nonconformant', nonconformantVerdict(), 'NONCONFORMANT: '],
    ['that is filtered', verdictWith({ selection: { only: ['fuzz/*'] } }), 'PARTIAL, CONFORMANT: '],
    ['that is waived', verdictWith(excepted), 'CONFORMANT WITH 1 AGREED EXCEPTION: '],
    ['of the reference', verdictWith({ target: { ...verdictWith().target, embedded: true } }), 'EMBEDDED '],
    ['with every status', hostileVerdict('text'), ''],
    ['that ended with an error', errorVerdict(), 'ERROR: '],
  ])('of a run %s is intact, and verify begins with what it is', async ([, verdict, beginning]) => {
    const cwd = await reported(verdict, { allure: true })

    expect(await runIn(cwd, bundle)).toMatchObject({ code: 0, stderr: '' })
    const { code, stdout, stderr } = await runIn(cwd, verify)
    expect([code, stderr, stdout.slice(0, beginning.length)]).toEqual([0, '', beginning])
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
    expect([...files.keys()].join(' ')).toBe(
      'attestation.json index.html junit.xml metrics.prom requests.http run.sha256 summary.md verdict.json',
    )
    for (const name of files.keys())
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
    const earlier = { ...accepted, suite: { version: '0.0.9' } }
    await writeFile(join(cwd, 'reports', 'verdict.json'), verdictJson(earlier))
    const remade = await runIn(cwd, ['report', 'reports'])
    const bundled = await runIn(cwd, bundle)
    const verified = await runIn(cwd, verify)

    const again =
      /\nrecreated: version "0\.0\.9" of the suite judged .*, and version "1\.0\.0" made the reports\n/
    for (const { stdout } of [bundled, verified]) expect(stdout).toMatch(again)
    expect(remade.stdout).toMatch(
      /\nversion 0\.0\.9 of the suite made the run and verdict\.json\nversion 1\.0\.0 made the other reports, /,
    )
    expect((await sealedFiles(cwd)).get('index.html')?.toString()).toMatch(
      /<dt>Reports<\/dt>\s*<dd>made again from verdict\.json by/,
    )
    expect(verified.code).toBe(0)
  })
})

test('the signature of a run is packed, only its key verifies it, and it is gone from recreated reports', async () => {
  const cwd = await signedRun(verdictWith())
  const { stdout } = await runIn(cwd, bundle)
  const withKey = await runIn(cwd, [...verify, ...key, '--require-signature'])
  await runIn(cwd, ['report', 'reports'])
  const again = await runIn(cwd, ['bundle', 'reports', '--out', 'again.tar.gz'])
  const unsigned = await runIn(cwd, ['verify', 'again.tar.gz', ...key])
  makeKeys(cwd)
  const withOther = await runIn(cwd, [...verify, ...key])

  expect(stdout).toContain('\nsigned by a key whose SHA-256 is ')
  expect(again.stdout).toContain('\nnot signed')
  expect(withKey).toMatchObject({ code: 0, stderr: '' })
  expect([unsigned.code, unsigned.stderr]).toEqual([1, expect.stringContaining('is not signed')])
  expect(withOther.code).toBe(1)
})

test('bundle writes one intact archive when it runs three times at once, and refuses twice', async () => {
  const cwd = await reported()
  const codes = await Promise.all([1, 2, 3].map(async () => (await runIn(cwd, bundle)).code))

  expect(codes.toSorted((one, other) => one - other)).toEqual([0, 2, 2])
  expect((await runIn(cwd, verify)).code).toBe(0)
  expect(await readdir(cwd)).toEqual(['evidence.tar.gz', 'reports'])
})

const claim =
  'The holder of the key signed exactly these files. This does not prove that a run took place, which build answered, or when.\n'

const unnamed = verdictWith({ target: { ...accepted.target, label: null, build: null } })

/** A working folder with the archive of a signed run, and both of its keys. */
async function signedFrom(verdict: Verdict): Promise<string> {
  const cwd = await signedRun(verdict)
  await runIn(cwd, bundle)
  return cwd
}

describe('for an intact archive, verify prints', () => {
  test('the verdict, target, build, exceptions, digest, key and validity, and what they prove', async () => {
    const buildDigest = `sha256:${'b'.repeat(64)}`
    const validUntil = '2027-11-20T02:00:00.000Z'
    const target = { ...accepted.target, build: buildDigest }
    const verdict = { ...accepted, target, validUntil, ...excepted }
    const cwd = await signedFrom(verdict)
    const { code, stdout } = await runIn(cwd, [...verify, ...key])

    const address = 'https://staging.example.com/cards/api/customizations/list'
    expect(stdout.replace(/(?<=whose SHA-256 is )[0-9a-f]{64}/, '…')).toBe(
      `CONFORMANT WITH 1 AGREED EXCEPTION: ${address} (vendor, build ${buildDigest}), profile acceptance, strict, 2026-11-20 02:00:00 UTC
${join(cwd, 'evidence.tar.gz')} is intact: 8 files, all unchanged since the run
verdict: conformant, exit code 0
target: "${address}"
build: "vendor", "${buildDigest}", as declared by the run
exceptions: 1
  - "authentication/no-side-door": "fixed in the next release", agreed by "Kim" until "2027-01-31"
SHA-256 of verdict.json: ${verdictDigest(verdict)}
signed by the key in --key, whose SHA-256 is …
valid until 2027-11-20 02:00 UTC
${claim}`,
    )
    expect(code).toBe(0)
  })

  test.for<readonly [string, (verdict: Verdict) => Promise<string>, Verdict, RegExp]>([
    [
      'that it is unsigned, and its exceptions',
      sealedFrom,
      nonconformantVerdict(),
      /\nexceptions: 1\n[^]*\nnot signed: [^]*\nThese files are unsigned: anyone who had the archive could have made it\. This does not prove that a run .*\n$/,
    ],
    ['that no build was named', sealedFrom, unnamed, /\nbuild: not named \(/],
    [
      'that the signature was not checked',
      signedFrom,
      accepted,
      /\nsigned by a key whose SHA-256 is "[0-9a-f]{64}", not checked: name[^]*\nThe signature was not checked: anyone who had the archive could have made it\. This/,
    ],
  ])('%s', async ([, archived, verdict, says]) => {
    expect((await runIn(await archived(verdict), verify)).stdout).toMatch(says)
  })
})

const conformant = ['--require', 'conformant']
const failedRun = concluded({ ...failed, profile: 'acceptance' })
const over = { ...accepted, validUntil: '2026-11-20T11:00:00.000Z' }
const embedded = { ...accepted, target: { ...accepted.target, embedded: true } }
const few = { ...accepted, suite: { version: '99.0.0' }, rules: accepted.rules.slice(0, 2), ruleSet: '9' }
const part = concluded({ ...accepted, selection: { only: ['fuzz/*'] } })

test.for<readonly [string, Verdict, readonly string[], number, string]>([
  ['an acceptance', accepted, conformant, 0, ''],
  ['a signed acceptance', accepted, [...conformant, '--require-signature', ...key], 0, ''],
  ['a gate', verdictWith(), [], 0, ''],
  ['a gate instead of an acceptance', verdictWith(), conformant, 1, 'the profile is gate, not acceptance'],
  ['a failed run', failedRun, conformant, 1, 'exit code 1'],
  ['an expired verdict', over, key, 1, 'it expired: the verdict was valid until 2026-11-20 11:00 UTC; now'],
  ['a verdict on its last day', { ...accepted, validUntil: '2026-11-20T12:00:00.000Z' }, conformant, 0, ''],
  ['a verdict with exceptions', { ...accepted, ...excepted }, conformant, 0, ''],
  ['a run of the reference', embedded, conformant, 1, 'the run judged the embedded reference service'],
  ['a partial run', part, conformant, 1, 'the run judged only some of the rules'],
  ['a run that was not strict', { ...accepted, strict: false }, conformant, 1, 'the run was not strict'],
  ['two rules from another rule set', few, conformant, 1, 'version 99.0.0 of the suite made it, with rules'],
  ...['99.0.0', '1.0.1', '1.0.0-x'].map((version) => {
    const says = `version ${version} of the suite made it, with rules unknown to version 1.0.0`
    return [
      `a verdict from version ${version}`,
      { ...accepted, suite: { version } },
      conformant,
      1,
      says,
    ] as const
  }),
  ['a verdict from an earlier version', { ...accepted, suite: { version: '0.10.9' } }, conformant, 0, ''],
  ['a signature without a key', accepted, ['--require-signature'], 2, '--require-signature needs --key FILE'],
  ['an unknown requirement', accepted, ['--require', 'green'], 2, 'Allowed choices are conformant'],
])('verify enforces its requirements: %s', async ([, verdict, args, due, says]) => {
  const cwd = await signedFrom(verdict)
  const { code, stdout, stderr } = await runIn(cwd, [...verify, ...args])

  expect(stderr).toContain(due === 1 ? 'is intact, but does not meet the requirements, for ' : '')
  expect(stderr).toContain(says)
  expect([code, stdout.includes('is intact')]).toEqual([due, due !== 2])
})

test('verify does not check reports from another version, and never accepts them as conformant', async () => {
  const cwd = await emptyFolder()
  const files = sealedAnew(null, '0.9.0')(rewritten('index.html', () => 'an older page')(runOf(accepted)))
  await writeFile(join(cwd, 'evidence.tar.gz'), pack(tarOf(files, accepted)))
  const [shown, required] = [
    await runIn(cwd, verify),
    await runIn(cwd, [...verify, '--require', 'conformant']),
  ]

  expect(shown).toMatchObject({ code: 0, stderr: '' })
  for (const text of [shown.stdout, required.stderr])
    expect(text).toContain('reports not checked: they were made by version "0.9.0" of the suite')
  expect(required.code).toBe(1)
})

const waive = ['waive', 'reports', '--out', 'w.json']
const named = ['--reason', 'fixed in the next release', '--owner', 'Kim']
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

    const agreed = { reason: 'fixed in the next release', owner: 'Kim' }
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
