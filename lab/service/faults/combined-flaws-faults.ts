import {
  becomes,
  failure,
  isAbsent,
  isForList,
  onAnswer,
  page,
  serveWhen,
  type Change,
} from '../../../lib/serve/reference/bending.ts'
import { field, type Call, type RequiredName } from '../../../lib/serve/reference/call.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate } from './breaking.ts'
import { isBlank, flawsOf, isWrongKey, isWrongSecret, ownsKey } from './credentials-sent.ts'

const rules = ['fuzz/combined-flaws'] as const

/** Another error for requests with this property. */
function refuses(
  name: string,
  about: string,
  { when, change }: { readonly when: (call: Call) => boolean; readonly change: Change },
): Fault {
  return {
    name,
    about,
    rules,
    bend: () => onAnswer(({ refusal }, call) => refusal !== null && when(call), change),
  }
}

/** Success for requests to the list with this property. */
function serves(name: string, about: string, when: (call: Call) => boolean): Fault {
  return { name, about, rules, bend: () => serveWhen((call) => isForList(call) && when(call)) }
}

/**
 * Combinations of flaws, mostly with irrelevant properties, that are accepted or whose answer does not match
 * any of the flaws.
 */
export const combinedFlawFaults: readonly Fault[] = [
  serves(
    'authorization-opens-without-version',
    'Whoever sends authorization and no version is served.',
    (call) => isAbsent(call, 'x-version') && field(call, 'authorization') !== undefined,
  ),
  refuses(
    'three-flaws-listed',
    'A request with key, secret and version flawed is answered with a list of errors.',
    {
      when: (call) => flawsOf(call).length === 3,
      change: (_answer, call) => ({
        status: 400,
        payload: { errors: flawsOf(call).map((name) => ({ error_message: `${name} is invalid` })) },
      }),
    },
  ),
  refuses(
    'status-of-one-flaw-with-code-of-another',
    'A missing key with a wrong secret is answered 400 and 1007.',
    {
      when: (call) => isAbsent(call, 'x-api-key') && isWrongSecret(call),
      change: { ...becomes('1007'), status: 400 },
    },
  ),
  refuses(
    'two-flaws-without-accept-page',
    'A request with two flaws and without accept is answered 400 with a page.',
    {
      when: (call) => flawsOf(call).length >= 2 && field(call, 'accept')?.includes('json') !== true,
      change: page(400, 'Bad Request'),
    },
  ),
  refuses('first-header-blamed', 'Where x-version comes before key and secret, every error is 1003.', {
    when: (call) => requiredNamesOf(call)[0]?.toLowerCase() === 'x-version',
    change: becomes('1003'),
  }),
  refuses(
    'missing-key-under-unsupported-version-unauthorized',
    'A missing key under an unsupported version is answered 401 and 1013.',
    { when: (call) => isAbsent(call, 'x-api-key') && isUnsupported(call), change: becomes('1013') },
  ),
  ...[
    serves(
      'two-near-misses-open-together',
      'A wrong key and a wrong secret, each with eight of the right characters in it, are let in together.',
      (call) =>
        isWrongKey(call) &&
        isWrongSecret(call) &&
        holdsPart(call, 'x-api-key', clients.permitted.apiKey) &&
        holdsPart(call, 'x-secret-key', clients.permitted.secretKey),
    ),
    refuses(
      'blank-key-under-title-case-name-fails',
      'A blank key under the name X-Api-Key is answered 500.',
      {
        when: (call) => isBlank(call, 'x-api-key') && requiredNamesOf(call).includes('X-Api-Key'),
        change: failure(500),
      },
    ),
    refuses('wrong-secret-on-unknown-path-not-found', 'A wrong secret on an unknown path is answered 404.', {
      when: (call) => ownsKey(call) && isWrongSecret(call) && !isForList(call),
      change: failure(404, 'not found'),
    }),
    serves(
      'negative-version-hides-wrong-secret',
      'A wrong secret is let in under a negative version.',
      (call) => isWrongSecret(call) && (field(call, 'x-version') ?? '').startsWith('-'),
    ),
    refuses(
      'wrong-key-under-unsupported-version-quota-exceeded',
      'A wrong key under a version of nine digits is answered 429 and 1020.',
      {
        when: (call) => isWrongKey(call) && /^\d{9}$/.test(field(call, 'x-version') ?? ''),
        change: becomes('1020'),
      },
    ),
  ].map(beyondGate),
]

const required = ['x-api-key', 'x-secret-key', 'x-version'] as const

/** The names of the required headers as written, in order. */
function requiredNamesOf({ rawHeaders }: Call): readonly string[] {
  return rawHeaders.filter(
    (text, index) => index % 2 === 0 && required.some((name) => name === text.toLowerCase()),
  )
}

function holdsPart(call: Call, name: RequiredName, valid: string): boolean {
  return field(call, name)?.includes(valid.slice(8, 16)) === true
}

function isUnsupported(call: Call): boolean {
  return /^\d{2,}$/.test(field(call, 'x-version') ?? '')
}
