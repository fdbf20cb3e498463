import { expect, test } from 'vitest'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { now } from './bundle.testing.ts'
import type { WholeArchive } from './check.ts'
import { unmetRequirements } from './requirements.ts'

const accepted = verdictWith({ profile: 'acceptance', strict: true })

function unmet(changes: Partial<Verdict>, archive: Partial<WholeArchive> = {}): readonly string[] {
  const whole = { kind: 'whole', files: 9, digest: 'a', signer: null, madeAgainBy: null } as const
  const verdict = { ...accepted, ...changes }
  const requirements = { conformant: true, signature: false, now }
  return unmetRequirements({ ...whole, verdict, ...archive }, requirements)
}

test.each<readonly [string, Partial<Verdict>, readonly string[]]>([
  ['an acceptance', {}, []],
  ['one with exceptions', { rules: [] }, []],
  ['one on its last day', { validUntil: now.toISOString() }, []],
  [
    'a failed run',
    { verdict: 'nonconformant', exitCode: 1 },
    ['the verdict is nonconformant, with exit code 1 (--require conformant)'],
  ],
  [
    'an incomplete run',
    { verdict: 'incomplete', exitCode: 3 },
    ['the verdict is incomplete, with exit code 3 (--require conformant)'],
  ],
  ...['99.0.0', '1.0.1', '1.0.0-x'].map((version): readonly [string, Partial<Verdict>, readonly string[]] => [
    `one of version ${version}`,
    { suite: { version } },
    [
      `version ${version} of the suite made it, whose rules version 1.0.0 does not know (--require conformant)`,
    ],
  ]),
  ['one of an earlier version', { suite: { version: '0.10.9' } }, []],
  ['a gate', { profile: 'gate' }, ['the profile is gate, not acceptance (--require conformant)']],
  ['a part', { selection: { only: ['fuzz/*'] } }, ['the run judged only a part (--require conformant)']],
  [
    'one case a rule',
    { selection: { only: null, essential: true } },
    ['the run judged only a part (--require conformant)'],
  ],
  [
    'the reference service',
    { target: { ...accepted.target, embedded: true } },
    ['the run judged the embedded reference service (--require conformant)'],
  ],
  [
    'an expired one',
    { validUntil: '2026-11-30T01:59:59.999Z' },
    ['it expired: the verdict was valid until 2026-11-30 01:59 UTC, and now it is 2026-11-30 02:00 UTC'],
  ],
])('%s is accepted as conformant, or refused with the reason', (_, changes, reasons) => {
  expect(unmet(changes)).toEqual(reasons)
})

test('what expired is not accepted, whatever is required', () => {
  const over = { ...accepted, validUntil: '2026-11-29T02:00:00.000Z' }
  const requirements = { conformant: false, signature: false, now }

  expect(
    unmetRequirements(
      { kind: 'whole', files: 9, digest: 'a', signer: null, madeAgainBy: null, verdict: over },
      requirements,
    ),
  ).toHaveLength(1)
})

test.each([
  [null, 1],
  [{ fingerprint: 'a', trusted: false }, 1],
  [{ fingerprint: 'a', trusted: true }, 0],
])('a required signature is that of the given key: %o', (signer, count) => {
  const whole = {
    kind: 'whole',
    files: 9,
    digest: 'a',
    signer,
    madeAgainBy: null,
    verdict: accepted,
  } as const

  expect(unmetRequirements(whole, { conformant: false, signature: true, now })).toHaveLength(count)
})
