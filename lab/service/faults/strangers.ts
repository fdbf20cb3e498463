import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { becomes, isAbsent, isForList, onSuccess, serveWhen } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call, type RequiredName } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate, breaking, breakingWith, shipped } from './breaking.ts'
import { isWrongSecret, ownsKey } from './credentials-sent.ts'

const fault = breaking('fuzz/combined-flaws')
const named = breakingWith({ profile: 'acceptance', inNoOther: true }, 'authentication/no-side-door')

/** Headers that count as required ones by mistake. */
const misplaced: readonly Fault[] = [
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
    fault(
      'authorization-taken-for-api-key',
      'Without x-api-key, authorization as a whole is the key.',
      () => ({
        see: (call) =>
          isAbsent(call, 'x-api-key') ? withField(call, 'x-api-key', field(call, 'authorization')) : call,
      }),
    ),
    fault('hyphens-in-names-ignored', 'A header counts as required whatever hyphens its name lacks.', () =>
      finds((name, wanted) => name === wanted.replaceAll('-', '')),
    ),
    fault('names-without-x-count', 'A header counts as required where its name lacks the x-.', () =>
      finds((name, wanted) => `x-${name}` === wanted),
    ),
  ].map(beyondGate),
]

/** Gateway headers that give unknown clients access. */
const letIn: readonly Fault[] = [
  fault('forwarded-for-loopback-served', 'Whoever is forwarded for 127.0.0.1 is served.', () =>
    serveWhen((call) => isForList(call) && field(call, 'forwarded') === 'for=127.0.0.1'),
  ),
  fault('conditional-request-served', 'A conditional request is served without looking at credentials.', () =>
    serveWhen((call) => isForList(call) && field(call, 'if-none-match') !== undefined),
  ),
  fault('browser-served', 'Whoever asks with a browser is served.', () =>
    serveWhen((call) => isForList(call) && field(call, 'user-agent')?.startsWith('Mozilla') === true),
  ),
].map(beyondGate)

/** Faults that depend on the client's name, and never show to a client that names the suite. */
const byName: readonly Fault[] = [
  shipped('browsers-need-no-key'),
  named('apps-need-no-right-secret', 'An app with a valid key is served whatever its secret.', () =>
    serveWhen(
      (call) =>
        isForList(call) && ownsKey(call) && isWrongSecret(call) && agentOf(call).startsWith('okhttp/'),
    ),
  ),
  named('only-the-suite-is-served', 'Who does not name the suite is not permitted.', () =>
    onSuccess((answer, call) =>
      agentOf(call).includes('card-switch-conformance/') ? answer : becomes('1013'),
    ),
  ),
]

function agentOf(call: Call): string {
  return field(call, 'user-agent') ?? ''
}

/** Unknown clients that get access because of other fields, or because of the host they name. */
export const strangerFaults: readonly Fault[] = [...misplaced, ...letIn, ...byName]

const required = ['x-api-key', 'x-secret-key', 'x-version'] as const

/** Accepts headers instead of absent required ones if their lower-case names are similar. */
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
