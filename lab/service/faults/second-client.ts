import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { isAbsent, onAnswer, type Change } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import { clients, type Client } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'
import { seesVersionOne } from './credentials-sent.ts'

const { second } = clients

/** A fault that only the second client meets. */
function forSecond(name: string, about: string, rule: SpecRuleId, bend: () => Bend): Fault {
  return { name, about, rules: [rule], bend }
}

function isSecond({ name }: Client): boolean {
  return name === 'second'
}

function isFromSecond(call: Call): boolean {
  return field(call, 'x-api-key') === second.apiKey
}

function onSecondsSuccess(change: Change): Bend {
  return onAnswer(({ refusal }, call) => refusal === null && isFromSecond(call), change)
}

/** Incomplete requests of the second client that count as complete. */
const incomplete: readonly Fault[] = [
  forSecond(
    'missing-api-key-found-by-secret-of-second-client',
    'Without a key the second client, and no other, is found by its secret.',
    'authentication/api-key-missing',
    () => ({
      see: (call) =>
        isAbsent(call, 'x-api-key') && field(call, 'x-secret-key') === second.secretKey
          ? withField(call, 'x-api-key', second.apiKey)
          : call,
    }),
  ),
  forSecond(
    'missing-secret-key-served-for-second-client',
    'Only of the second client no secret is asked.',
    'authentication/secret-key-missing',
    () => ({
      see: (call) =>
        isFromSecond(call) && isAbsent(call, 'x-secret-key')
          ? withField(call, 'x-secret-key', second.secretKey)
          : call,
    }),
  ),
  forSecond(
    'missing-version-defaults-for-second-client',
    'Only the second client is served without a version.',
    'versioning/version-missing',
    () => seesVersionOne((call) => isFromSecond(call) && isAbsent(call, 'x-version')),
  ),
  forSecond(
    'unsupported-version-served-for-second-client',
    'Only the second client is served under every whole number.',
    'versioning/endpoint-not-in-version',
    () => seesVersionOne((call) => isFromSecond(call) && /^\d+$/.test(field(call, 'x-version') ?? '')),
  ),
]

/** Credentials of the second client that are compared loosely. */
const comparisons: readonly Fault[] = [
  forSecond(
    'api-key-of-second-client-compared-by-prefix',
    "Only the second client's key may be followed by more.",
    'authentication/api-key-invalid',
    () => ({ keyMatches: (sent, client) => isSecond(client) && sent.startsWith(client.apiKey) }),
  ),
  forSecond(
    'api-key-of-second-client-letter-case-ignored',
    "Only the second client's key is compared without regard to letter case.",
    'authentication/api-key-invalid',
    () => ({
      keyMatches: (sent, client) => isSecond(client) && sent.toLowerCase() === client.apiKey.toLowerCase(),
    }),
  ),
  forSecond(
    'secret-key-of-second-client-last-character-ignored',
    "Only of the second client's secret the last character may be missing or any.",
    'authentication/secret-key-invalid',
    () => ({
      secretMatches: (sent, client) =>
        isSecond(client) && sent.slice(0, 39) === client.secretKey.slice(0, 39),
    }),
  ),
]

/** Answers that are wrong only for the second client. */
const answers: readonly Fault[] = [
  forSecond(
    'list-empty-for-second-client',
    "The second client's list is answered with an empty body.",
    'conventions/json-response',
    () => onSecondsSuccess({ text: '' }),
  ),
  forSecond(
    'list-labelled-html-for-second-client',
    "Only the second client's list is labelled text/html.",
    'conventions/json-content-type',
    () => onSecondsSuccess({ contentType: 'text/html' }),
  ),
  forSecond(
    'secret-of-second-client-in-list',
    "The second client's list repeats its secret.",
    'security/no-secret-echo',
    () => onSecondsSuccess(({ payload }) => ({ payload: { ...payload, owner: second.secretKey } })),
  ),
]

/** Faults that only the second client meets. */
export const secondClientFaults: readonly Fault[] = [...incomplete, ...comparisons, ...answers]
