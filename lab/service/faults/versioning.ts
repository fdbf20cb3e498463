import type { Bend } from '../../../lib/serve/reference/bend.ts'
import {
  becomes,
  failure,
  isForList,
  onAnswer,
  onSuccess,
  page,
  type Change,
} from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'
import { breaking, shipped } from './breaking.ts'
import { seesVersionOne } from './credentials-sent.ts'

const defaultVersion = breaking('versioning/default-version', 'endpoints/list-succeeds')
const notInVersion = breaking('versioning/endpoint-not-in-version')
const unknownUndocumented = breaking('versioning/unknown-endpoint', 'errors/documented-pairs')
const unknownEndpoint = breaking('versioning/unknown-endpoint')

/** Version 1 is not served. */
const versionOne: readonly Fault[] = [
  defaultVersion('version-one-not-served', 'Version 1 is answered 400 and 1010.', () =>
    onSuccess(becomes('1010')),
  ),
  shipped('version-one-fails'),
  breaking('versioning/default-version', 'endpoints/list-succeeds', 'errors/documented-pairs')(
    'version-one-retired',
    'Version 1 is answered 410.',
    () => onSuccess(failure(410, 'version 1 is no longer supported')),
  ),
  defaultVersion('version-one-called-missing', 'Version 1 is taken for no version: 400 and 1003.', () =>
    onSuccess(becomes('1003')),
  ),
]

/** Unsupported versions that get the wrong answer. */
const unsupported: readonly Fault[] = [
  notInVersion('unsupported-version-served', 'Every whole number selects version 1.', () =>
    seesVersionOne((call) => isInteger(call)),
  ),
  breaking('versioning/endpoint-not-in-version', 'errors/documented-pairs')(
    'unsupported-version-not-found',
    'An unsupported version is answered 404, with the right code.',
    () => onUnsupported({ status: 404 }),
  ),
  notInVersion('unsupported-version-invalid-input', 'An unsupported version is answered 400 and 1030.', () =>
    onUnsupported(becomes('1030')),
  ),
  notInVersion('unsupported-version-unauthorized', 'An unsupported version is answered 401 and 1013.', () =>
    onUnsupported(becomes('1013')),
  ),
  notInVersion('largest-version-is-the-latest', 'Version 2147483647, and no other, selects the latest.', () =>
    seesVersionOne((call) => field(call, 'x-version') === '2147483647'),
  ),
  notInVersion(
    'unsupported-version-connection-closed',
    'An unsupported version is not answered: the connection is closed.',
    () => onUnsupported({ delivery: 'reset' }),
  ),
]

/** Unknown paths that get the wrong answer. */
const unknown: readonly Fault[] = [
  unknownUndocumented(
    'unknown-endpoint-not-found',
    'An unknown path is answered 404, with the right code.',
    () => onUnknown({ status: 404 }),
  ),
  shipped('unknown-endpoint-page'),
  unknownEndpoint('unknown-endpoint-empty-list', 'An unknown path is answered 200 with an empty list.', () =>
    onUnknown({ refusal: null, status: 200, payload: { items: [], total: 0 } }),
  ),
  unknownEndpoint('unknown-endpoint-invalid-input', 'An unknown path is answered 400 and 1030.', () =>
    onUnknown(becomes('1030')),
  ),
  unknownEndpoint('unknown-endpoint-unauthorized', 'An unknown path is answered 401 and 1013.', () =>
    onUnknown(becomes('1013')),
  ),
  unknownUndocumented('unknown-endpoint-redirects', 'An unknown path is answered 302.', () =>
    onUnknown({ ...page(302, 'Found'), headers: { location: '/' } }),
  ),
  unknownUndocumented(
    'unknown-endpoint-authenticates-first-and-fails',
    'An unknown path is answered 500 where the credentials are valid.',
    () =>
      onAnswer(
        ({ refusal, client }, call) => refusal === '1010' && client !== null && !isForList(call),
        failure(500),
      ),
  ),
]

function isInteger(call: Call): boolean {
  return /^\d+$/.test(field(call, 'x-version') ?? '')
}

function onUnsupported(change: Change): Bend {
  return onAnswer(({ refusal }, call) => refusal === '1010' && isForList(call) && isInteger(call), change)
}

function onUnknown(change: Change): Bend {
  return onAnswer(({ refusal }, call) => refusal === '1010' && !isForList(call), change)
}

/** A reading of the version header, or undefined to leave it unchanged. */
function reads(name: string, about: string, read: (version: string) => string | undefined): Fault {
  return {
    name,
    about,
    rules: ['versioning/malformed-version'],
    bend: () => ({
      see(call) {
        const version = read(field(call, 'x-version') ?? '')
        return version === undefined ? call : withField(call, 'x-version', version)
      },
    }),
  }
}

