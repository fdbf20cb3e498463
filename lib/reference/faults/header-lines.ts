import type { Bend } from '../bend.ts'
import { field, withField, type Call, type RequiredName } from '../call.ts'
import { asText } from './credential-values.ts'
import { becomes, failure, isForList, onAnswer, page, serveWhen, type Change } from './bending.ts'
import { beyondGate, type Fault } from './fault.ts'

const rules = ['fuzz/headers'] as const

function fault(name: string, about: string, bend: () => Bend): Fault {
  return { name, about, rules, bend }
}

/** Another answer wherever `when` holds. */
function answers(
  name: string,
  about: string,
  { when, change }: { readonly when: (call: Call) => boolean; readonly change: Change },
): Fault {
  return fault(name, about, () => onAnswer((_answer, call) => when(call), change))
}

/** Headers that mean nothing here and change the outcome. */
const unrelated: readonly Fault[] = [
  answers('content-type-of-nothing-unsupported', 'A content-type on GET is answered 415.', {
    when: (call) => field(call, 'content-type') !== undefined,
    change: page(415, 'Unsupported Media Type'),
  }),
  answers('foreign-trace-invalid-input', 'A traceparent is answered 400 and 1030.', {
    when: (call) => field(call, 'traceparent') !== undefined,
    change: becomes('1030'),
  }),
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

/** Names that are not those of the required headers and count as such. */
const misnamed: readonly Fault[] = [
  fault('names-compared-by-prefix', 'A header counts as required where its name begins so.', () =>
    finds((name, wanted) => name.startsWith(wanted)),
  ),
  fault(
    'api-key-taken-from-authorization',
    'Without x-api-key, the key is the last word of authorization.',
    () => ({
      see: (call) =>
        field(call, 'x-api-key') === undefined
          ? withField(call, 'x-api-key', field(call, 'authorization')?.split(' ').at(-1))
          : call,
    }),
  ),
  ...[
    fault('hyphens-in-names-ignored', 'A header counts as required whatever hyphens its name lacks.', () =>
      finds((name, wanted) => name === wanted.replaceAll('-', '')),
    ),
    fault('names-without-x-count', 'A header counts as required where its name lacks the x-.', () =>
      finds((name, wanted) => `x-${name}` === wanted),
    ),
  ].map(beyondGate),
]

/** Repeated headers, and headers for a gateway, that let strangers in. */
const letIn: readonly Fault[] = [
  fault('repeated-api-key-served', 'Whoever sends x-api-key twice is served.', () =>
    serveWhen((call) => isForList(call) && isRepeated(call, 'x-api-key')),
  ),
  ...[
    fault('forwarded-for-loopback-served', 'Whoever is forwarded for 127.0.0.1 is served.', () =>
      serveWhen((call) => isForList(call) && field(call, 'forwarded') === 'for=127.0.0.1'),
    ),
    fault(
      'conditional-request-served',
      'A conditional request is served without looking at credentials.',
      () => serveWhen((call) => isForList(call) && field(call, 'if-none-match') !== undefined),
    ),
    answers('repeated-secret-key-fails', 'A repeated x-secret-key is answered 500.', {
      when: (call) => isRepeated(call, 'x-secret-key'),
      change: failure(500, 'secret.trim is not a function'),
    }),
  ].map(beyondGate),
]

/** Values that no service needs to expect, and that this one cannot cope with. */
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
    fault('version-null-means-default', 'The version null selects version 1.', () => ({
      see: (call) => (versionOf(call) === 'null' ? withField(call, 'x-version', '1') : call),
    })),
    answers('control-character-beyond-ascii-fails', 'A key with a C1 control character is answered 500.', {
      when: (call) => /[\u0080-\u009f]/.test(asText(field(call, 'x-api-key') ?? '')),
      change: failure(500),
    }),
  ].map(beyondGate),
]

/** Wrong treatment of header lines that only generated ones bring. */
export const headerLineFaults: readonly Fault[] = [...unrelated, ...misnamed, ...letIn, ...unexpected]

const required = ['x-api-key', 'x-secret-key', 'x-version'] as const

/** Takes headers for absent required ones where their names, in lower case, are alike. */
function finds(isAlike: (name: string, wanted: RequiredName) => boolean): Bend {
  const found = (call: Call, name: RequiredName): string | undefined =>
    field(call, Object.keys(call.headers).find((other) => isAlike(other, name)) ?? '')
  return {
    see: (call) =>
      required
        .filter((name) => field(call, name) === undefined)
        .reduce((seen, name) => withField(seen, name, found(call, name)), call),
  }
}

function isRepeated({ rawHeaders }: Call, wanted: RequiredName): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  return names.indexOf(wanted) !== names.lastIndexOf(wanted)
}

function versionOf(call: Call): string {
  return field(call, 'x-version') ?? ''
}
