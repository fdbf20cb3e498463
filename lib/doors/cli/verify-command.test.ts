import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, describe, test } from 'vitest'
import { pack, tarOf } from '../../report/evidence/archive.ts'
import { rewritten, runOf, sealedAnew } from '../../report/evidence/bundle.testing.ts'
import { verdictDigest } from '../../verdict/verdict-json.ts'
import { concluded, rulesWith, nonconformantVerdict, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { emptyFolder, runIn, sealedFrom, signedRun } from './bundle.testing.ts'

const { rules, waivers } = nonconformantVerdict()
const accepted = verdictWith({ profile: 'acceptance', strict: true })
const claim =
  'The holder of the key signed exactly these files. This does not prove that a run took place, which build answered, or when.\n'

/** A working folder with the archive of a signed run, and both of its keys. */
async function signedFrom(verdict: Verdict): Promise<string> {
  const cwd = await signedRun(verdict)
  await runIn(cwd, ['bundle', 'reports', '--out', 'evidence.tar.gz'])
  return cwd
}

describe('for an intact archive, verify prints', () => {
  test('the verdict, target, build, exceptions, digest, key and validity, and what they prove', async () => {
    const buildDigest = `sha256:${'b'.repeat(64)}`
    const validUntil = '2027-11-20T02:00:00.000Z'
    const target = { ...accepted.target, build: buildDigest }
    const waived = rulesWith(rules.filter(({ status }) => status === 'waived'))
    const verdict = { ...accepted, target, validUntil, rules: waived, waivers }
    const cwd = await signedFrom(verdict)
    const { code, stdout } = await runIn(cwd, ['verify', 'evidence.tar.gz', '--key', 'public.pem'])

    const address = 'https://staging.example.com/cards/api/customizations/list'
    expect(stdout.replace(/(?<=whose SHA-256 is )[0-9a-f]{64}/, '…')).toBe(
      `CONFORMANT WITH 1 AGREED EXCEPTION: ${address} (vendor, build ${buildDigest}), profile acceptance, strict, 2026-11-20 02:00:00 UTC
${join(cwd, 'evidence.tar.gz')} is intact: 8 files, all unchanged since the run
verdict: conformant, exit code 0
target: "${address}"
build: "vendor", "${buildDigest}", as declared by the run
exceptions: 1
  - "authentication/no-side-door": "mended in the next release", agreed by "Kim" until "2027-01-31"
SHA-256 of verdict.json: ${verdictDigest(verdict)}
signed by the key in --key, whose SHA-256 is …
valid until 2027-11-20 02:00 UTC
${claim}`,
    )
    expect(code).toBe(0)
  })

  test('that it is unsigned', async () => {
    const { stdout } = await runIn(await sealedFrom(nonconformantVerdict()), ['verify', 'evidence.tar.gz'])

    expect(stdout).toContain('\nexceptions: 1\n')
    expect(stdout).toContain('\nnot signed: ')
    expect(stdout).toMatch(
      /These files are unsigned: anyone who had the archive could have made it\. This does not prove that a run .*\n$/,
    )
  })

  test('that no build was named', async () => {
    const cwd = await sealedFrom(verdictWith({ target: { ...accepted.target, label: null, build: null } }))

    expect((await runIn(cwd, ['verify', 'evidence.tar.gz'])).stdout).toContain('\nbuild: not named (')
  })

  test('that the signature was not checked', async () => {
    const { stdout } = await runIn(await signedFrom(accepted), ['verify', 'evidence.tar.gz'])

    expect(stdout).toMatch(/\nsigned by a key whose SHA-256 is "[0-9a-f]{64}", not checked: name/)
    expect(stdout).toContain(
      '\nThe signature was not checked: anyone who had the archive could have made it. This',
    )
  })
})

const key = ['--key', 'public.pem']
const conformant = ['--require', 'conformant']
const over = { ...accepted, validUntil: '2026-11-20T11:00:00.000Z' }
const excepted = {
  ...accepted,
  rules: rulesWith(rules.filter(({ status }) => status === 'waived')),
  waivers,
}
const embedded = { ...accepted, target: { ...accepted.target, embedded: true } }
const few = { ...accepted, suite: { version: '99.0.0' }, rules: accepted.rules.slice(0, 2), ruleSet: '9' }
const part = concluded({ ...accepted, selection: { only: ['fuzz/*'] } })

test.for<readonly [string, Verdict, readonly string[], number, string]>([
  ['an acceptance', accepted, conformant, 0, ''],
  ['a signed acceptance', accepted, [...conformant, '--require-signature', ...key], 0, ''],
  ['a gate', verdictWith(), [], 0, ''],
  ['a gate instead of an acceptance', verdictWith(), conformant, 1, 'the profile is gate, not acceptance'],
  [
    'a failed run',
    concluded({ ...nonconformantVerdict(), profile: 'acceptance' }),
    conformant,
    1,
    'exit code 1',
  ],
  ['an expired verdict', over, key, 1, 'it expired: the verdict was valid until 2026-11-20 11:00 UTC; now'],
  ['a verdict on its last day', { ...accepted, validUntil: '2026-11-20T12:00:00.000Z' }, conformant, 0, ''],
  ['a verdict with exceptions', excepted, conformant, 0, ''],
  [
    'a run against the reference service',
    embedded,
    conformant,
    1,
    'the run judged the embedded reference service',
  ],
  ['a partial run', part, conformant, 1, 'the run judged only some of the rules'],
  ['a run that was not strict', { ...accepted, strict: false }, conformant, 1, 'the run was not strict'],
  ['two rules from another rule set', few, conformant, 1, 'version 99.0.0 of the suite made it, with rules'],
  ...['99.0.0', '1.0.1', '1.0.0-x'].map(
    (version) =>
      [
        `a verdict from version ${version}`,
        { ...accepted, suite: { version } },
        conformant,
        1,
        `version ${version} of the suite made it, with rules unknown to version 1.0.0`,
      ] as const,
  ),
  ['a verdict from an earlier version', { ...accepted, suite: { version: '0.10.9' } }, conformant, 0, ''],
  [
    'a required signature without a key',
    accepted,
    ['--require-signature'],
    2,
    '--require-signature needs --key FILE',
  ],
  ['an unknown requirement', accepted, ['--require', 'green'], 2, 'Allowed choices are conformant'],
])('verify enforces its requirements: %s', async ([, verdict, args, due, says]) => {
  const cwd = await signedFrom(verdict)
  const { code, stdout, stderr } = await runIn(cwd, ['verify', 'evidence.tar.gz', ...args])

  expect(stderr).toContain(says)
  expect(stderr).not.toContain('cannot be trusted')
  expect([code, stdout.includes('is intact')]).toEqual([due, due !== 2])
})

test('verify does not check reports from another version, and never accepts them as conformant', async () => {
  const cwd = await emptyFolder()
  const files = sealedAnew(null, '0.9.0')(rewritten('index.html', () => 'an older page')(runOf(accepted)))
  await writeFile(join(cwd, 'evidence.tar.gz'), pack(tarOf(files, accepted)))
  const verify = ['verify', 'evidence.tar.gz']
  const [shown, required] = [
    await runIn(cwd, verify),
    await runIn(cwd, [...verify, '--require', 'conformant']),
  ]

  expect(shown).toMatchObject({ code: 0, stderr: '' })
  for (const text of [shown.stdout, required.stderr])
    expect(text).toContain('reports not checked: they were made by version "0.9.0" of the suite')
  expect(required.code).toBe(1)
})
