import type { Bend } from '../../../lib/serve/reference/bend.ts'
import {
  becomes,
  failure,
  isForList,
  onAnswer,
  onSuccess,
  page,
} from '../../../lib/serve/reference/bending.ts'
import type { Change } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { shipped } from './shipped.ts'

/** Version 1 is not served. */
const versionOne: readonly Fault[] = [
  {
    name: 'version-one-not-served',
    about: 'Version 1 is answered 400 and 1010.',
    rules: ['versioning/default-version', 'endpoints/list-succeeds'],
    bend: () => onSuccess(becomes('1010')),
  },
  shipped('version-one-fails'),
  {
    name: 'version-one-retired',
    about: 'Version 1 is answered 410.',
    rules: ['versioning/default-version', 'endpoints/list-succeeds', 'errors/documented-pairs'],
    bend: () => onSuccess(failure(410, 'version 1 is no longer supported')),
  },
  {
    name: 'version-one-called-missing',
    about: 'Version 1 is taken for no version: 400 and 1003.',
    rules: ['versioning/default-version', 'endpoints/list-succeeds'],
    bend: () => onSuccess(becomes('1003')),
  },
]

/** Unsupported versions that get the wrong answer. */
const unsupported: readonly Fault[] = [
  {
    name: 'unsupported-version-served',
    about: 'Every whole number selects version 1.',
    rules: ['versioning/endpoint-not-in-version'],
    bend: () => ({ see: (call) => (isInteger(call) ? withField(call, 'x-version', '1') : call) }),
  },
  {
    name: 'unsupported-version-not-found',
    about: 'An unsupported version is answered 404, with the right code.',
    rules: ['versioning/endpoint-not-in-version', 'errors/documented-pairs'],
    bend: () => onUnsupported({ status: 404 }),
  },
  {
    name: 'unsupported-version-invalid-input',
    about: 'An unsupported version is answered 400 and 1030.',
    rules: ['versioning/endpoint-not-in-version'],
    bend: () => onUnsupported(becomes('1030')),
  },
  {
    name: 'unsupported-version-unauthorized',
    about: 'An unsupported version is answered 401 and 1013.',
    rules: ['versioning/endpoint-not-in-version'],
    bend: () => onUnsupported(becomes('1013')),
  },
  {
    name: 'largest-version-is-the-latest',
    about: 'Version 2147483647, and no other, selects the latest.',
    rules: ['versioning/endpoint-not-in-version'],
    bend: () => ({
      see: (call) => (field(call, 'x-version') === '2147483647' ? withField(call, 'x-version', '1') : call),
    }),
  },
  {
    name: 'unsupported-version-connection-closed',
    about: 'An unsupported version is not answered: the connection is closed.',
    rules: ['versioning/endpoint-not-in-version'],
    bend: () => onUnsupported({ delivery: 'reset' }),
  },
]

/** Unknown paths that get the wrong answer. */
const unknown: readonly Fault[] = [
  {
    name: 'unknown-endpoint-not-found',
    about: 'An unknown path is answered 404, with the right code.',
    rules: ['versioning/unknown-endpoint', 'errors/documented-pairs'],
    bend: () => onUnknown({ status: 404 }),
  },
  shipped('unknown-endpoint-page'),
  {
    name: 'unknown-endpoint-empty-list',
    about: 'An unknown path is answered 200 with an empty list.',
    rules: ['versioning/unknown-endpoint'],
    bend: () => onUnknown({ refusal: null, status: 200, payload: { items: [], total: 0 } }),
  },
  {
    name: 'unknown-endpoint-invalid-input',
    about: 'An unknown path is answered 400 and 1030.',
    rules: ['versioning/unknown-endpoint'],
    bend: () => onUnknown(becomes('1030')),
  },
  {
    name: 'unknown-endpoint-unauthorized',
    about: 'An unknown path is answered 401 and 1013.',
    rules: ['versioning/unknown-endpoint'],
    bend: () => onUnknown(becomes('1013')),
  },
  {
    name: 'unknown-endpoint-redirects',
    about: 'An unknown path is answered 302.',
    rules: ['versioning/unknown-endpoint', 'errors/documented-pairs'],
    bend: () => onUnknown({ ...page(302, 'Found'), headers: { location: '/' } }),
  },
  {
    name: 'unknown-endpoint-authenticates-first-and-fails',
    about: 'An unknown path is answered 500 where the credentials are valid.',
    rules: ['versioning/unknown-endpoint', 'errors/documented-pairs'],
    bend: () =>
      onAnswer(
        ({ refusal, client }, call) => refusal === '1010' && client !== null && !isForList(call),
        failure(500),
      ),
  },
]

/** Wrong answers about versions and nonexistent endpoints. */
export const versioningFaults: readonly Fault[] = [...versionOne, ...unsupported, ...unknown]

function isInteger(call: Call): boolean {
  return /^\d+$/.test(field(call, 'x-version') ?? '')
}

function onUnsupported(change: Change): Bend {
  return onAnswer(({ refusal }, call) => refusal === '1010' && isForList(call) && isInteger(call), change)
}

function onUnknown(change: Change): Bend {
  return onAnswer(({ refusal }, call) => refusal === '1010' && !isForList(call), change)
}