/** Non-integer versions that are accepted, or get the wrong answer. */
const malformedVersionFaults: readonly Fault[] = [
  reads(
    'version-read-up-to-first-letter',
    'What follows the digits of a version is ignored.',
    (version) => /^\d+/.exec(version)?.[0],
  ),
  reads('version-list-first-counts', 'Of a list of versions the first counts.', (version) =>
    version.split(',')[0]?.trim(),
  ),
  reads('version-letter-v-ignored', 'The version may have a v before it.', (version) =>
    version.replace(/^v/i, ''),
  ),
  reads(
    'version-fraction-dropped',
    'The fraction of a version is dropped.',
    (version) => /^(\d+)\.\d+$/.exec(version)?.[1],
  ),
  reads('version-words-default-to-one', 'A version without any digit selects version 1.', (version) =>
    version !== '' && !/\d/.test(version) ? '1' : undefined,
  ),
  breaking('versioning/malformed-version', 'errors/documented-pairs')(
    'malformed-version-fails',
    'A version that is not a number is answered 500.',
    () => onMalformed(failure(500, 'invalid input syntax for type integer')),
  ),
  breaking('versioning/malformed-version')(
    'malformed-version-unauthorized',
    'A version that is not a number is answered 401 and 1013.',
    () => onMalformed(becomes('1013')),
  ),
]

function onMalformed(change: Change): Bend {
  return onAnswer(
    ({ refusal }, call) => refusal === '1010' && Number.isNaN(Number(field(call, 'x-version'))),
    change,
  )
}

const fuzzedVersion = breaking('fuzz/version')

/** Another answer to the list under this version only. */
function under(version: string, name: string, about: string, change: Change): Fault {
  return {
    name,
    about,
    rules: ['fuzz/version'],
    bend: () => onAnswer((_answer, call) => isForList(call) && versionOf(call) === version, change),
  }
}

/** A fault in exactly one version. */
const single: readonly Fault[] = [
  under(
    '0',
    'version-zero-taken-for-missing',
    'Version 0 is answered 400 and 1003, as by a test whether there is a version.',
    becomes('1003'),
  ),
  under(
    '2147483648',
    'version-two-to-the-31-fails',
    'Version 2147483648, and no other, is answered 500.',
    failure(500, 'value out of range for type integer'),
  ),
  fuzzedVersion('version-two-to-the-31-served', 'Version 2147483648, and no other, selects version 1.', () =>
    seesVersionOne((call) => versionOf(call) === '2147483648'),
  ),
  under('-1', 'version-minus-one-unauthorized', 'Version -1 is answered 401 and 1013.', becomes('1013')),
  under(
    '2',
    'version-two-customer-not-found',
    'Version 2 is answered 401 and 1012, as where customers are yet to be moved.',
    becomes('1012'),
  ),
  fuzzedVersion('huge-version-connection-closed', 'A version of more than 300 digits is not answered.', () =>
    onAnswer((_answer, call) => /^\d{301,}$/.test(versionOf(call)), { delivery: 'reset' }),
  ),
]

const versionOneRules = [
  'versioning/default-version',
  'endpoints/list-succeeds',
] as const satisfies readonly SpecRuleId[]

/** Version 1 answers, but is not served. */
const versionOneAnswers: readonly Fault[] = [
  {
    name: 'version-one-not-found-under-200',
    about: 'Version 1 is answered 200 with the documented error object for an endpoint that is not there.',
    rules: [...versionOneRules, 'errors/documented-pairs'],
    bend: () => onSuccess({ payload: becomes('1010').payload ?? {} }),
  },
  {
    name: 'version-one-is-a-migration-page',
    about: 'Version 1 is answered 200 with a page that tells of another version.',
    rules: [...versionOneRules, 'conventions/json-response'],
    bend: () => onSuccess(page(200, 'Please move to version 2')),
  },
  {
    name: 'version-one-redirects',
    about: 'Version 1 is answered 308.',
    rules: [...versionOneRules, 'errors/documented-pairs'],
    bend: () => onSuccess({ status: 308, headers: { location: '/api/v2/customizations/list' } }),
  },
]

/** Versions that carry over from one request of a client to the next, on any connection. */
const remembered: readonly Fault[] = [
  breaking('versioning/selected-per-request', 'endpoints/list-succeeds')(
    'client-stays-at-unsupported-version-once',
    'The first success of a client after it asked for an unsupported version is answered 400 and 1010.',
    () => {
      const poisoned = new Set<string>()
      return {
        answer(answer, call) {
          const key = String(field(call, 'x-api-key'))
          if (answer.refusal === '1010' && isForList(call)) poisoned.add(key)
          return answer.refusal === null && poisoned.delete(key) ? { ...answer, ...becomes('1010') } : answer
        },
      }
    },
  ),
  breaking('versioning/selected-per-request', 'versioning/version-missing')(
    'missing-version-taken-from-client',
    "Without a version, that of the client's request before is taken.",
    () => {
      const versions = new Map<string, string>()
      return {
        see(call) {
          const key = String(field(call, 'x-api-key'))
          const sent = field(call, 'x-version')
          if (sent !== undefined) versions.set(key, sent)
          return sent === undefined ? withField(call, 'x-version', versions.get(key)) : call
        },
      }
    },
  ),
]

/** Faults with exactly one version. */
const oneVersionFaults: readonly Fault[] = [
  ...single,
  ...versionOneAnswers,
  ...remembered,
  breaking('versioning/malformed-version')(
    'malformed-version-called-missing',
    'A version of letters alone is answered 400 and 1003.',
    () =>
      onAnswer(
        ({ refusal }, call) => refusal === '1010' && /^[a-z]+$/.test(versionOf(call)),
        becomes('1003'),
      ),
  ),
]

function versionOf(call: Call): string {
  return field(call, 'x-version') ?? ''
}

/** Wrong answers about versions and nonexistent endpoints. */
export const versionFaults: readonly Fault[] = [
  ...versionOne,
  ...unsupported,
  ...unknown,
  ...malformedVersionFaults,
  ...oneVersionFaults,
]
