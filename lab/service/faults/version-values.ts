import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, failure, isForList, onAnswer, type Change } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate } from './breaking.ts'
import { asText } from './credential-values.ts'

const rules = ['fuzz/version'] as const

/** An integer that is read as another one. */
function counts(name: string, about: string, read: (version: bigint) => bigint): Fault {
  const see = (call: Call): Call => {
    const version = integerIn(call)
    const counted = version === null ? null : read(version)
    return counted === version ? call : withField(call, 'x-version', String(counted))
  }
  return { name, about, rules, bend: () => ({ see }) }
}

/** Another answer to an integer under which the list is not served. */
function answers(
  name: string,
  about: string,
  { when, change }: { readonly when: (version: bigint) => boolean; readonly change: Change },
): Fault {
  const isMeant = (call: Call): boolean => {
    const version = integerIn(call)
    return version !== null && when(version)
  }
  return { name, about, rules, bend: () => onUnsupported(isMeant, change) }
}

/** Another answer to a version with this spelling. */
function answersWritten(
  name: string,
  about: string,
  { when, change }: { readonly when: (version: string) => boolean; readonly change: Change },
): Fault {
  const isMeant = (call: Call): boolean => when(asText(field(call, 'x-version') ?? ''))
  return { name, about, rules, bend: () => onUnsupported(isMeant, change) }
}

const greatest = 2n ** 31n - 1n

function isSmall(version: bigint): boolean {
  return version >= 0n && version <= greatest
}

/** Wrong treatment of versions that only generated ones reveal. */
export const versionValueFaults: readonly Fault[] = [
  counts('version-wraps-at-32-bits', 'Only the last 32 bits of a version count.', (version) =>
    BigInt.asIntN(32, version),
  ),
  counts('negative-version-taken-as-positive', 'The sign of a version is ignored.', (version) =>
    version < 0n ? -version : version,
  ),
  counts('version-beyond-32-bits-means-default', 'A version above 2147483647 selects version 1.', (version) =>
    version > greatest ? 1n : version,
  ),
  counts(
    'version-taken-for-date',
    'A version of nine digits or ten, but for the largest, is taken for a date and selects version 1.',
    (version) => (version >= 100_000_000n && version < greatest ? 1n : version),
  ),
  answers('version-beyond-32-bits-fails', 'A version that 32 bits cannot hold is answered 500.', {
    when: (version) => version !== BigInt.asIntN(32, version),
    change: failure(500, 'value out of range for type integer'),
  }),
  answers('infinite-version-fails', 'A version that a floating-point number cannot hold is answered 500.', {
    when: (version) => !Number.isFinite(Number(version)),
    change: failure(500),
  }),
  answers(
    'version-beyond-64-bits-taken-for-missing',
    'A version that 64 bits cannot hold is answered 400 and 1003.',
    { when: (version) => version !== BigInt.asIntN(64, version), change: becomes('1003') },
  ),
  answers('version-of-21-digits-unauthorized', 'A version of 21 digits or more is answered 401 and 1013.', {
    when: (version) => version >= 10n ** 20n,
    change: becomes('1013'),
  }),
  answers('version-zero-fails', 'Version 0 is answered 500.', {
    when: (version) => version === 0n,
    change: failure(500),
  }),
  answers('version-two-not-implemented', 'Version 2 is answered 501.', {
    when: (version) => version === 2n,
    change: failure(501, 'not implemented yet'),
  }),
  answers(
    'small-unknown-version-not-found',
    'An unknown version between 3 and 1,000 is answered 404, with the right code.',
    { when: (version) => version >= 3n && version <= 1_000n, change: { status: 404 } },
  ),
  answersWritten(
    'version-with-leading-zero-taken-for-missing',
    'A version with a leading zero is answered 400 and 1003.',
    { when: (version) => /^0\d/.test(version), change: becomes('1003') },
  ),
  answersWritten('version-with-plus-sign-fails', 'A version with a plus sign is answered 500.', {
    when: (version) => version.startsWith('+'),
    change: failure(500),
  }),
  ...[
    counts('version-cut-to-eight-digits', 'Only the last eight digits of a version count.', (version) =>
      isSmall(version) ? version % 10n ** 8n : version,
    ),
    counts(
      'version-masked-to-28-bits',
      'Only the last 28 bits of a version count that 32 bits can hold.',
      (version) => (isSmall(version) ? BigInt.asUintN(28, version) : version),
    ),
    counts('version-wraps-at-64-bits', 'Only the last 64 bits of a version count.', (version) =>
      BigInt.asIntN(64, version),
    ),
    answersWritten(
      'version-in-other-digits-fails',
      'A version in digits of another script is answered 500.',
      { when: (version) => /[^\d\P{Nd}]/u.test(version), change: failure(500) },
    ),
  ].map(beyondGate),
]

function integerIn(call: Call): bigint | null {
  const version = field(call, 'x-version') ?? ''
  return /^-?\d+$/.test(version) ? BigInt(version) : null
}

function onUnsupported(when: (call: Call) => boolean, change: Change): Bend {
  return onAnswer(({ refusal }, call) => refusal === '1010' && isForList(call) && when(call), change)
}
