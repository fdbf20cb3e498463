import { expect, describe, test } from 'vitest'
import { join } from 'node:path'
import { concluded, rulesWith, nonconformantVerdict, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { verdictDigest } from '../../verdict/verdict-json.ts'
import { emptyFolder, makeKeys, runIn, sealedFrom, signedRun } from './bundle.testing.ts'

const { rules, waivers } = nonconformantVerdict()
const accepted = verdictWith({ profile: 'acceptance', strict: true })
const claim =
  'These files are, byte for byte, what the holder of the key signed. This does not show that a run took place, which build answered, or when.\n'

/** A working folder with the archive of a run that signed, and its key. */
async function signedFrom(verdict: Verdict): Promise<string> {
  const cwd = await emptyFolder()
  await signedRun(cwd, verdict)
  await runIn(cwd, ['bundle', 'reports', '--out', 'evidence.tar.gz'])
  return cwd
}

describe('verify says of a whole archive', () => {
  test('verdict, target, build, exceptions, digest, key and validity, and what all that shows', async () => {
    const buildDigest = `sha256:${'b'.repeat(64)}`
    const validUntil = '2027-11-20T02:00:00.000Z'
    const target = { ...accepted.target, build: buildDigest }
    const waived = rulesWith(rules.filter(({ status }) => status === 'waived'))
    const verdict = { ...accepted, target, validUntil, rules: waived, waivers }
    const cwd = await signedFrom(verdict)
    const { code, stdout } = await runIn(cwd, ['verify', 'evidence.tar.gz', '--key', 'public.pem'])

    const address = 'https://staging.example.com/cards/api/customizations/list'
    expect(stdout.replace(/(?<=the SHA-256 )[0-9a-f]{64}/, '…')).toBe(
      `CONFORMANT WITH 1 AGREED EXCEPTION: ${address} (vendor, build ${buildDigest}), profile acceptance, strict, 2026-11-20 02:00:00 UTC
${join(cwd, 'evidence.tar.gz')} is whole: 9 files, each as it was sealed
verdict: conformant, exit code 0
target: "${address}"
build: "vendor", "${buildDigest}", as the maker of the run said
exceptions: 1
  - "authentication/no-side-door": "mended in the next release", agreed by "Kim" until "2027-01-31"
SHA-256 of verdict.json: ${verdictDigest(verdict)}
signed by the key that you gave, with the SHA-256 …
valid until 2027-11-20 02:00 UTC
${claim}`,
    )
    expect(code).toBe(0)
  })

  test('that nobody signed it', async () => {
    const { stdout } = await runIn(await sealedFrom(nonconformantVerdict()), ['verify', 'evidence.tar.gz'])

    expect(stdout).toContain('\nexceptions: 1\n')
    expect(stdout).toContain('\nnot signed\n')
    expect(stdout).toMatch(
      /Nobody signed these files: whoever has the archive may have made it\. This does not show that a run .*\n$/,
    )
  })

  test('that nobody named a build', async () => {
    const cwd = await sealedFrom(verdictWith({ target: { ...accepted.target, label: null, build: null } }))

    expect((await runIn(cwd, ['verify', 'evidence.tar.gz'])).stdout).toContain('\nbuild: not named (')
  })

  test('that only the archive names the key', async () => {
    const { stdout } = await runIn(await signedFrom(accepted), ['verify', 'evidence.tar.gz'])

    expect(stdout).toContain('signed by the key in the archive, ')
    expect(stdout.endsWith(claim)).toBe(true)
  })
})

describe('verify requires what it is told to', () => {
  const key = ['--key', 'public.pem']
  const conformant = ['--require', 'conformant']

  test.for<readonly [string, Verdict, readonly string[], number, string]>([
    ['an acceptance', accepted, conformant, 0, ''],
    ['an acceptance, signed', accepted, [...conformant, '--require-signature', ...key], 0, ''],
    ['a gate', verdictWith(), [], 0, ''],
    ['a gate, for an acceptance', verdictWith(), conformant, 1, 'the profile is gate, not acceptance'],
    [
      'a failed run',
      concluded({ ...nonconformantVerdict(), profile: 'acceptance' }),
      conformant,
      1,
      'exit code 1',
    ],
    ['one that expired', { ...accepted, validUntil: '2026-11-20T11:00:00.000Z' }, key, 1, 'it expired: '],
    ['no key', accepted, ['--require-signature'], 2, '--require-signature needs --key FILE'],
    ['something unknown', accepted, ['--require', 'green'], 2, 'Allowed choices are conformant'],
  ])('%s', async ([, verdict, args, due, says]) => {
    const cwd = await signedFrom(verdict)
    const { code, stdout, stderr } = await runIn(cwd, ['verify', 'evidence.tar.gz', ...args])

    expect(stderr).toContain(says)
    expect(stderr).not.toContain('cannot be trusted')
    expect([code, stdout.includes('is whole')]).toEqual([due, due !== 2])
  })
})

describe('verify ends with 2 where nothing could be checked:', () => {
  test.for<readonly [string, readonly string[], string]>([
    ['a missing archive', ['missing.tar.gz'], 'cannot be checked: there is no such file'],
    ['a folder', ['reports'], 'cannot be checked: it is a folder'],
    ['a device', ['/dev/zero'], 'cannot be checked: it is no plain file'],
    ['a missing key', ['evidence.tar.gz', '--key', 'missing.pem'], 'missing.pem cannot be read'],
    ['a key that is none', ['evidence.tar.gz', '--key', 'evidence.tar.gz'], 'holds no key in PEM'],
    ['a private key', ['evidence.tar.gz', '--key', 'key.pem'], 'key.pem holds a private key'],
    ['a key without a name', ['evidence.tar.gz', '--key', ''], 'cannot be read'],
  ])('%s', async ([, args, says]) => {
    const cwd = await sealedFrom(nonconformantVerdict())
    makeKeys(cwd)
    const { code, stdout, stderr } = await runIn(cwd, ['verify', ...args])

    expect(stderr).toContain(says)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })
})
