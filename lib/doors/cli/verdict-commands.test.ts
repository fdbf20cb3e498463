import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { filesIn, rewritten, runOf, sealedAnew, smallVerdict } from '../../report/evidence/bundle.testing.ts'
import { pack, tarOf } from '../../report/evidence/check.ts'
import { hostileText, hostileVerdict, oneOfEachStatus } from '../../report/testing/hostile.ts'
import { writeReports } from '../../report/write-reports.ts'
import { concluded, errorVerdict, nonconformantVerdict } from '../../verdict/verdict.testing.ts'
import { rulesWith, ruleWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import { verdictDigest, verdictJson, type Verdict } from '../../verdict/verdict.ts'
import { emptyFolder, reported, runIn } from './bundle.testing.ts'

const failed = nonconformantVerdict()
const waived = rulesWith(failed.rules.filter(({ status }) => status === 'waived'))
const excepted = { rules: waived, waivers: failed.waivers }
const accepted = verdictWith({ profile: 'acceptance', strict: true })
const bundle = ['bundle', 'reports', '--out', 'evidence.tar.gz']
const verify = ['verify', 'evidence.tar.gz']
const key = ['--key', 'public.pem']
const conformant = ['--require', 'conformant']

/** The archive in a working folder. */
const archiveIn = (cwd: string): Promise<Buffer> => readFile(join(cwd, 'evidence.tar.gz'))

test('a bundle of the same reports has the same bytes at any time, in any place and after other bundles', async () => {
  const [one, other] = [await reported(), await reported()]
  await runIn(one, bundle)
  await utimes(join(other, 'reports', 'verdict.json'), 1, 1)
  for (const out of ['first.tar.gz', 'reports/second.tgz', 'reports/third.tgz']) {
    await runIn(other, ['bundle', 'reports/', '--out', out])
    expect((await readFile(join(other, out))).equals(await archiveIn(one)), out).toBe(true)
  }
})

test('a bundle is intact whatever the service answers', async () => {
  const property = fc.asyncProperty(hostileText, async (text) => {
    const cwd = await reported(oneOfEachStatus(hostileVerdict(`x${text}`)), { allure: true })
    expect(await runIn(cwd, bundle)).toMatchObject({ code: 0, stderr: '' })
  })
  await fc.assert(property, { numRuns: 8 })
})

test('a bundle is intact despite Allure results of other tests in the reports folder', async () => {
  const cwd = await reported(smallVerdict, { allure: true })
  const file = join(cwd, 'reports', 'allure-results', '00000000-0000-0000-0000-000000000000-result.json')
  await writeFile(file, JSON.stringify({ name: 'shop opens', status: 'failed' }))
  await writeReports(smallVerdict, { folder: join(cwd, 'reports') })

  expect(await runIn(cwd, bundle)).toMatchObject({ code: 0, stderr: '' })
})

test('a bundle names the version that recreated the reports, as the page does', async () => {
  const cwd = await emptyFolder()
  await mkdir(join(cwd, 'reports'))
  const earlier = { ...accepted, suite: { version: '0.0.9' } }
  await writeFile(join(cwd, 'reports', 'verdict.json'), verdictJson(earlier))
  const remade = await runIn(cwd, ['report', 'reports'])
  const bundled = await runIn(cwd, bundle)
  const verified = await runIn(cwd, verify)

  const judged = 'version "0.0.9" of the suite judged the service, and version "1.0.0" made the reports'
  for (const { stdout } of [bundled, verified]) expect(stdout).toContain(`\nrecreated: ${judged}\n`)
  const remadeBy =
    /\nversion 0\.0\.9 .* made the run and verdict\.json\nversion 1\.0\.0 made the other reports, /
  expect(remade.stdout).toMatch(remadeBy)
  const page = filesIn(await archiveIn(cwd)).get('index.html')
  expect(String(page)).toMatch(/<dt>Reports<\/dt>\s*<dd>made again from verdict\.json by/)
  expect(verified.code).toBe(0)
})

test('the signature of a run is packed, and is gone from recreated reports', async () => {
  const cwd = await reported(verdictWith(), { isSigned: true })
  await runIn(cwd, bundle)
  const signed = await runIn(cwd, [...verify, ...key, '--require-signature'])
  await runIn(cwd, ['report', 'reports'])
  await runIn(cwd, ['bundle', 'reports', '--out', 'again.tar.gz'])
  const unsigned = await runIn(cwd, ['verify', 'again.tar.gz', ...key])

  expect(signed).toMatchObject({ code: 0, stderr: '' })
  expect([unsigned.code, unsigned.stderr]).toEqual([1, expect.stringContaining('is not signed')])
})

test('bundle writes one intact archive when it runs three times at once, and refuses twice', async () => {
  const cwd = await reported()
  const codes = await Promise.all([1, 2, 3].map(async () => (await runIn(cwd, bundle)).code))

  expect(codes.toSorted((one, other) => one - other)).toEqual([0, 2, 2])
  expect((await runIn(cwd, verify)).code).toBe(0)
  expect(await readdir(cwd)).toEqual(['evidence.tar.gz', 'reports'])
})

test('for an intact archive, verify prints what the run was, and what its files prove', async () => {
  const buildDigest = `sha256:${'b'.repeat(64)}`
  const validUntil = '2027-11-20T02:00:00.000Z'
  const verdict = { ...accepted, target: targetWith({ build: buildDigest }), validUntil, ...excepted }
  const cwd = await reported(verdict, { isSigned: true })
  await runIn(cwd, bundle)
  const { code, stdout } = await runIn(cwd, [...verify, ...key])

  const text = stdout.replaceAll(/(?<=SHA-256 (?:is|of verdict\.json:) )[0-9a-f]{64}/g, '…').replace(cwd, '')
  await expect(text).toMatchFileSnapshot('../../../tests/golden/forms/verify.txt')
  expect(stdout).toContain(verdictDigest(verdict))
  expect(code).toBe(0)
})

const unnamed = verdictWith({ target: targetWith({ label: null, build: null }) })
const failedRun = concluded({ ...failed, profile: 'acceptance' })
const over = { ...accepted, validUntil: '2026-11-20T11:00:00.000Z' }
const lastDay = { ...accepted, validUntil: '2026-11-20T12:00:00.000Z' }
const embedded = { ...accepted, target: targetWith({ embedded: true }) }
const madeBy = (version: string): Verdict => ({ ...accepted, suite: { version } })
const few = { ...madeBy('99.0.0'), rules: accepted.rules.slice(0, 2), ruleSet: '9' }
const part = concluded({ ...accepted, selection: { only: ['fuzz/*'] } })
const expired = 'it expired: the verdict was valid until 2026-11-20 11:00 UTC; now'
const trusted = [...conformant, '--require-signature', ...key]
const unknownRules = ' of the suite made it, with rules unknown to version 1.0.0'
const needsKey = '--require-signature needs --key FILE'
const unchecked =
  /\nsigned by a key whose SHA-256 is "[0-9a-f]{64}", not checked: name[^]*\nThe signature was not checked: anyone who had the archive could have made it\. This/
const unsigned =
  /\nexceptions: 1\n[^]*\nnot signed: [^]*\nThese files are unsigned: anyone who had the archive could have made it\. This does not prove that a run .*\n$/
const introduction = { 0: '', 1: 'is intact, but does not meet the requirements, for ', 2: '' } as const

test.for<readonly [string, Verdict, readonly string[], 0 | 1 | 2, string | RegExp, isSigned?: boolean]>([
  ['a conformant run', verdictWith(), [], 0, /^CONFORMANT: /],
  ['a nonconformant run', failed, [], 0, /^NONCONFORMANT: /],
  ['a run with every status', hostileVerdict('text'), [], 0, /^/],
  ['a run that ended with an error', errorVerdict(), [], 0, /^ERROR: /],
  ['an unsigned run', failed, [], 0, unsigned, false],
  ['no named build', unnamed, [], 0, /\nbuild: not named \(/],
  ['a signature that was not checked', accepted, [], 0, unchecked],
  ['an acceptance', accepted, conformant, 0, /^/],
  ['a signed acceptance', accepted, trusted, 0, /^/],
  ['a gate, not an acceptance', verdictWith(), conformant, 1, 'the profile is gate, not acceptance'],
  ['a failed run', failedRun, conformant, 1, 'exit code 1'],
  ['an expired verdict', over, key, 1, expired],
  ['a verdict on its last day', lastDay, conformant, 0, /^/],
  ['a verdict with exceptions', { ...accepted, ...excepted }, conformant, 0, /^/],
  ['a run of the reference', embedded, conformant, 1, 'the run judged the embedded reference service'],
  ['a partial run', part, conformant, 1, 'the run judged only some of the rules'],
  ['a run that was not strict', { ...accepted, strict: false }, conformant, 1, 'the run was not strict'],
  ['two rules from another rule set', few, conformant, 1, 'version 99.0.0 of the suite made it, with rules'],
  ['a verdict from version 99.0.0', madeBy('99.0.0'), conformant, 1, `99.0.0${unknownRules}`],
  ['a verdict from version 1.0.1', madeBy('1.0.1'), conformant, 1, `1.0.1${unknownRules}`],
  ['a verdict from version 1.0.0-x', madeBy('1.0.0-x'), conformant, 1, `1.0.0-x${unknownRules}`],
  ['a verdict from an earlier version', madeBy('0.10.9'), conformant, 0, /^/],
  ['a signature without a key', accepted, ['--require-signature'], 2, needsKey],
  ['an unknown requirement', accepted, ['--require', 'green'], 2, 'Allowed choices are conformant'],
])('verify describes a run, or refuses it: %s', async ([, verdict, args, due, says, isSigned = true]) => {
  // One file per rule only where there is most to write: the requirements depend on the verdict alone.
  const cwd = await reported(verdict, { allure: verdict.verdict === 'nonconformant', isSigned })
  expect(await runIn(cwd, bundle)).toMatchObject({ code: 0, stderr: '' })
  const { code, stdout, stderr } = await runIn(cwd, [...verify, ...args])

  expect(due === 0 ? stdout : stderr).toMatch(says)
  expect(stderr).toContain(introduction[due])
  expect([code, stdout.includes('is intact'), stderr === '']).toEqual([due, due !== 2, due === 0])
})

test('verify does not check reports from another version, and never accepts them as conformant', async () => {
  const cwd = await emptyFolder()
  const files = sealedAnew(null, '0.9.0')(rewritten('index.html', () => 'an older page')(runOf(accepted)))
  await writeFile(join(cwd, 'evidence.tar.gz'), pack(tarOf(files, accepted)))
  const shown = await runIn(cwd, verify)
  const required = await runIn(cwd, [...verify, ...conformant])

  expect(shown).toMatchObject({ code: 0, stderr: '' })
  for (const text of [shown.stdout, required.stderr])
    expect(text).toContain('reports not checked: they were made by version "0.9.0" of the suite')
  expect(required.code).toBe(1)
})

const agreed = { reason: 'fixed in the next release', owner: 'Kim' }
const owner = ['--owner', 'Kim']
const named = ['--reason', agreed.reason, ...owner]
const kept = { rule: 'authentication/no-side-door', ...agreed, expires: '2027-01-31' }
const drafted = { ...agreed, expires: '2026-12-20' }
const drafts = ['3f2a9c0d1e4b5a67', '81b7de0011aa22bb'].map((fingerprint) => ({ fingerprint, ...drafted }))
const unreasoned = drafts.map((draft) => ({ ...draft, reason: '' }))
const outdated = [{ expired: true }, { gone: true as const }]
const stale = failed.waivers.flatMap((waiver) => outdated.map((end) => ({ ...waiver, ...end })))
const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no such client is given' })
const spent = ruleWith('fuzz/path', { status: 'inconclusive', because: 'the budget was used up' })
const because = ['the run ended early: why it is incomplete']
const incomplete = concluded({ because, profile: 'acceptance', rules: rulesWith([untested, spent]) })
const ofUntested = { rule: 'quota/exhausted', ...drafted }

const review = [
  'w.json was written: 2 exceptions for review.\nThe file begins with the 1 waiver of that run, unchanged.\n',
  '\nReview it, then run again: ',
  ' run --profile gate --waivers w.json\n\nentry 2: answered 401 / 1006',
  '\nentry 3: answered 404, with a body that is not JSON',
]
const left =
  'entry 1: quota/exhausted was not judged: no such client is given\n\nNo waiver can cover these rules, so the run stays incomplete:\n  fuzz/path: the budget was used up\n'

test.for<[string, Verdict, entries: object[], says: string[], flags?: string[]]>([
  ['entries for each cause after the waivers of the run', failed, [kept, ...drafts], review],
  ['entries to complete', failed, [kept, ...unreasoned], ['fill in reason of each entry'], owner],
  ['no waivers that have expired or are no longer needed', { ...failed, waivers: stale }, drafts, []],
  ['untested rules that acceptance requires, but no others', incomplete, [ofUntested], [left]],
])('waive writes %s', async ([, verdict, entries, says, flags = named]) => {
  const cwd = await reported(verdict)
  const { code, stdout, stderr } = await runIn(cwd, ['waive', 'reports', '--out', 'w.json', ...flags])

  expect(JSON.parse(await readFile(join(cwd, 'w.json'), 'utf8'))).toEqual(entries)
  for (const text of says) expect(stdout).toContain(text)
  expect([code, stderr]).toEqual([0, ''])
})
