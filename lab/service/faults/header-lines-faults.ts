import { refuse, type Code } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import {
  becomes,
  failure,
  isForList,
  onAnswer,
  page,
  serveWhen,
  type Change,
} from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call, type RequiredName } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate, breaking } from './breaking.ts'
import { asText } from './credential-values.ts'
import { isWrongKey, isWrongSecret, seesVersionOne } from './credentials-sent.ts'

const fault = breaking('fuzz/headers')

/** Another answer if `when` holds. */
function answers(
  name: string,
  about: string,
  { when, change }: { readonly when: (call: Call) => boolean; readonly change: Change },
): Fault {
  return fault(name, about, () => onAnswer((_answer, call) => when(call), change))
}

/** Headers that are irrelevant here, but change the outcome. */
const unrelated: readonly Fault[] = [
  {
    ...answers('content-type-of-nothing-unsupported', 'A content-type on GET is answered 415.', {
      when: (call) => field(call, 'content-type') !== undefined,
      change: page(415, 'Unsupported Media Type'),
    }),
    rules: ['fuzz/headers', 'fuzz/combined-flaws'],
  },
  beyondGate(
    answers('foreign-trace-invalid-input', 'A traceparent is answered 400 and 1030.', {
      when: (call) => field(call, 'traceparent') !== undefined,
      change: becomes('1030'),
    }),
  ),
  answers(
    'first-language-not-acceptable',
    'An accept-language that does not begin with en is answered 406.',
    {
      when: (call) => field(call, 'accept-language')?.startsWith('en') === false,
      change: failure(406, 'not acceptable'),
    },
  ),
  answers(
    'order-of-parameters-matters',
    'Parameters that are not in the order of their names are answered 1030.',
    {
      when: ({ query }) => query !== '' && query !== query.split('&').toSorted().join('&'),
      change: becomes('1030'),
    },
  ),
  ...[
    answers('forty-headers-fail', 'Forty headers or more are answered 500.', {
      when: ({ rawHeaders }) => rawHeaders.length >= 80,
      change: failure(500),
    }),
    fault(
      'known-request-id-conflicts',
      'A second request with the same x-request-id is answered 409.',
      () => {
        const known = new Set<string>()
        return onAnswer(
          (_answer, call) => {
            const id = field(call, 'x-request-id')
            if (id === undefined || known.has(id)) return id !== undefined
            known.add(id)
            return false
          },
          failure(409, 'conflict'),
        )
      },
    ),
  ].map(beyondGate),
]

/** Repeated headers whose values are not compared separately. */
const repeated: readonly Fault[] = [
  fault('repeated-api-key-served', 'Whoever sends x-api-key twice is served.', () =>
    serveWhen((call) => isForList(call) && isRepeated(call, 'x-api-key')),
  ),
  beyondGate(
    answers('repeated-secret-key-fails', 'A repeated x-secret-key is answered 500.', {
      when: (call) => isRepeated(call, 'x-secret-key'),
      change: failure(500, 'secret.trim is not a function'),
    }),
  ),
]

/** Unexpected values that this service cannot handle. */
const unexpected: readonly Fault[] = [
  answers('oversized-header-fails', 'A header of 8,000 characters or more is answered 500.', {
    when: ({ rawHeaders }) => rawHeaders.some((text) => text.length >= 8_000),
    change: failure(500),
  }),
  answers('version-beyond-ascii-fails', 'A version with bytes beyond ASCII is answered 500.', {
    when: (call) => /[\x80-\xff]/.test(versionOf(call)),
    change: failure(500, 'invalid input syntax for type integer'),
  }),
  answers('long-version-fails', 'A version above 1,000 characters that is no number is answered 500.', {
    when: (call) => versionOf(call).length > 1_000 && Number.isNaN(Number(versionOf(call))),
    change: failure(500),
  }),
  ...[
    answers('version-with-quote-fails', 'A version with a single quote is answered 500.', {
      when: (call) => versionOf(call).includes("'"),
      change: failure(500, 'unterminated quoted string'),
    }),
    fault('version-null-means-default', 'The version null selects version 1.', () =>
      seesVersionOne((call) => versionOf(call) === 'null'),
    ),
    answers('no-break-space-behind-key-fails', 'A key with the byte a0 at its end is answered 500.', {
      when: (call) => endsInNoBreakSpace(call),
      change: failure(500, 'no mapping for byte'),
    }),
    answers('no-break-space-behind-key-taken-for-secret', 'Such a key is answered 401 and 1007.', {
      when: (call) => endsInNoBreakSpace(call),
      change: becomes('1007'),
    }),
    answers('control-character-beyond-ascii-fails', 'A key with a C1 control character is answered 500.', {
      when: (call) => /[\u0080-\u009f]/.test(asText(field(call, 'x-api-key') ?? '')),
      change: failure(500),
    }),
  ].map(beyondGate),
]

/**
 * Control characters that are removed from credentials, even inside, by a service that checks credentials
 * before the path.
 */
const stripped: readonly Fault[] = [
  fault('control-characters-in-api-key-stripped', 'Control characters are stripped off a key.', () =>
    strips('x-api-key', isWrongKey, '1006'),
  ),
  beyondGate(
    fault('control-characters-in-secret-key-stripped', 'Control characters are stripped off a secret.', () =>
      strips('x-secret-key', isWrongSecret, '1007'),
    ),
  ),
]

/** Wrong treatment of header lines that only generated ones reveal. */
export const headerLineFaults: readonly Fault[] = [...unrelated, ...repeated, ...unexpected, ...stripped]

function strips(name: RequiredName, isWrong: (call: Call) => boolean, code: Code): Bend {
  const see = (call: Call): Call => {
    const value = field(call, name)
    return value === undefined ? call : withField(call, name, asText(value).replaceAll(/\p{Cc}/gu, ''))
  }
  return { see, instead: (call) => (!isForList(call) && isWrong(see(call)) ? refuse(code) : null) }
}

/** The byte alone, not as the end of a UTF-8 sequence. */
function endsInNoBreakSpace(call: Call): boolean {
  return /[\x20-\x7e]\xa0$/.test(field(call, 'x-api-key') ?? '')
}

function isRepeated({ rawHeaders }: Call, wanted: RequiredName): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return names.indexOf(wanted) !== names.lastIndexOf(wanted)
}

function versionOf(call: Call): string {
  return field(call, 'x-version') ?? ''
}
