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
  {
    name: 'version-two-to-the-31-served',
    about: 'Version 2147483648, and no other, selects version 1.',
    rules: ['fuzz/version'],
    bend: () => ({
      see: (call) => (versionOf(call) === '2147483648' ? withField(call, 'x-version', '1') : call),
    }),
  },
  under('-1', 'version-minus-one-unauthorized', 'Version -1 is answered 401 and 1013.', becomes('1013')),
  under(
    '2',
    'version-two-customer-not-found',
    'Version 2 is answered 401 and 1012, as where customers are yet to be moved.',
    becomes('1012'),
  ),
  {
    name: 'huge-version-connection-closed',
    about: 'A version of more than 300 digits is not answered.',
    rules: ['fuzz/version'],
    bend: () => onAnswer((_answer, call) => /^\d{301,}$/.test(versionOf(call)), { delivery: 'reset' }),
  },
]

const versionOneRules = [
  'versioning/default-version',
  'endpoints/list-succeeds',
] as const satisfies readonly SpecRuleId[]

/** Version 1 answers, but is not served. */
const versionOne: readonly Fault[] = [
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
  {
    name: 'client-stays-at-unsupported-version-once',
    about:
      'The first success of a client after it asked for an unsupported version is answered 400 and 1010.',
    rules: ['versioning/selected-per-request', 'endpoints/list-succeeds'],
    bend: () => {
      const poisoned = new Set<string>()
      return {
        answer(answer, call) {
          const key = String(field(call, 'x-api-key'))
          if (answer.refusal === '1010' && isForList(call)) poisoned.add(key)
          return answer.refusal === null && poisoned.delete(key) ? { ...answer, ...becomes('1010') } : answer
        },
      }
    },
  },
  {
    name: 'missing-version-taken-from-client',
    about: "Without a version, that of the client's request before is taken.",
    rules: ['versioning/selected-per-request', 'versioning/version-missing'],
    bend: () => {
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
  },
]

/** Faults with exactly one version. */
export const oneVersionFaults: readonly Fault[] = [
  ...single,
  ...versionOne,
  ...remembered,
  {
    name: 'malformed-version-called-missing',
    about: 'A version of letters alone is answered 400 and 1003.',
    rules: ['versioning/malformed-version'],
    bend: () =>
      onAnswer(
        ({ refusal }, call) => refusal === '1010' && /^[a-z]+$/.test(versionOf(call)),
        becomes('1003'),
      ),
  },
]

function versionOf(call: Call): string {
  return field(call, 'x-version') ?? ''
}
