import { type Exchange, type Response, responseFields, BYTE_ORDER_MARK, fieldsOf } from '../http/exchange.ts'
import { type Field, trimOws } from '../http/exchange.ts'
import { documentedPairs, isDocumentedPair, pairCount, refusalOf } from '../specification/answers.ts'
import type { RunWideRuleId } from '../specification/rules.ts'
import {
  type AnswerFlaw,
  answeredBy,
  errorCodeIn,
  isServed,
  isSuccessStatus,
  answerDifferences,
  describeAnswered,
} from './answered.ts'
import { type Breach, type Judgement, holds } from './judge.ts'

/** Judges an exchange by each run-wide rule; null if the rule does not apply to this kind of answer. */
export const runWideChecks: Readonly<Record<RunWideRuleId, (exchange: Exchange) => Judgement | null>> = {
  'conventions/json-response': jsonResponse,
  'conventions/json-content-type': jsonContentType,
  'errors/body-shape': bodyShape,
  'errors/documented-pairs': documentedPair,
  'security/no-secret-echo': noSecretEcho,
  'security/no-shared-cache': noSharedCache,
}

function jsonResponse(exchange: Exchange): Judgement {
  const answered = answeredBy(exchange.response)
  if (answered.flaw === null || !notJson.has(answered.flaw)) return unmarked(exchange)
  return breach(
    exchange,
    answered.flaw,
    `${describeAnswered(answered)} although every body is documented as JSON`,
  )
}

/** Requires JSON without a byte order mark, which only some parsers accept. Source: RFC 8259, 8.1. */
function unmarked(exchange: Exchange): Judgement {
  const { text, status } = exchange.response
  if (!text.startsWith(BYTE_ORDER_MARK)) return holds
  return breach(
    exchange,
    'byte order mark',
    `${status} with a byte order mark (U+FEFF) before the JSON, which must not be added to it (RFC 8259, 8.1)`,
    { implied: true },
  )
}

const notJson: ReadonlySet<AnswerFlaw> = new Set([
  'empty body',
  'body is not JSON',
  'body is not in its content coding',
])

function jsonContentType(exchange: Exchange): Judgement | null {
  if (exchange.response.body.kind === 'empty') return null

  const given = responseFields(exchange.response, 'content-type')
  const isLabelled = given.some(isJsonLabel)
  if (isLabelled && (given.length === 1 || new Set(given.map(sameLabel)).size === 1)) return holds

  const label =
    given.length === 0 ? 'no content-type' : `content-type ${JSON.stringify(given.join(', ').slice(0, 80))}`
  if (isLabelled) {
    return breach(
      exchange,
      'several content-types',
      `${exchange.response.status} with several ${label} fields where at most one is allowed (RFC 9110, 5.3 and 8.3)`,
    )
  }
  return breach(
    exchange,
    given.length === 0 ? 'no content-type' : 'another content-type',
    `${exchange.response.status} with ${label} where JSON needs application/json or +json`,
  )
}

function isJsonLabel(value: string) {
  return /^\s*(?:application\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(?:;|$)/i.test(value)
}

/** Normalizes a label, because a gateway may spell it differently or name JSON's default charset. */
function sameLabel(value: string) {
  const parts = value.split(';').map((part) => part.replaceAll(/[\s"]/g, '').toLowerCase())
  return parts.filter((part) => part !== '' && part !== 'charset=utf-8').join(';')
}

function bodyShape(exchange: Exchange): Judgement | null {
  const answered = answeredBy(exchange.response)
  if (isSuccessStatus(answered.status)) return null
  if (answered.flaw === null) return namedOnce(exchange)

  return breach(
    exchange,
    answered.flaw,
    `${describeAnswered(answered)} where an object with string error_code and string error_message is documented`,
  )
}

/** Requires an error object without two codes under one name, because parsers take either the first or the last. Source: RFC 8259, 4. */
function namedOnce(exchange: Exchange): Judgement {
  const { body, text, status } = exchange.response
  if (body.kind !== 'json' || body.duplicates?.includes('error_code') !== true) return holds
  const [, first] = /"error_code"\s*:\s*("[^"]*"|[^\s,}]+)/.exec(text) ?? []
  if (first === JSON.stringify(errorCodeIn(body.value))) return holds
  return breach(
    exchange,
    'several error codes',
    `${status} with different values of error_code in one object: JSON parsers take either the first or the last (RFC 8259, 4)`,
    { implied: true },
  )
}

function documentedPair(exchange: Exchange): Judgement | null {
  const answered = answeredBy(exchange.response)
  if (isSuccessStatus(answered.status) && answered.flaw !== 'documented error under success') {
    return null
  }
  if (isDocumentedPair(answered.status, answered.errorCode ?? numericCode(exchange))) return holds
  return breach(
    exchange,
    answerDifferences.pair,
    `${describeAnswered(answered)} which is not one of the ${pairCount} documented pairs of status and error_code`,
    { allowed: documentedPairs.map(({ errorCode }) => refusalOf(errorCode)) },
  )
}

/** A code sent as a number is a fault in the body's shape. The pair itself is documented. */
function numericCode({ response: { body } }: Exchange) {
  const code = 'value' in body ? errorCodeIn(body.value) : null
  return typeof code === 'number' ? String(code) : null
}

/** Shorter values occur in answers by chance. */
const shortestSecret = 12

function noSecretEcho(exchange: Exchange): Judgement | null {
  const keys = fieldsOf(exchange.request, 'x-api-key')
  // A service may name the API key, and text sent both as key and as secret is ambiguous. A single repeated character occurs as padding or a mask.
  const sent = exchange.request.fields.flatMap(({ name, value }) => {
    if (name.toLowerCase() !== 'x-secret-key') return []
    const secret = arrived(value)
    const isTelling =
      secret.length >= shortestSecret &&
      secret !== secret.charAt(0).repeat(secret.length) &&
      !keys.some((key) => key.includes(secret))
    return isTelling ? [knownSpellings(value)] : []
  })
  if (sent.length === 0) return null

  const { response } = exchange
  for (const { place, name, text } of placesOf(response)) {
    for (const secret of sent) {
      const how = repeatedAs(text, secret)
      if (how === null) continue
      const at = place === 'the body' ? memberWith(response.body, secret) : name
      const detail = at === null || repeatedAs(at, secret) !== null ? '' : ` (${at})`
      return breach(
        exchange,
        `secret in ${place}`,
        `${response.status} and repeated in ${place}${detail} the secret key that was sent, ${how}`,
      )
    }
  }
  return holds
}

/** Text in an answer and its place, with the field name if it is in a field. */
type Place = Readonly<{
  place: string
  name: string | null
  text: string
}>

function placesOf({ text, fields, reason, trailers }: Response): readonly Place[] {
  const written = (place: string, list: Response['fields']) =>
    list.map(([name, value]) => ({ place, name, text: `${name}: ${value}` }))
  return [
    { place: 'the body', name: null, text },
    ...written('a header field', fields),
    { place: 'the reason phrase', name: null, text: reason },
    ...written('a trailer', trailers),
  ]
}

function memberWith(body: Response['body'], secret: readonly Spelling[]) {
  if (body.kind !== 'json' || typeof body.value !== 'object' || body.value === null) return null
  const members = Array.isArray(body.value) ? [] : Object.entries(body.value)
  return members.find(([, value]) => repeatedAs(JSON.stringify(value), secret) !== null)?.[0] ?? null
}

/** The breach shown by an exchange. `how` says what was answered. */
function breach(exchange: Exchange, difference: string, how: string, more: Partial<Breach> = {}): Judgement {
  const answered = answeredBy(exchange.response)
  const summary = `answered ${how}`
  return {
    kind: 'violates',
    breach: {
      allowed: [],
      answered,
      difference,
      summary,
      ...more,
    },
  }
}

/** Text that repeats a value, and how it is spelled. */
type Spelling = readonly [how: string, text: string]

/** The spelling in which a text repeats a value, or null. */
export function repeatedAs(text: string, spellings: readonly Spelling[]) {
  return spellings.find(([, written]) => text.includes(written))?.[0] ?? null
}

/** A value as it arrives. */
function arrived(value: Field['value']) {
  return trimOws(typeof value === 'string' ? value : value.reveal())
}

const spelled = new WeakMap<object, readonly Spelling[]>()

/** The spellings of a value, made once for each secret, because most requests carry the same one. */
function knownSpellings(value: Field['value']) {
  if (typeof value === 'string') return spellingsOf(value)
  const spellings = spelled.get(value) ?? spellingsOf(value)
  spelled.set(value, spellings)
  return spellings
}

/** The spellings of a value: plain, JSON escapes, HTML references, percent-encoding, hexadecimal, base64. */
export function spellingsOf(given: Field['value']): readonly Spelling[] {
  const value = arrived(given)
  if (value === '') return []
  const percent = encodeURIComponent(value)
  const digits = Buffer.from(value, 'latin1').toString('hex')
  const percentBytes = digits.replaceAll(/../g, '%$&')
  const all: readonly Spelling[] = [
    ['as it is', value],
    ['with JSON escapes', json(value)],
    ['with JSON escapes', json(value).replaceAll('/', String.raw`\/`)],
    ['with HTML character references', html(value)],
    ['percent-encoded', percent],
    ['percent-encoded', percent.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())],
    ['percent-encoded', percentBytes],
    ['percent-encoded', percentBytes.toUpperCase()],
    ['in hexadecimal', digits],
    ['in hexadecimal', digits.toUpperCase()],
    ...base64(value).map((text): Spelling => ['in base64', text]),
  ]
  // Avoids searching for the same text twice, because each search of a large answer takes milliseconds.
  return all.filter(([, text], at) => all.findIndex((other) => other[1] === text) === at)
}

function json(value: string) {
  return JSON.stringify(value).slice(1, -1)
}

function html(value: string) {
  const references: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return value.replace(/[&<>"']/g, (character) => references[character] ?? character)
}

/** The part shared by all base64 texts that contain the value, for each of the three alignments and both alphabets. */
function base64(value: string): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.from(`${'\0'.repeat(shift)}${value}`, 'latin1')
    const whole = bytes
      .subarray(0, bytes.length - (bytes.length % 3))
      .toString('base64')
      .slice(shift === 0 ? 0 : 4)
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/**
 * Directives that keep a shared cache from serving an answer to others without validation. A qualified directive
 * (`private="set-cookie"`) counts for the whole answer.
 */
const restraining = ['private', 'no-store', 'no-cache'] as const

const credentials = ['x-api-key', 'x-secret-key'] as const

/**
 * Judges whether a success obtained with credentials is offered to shared caches, which do not know the credentials; null for other
 * answers. Source: RFC 9111, 4.1 and 5.2.2.
 */
export function noSharedCache(exchange: Exchange): Judgement | null {
  const { request, response } = exchange
  const carriesCredentials = request.fields.some(({ name }) => isOneOf(credentials, name))
  if (request.method !== 'GET' || !carriesCredentials || !isServed(exchange)) return null

  const directives = directivesOf(responseFields(response, 'cache-control').join(','))
  const offered = directives === null ? null : offeredBy(directives)
  if (offered === null || variesOnCredentials(exchange)) return holds
  return breach(
    exchange,
    'offered to shared caches',
    `${response.status} with cache-control: ${offered}, and neither private, no-store, no-cache nor vary on the credentials: a shared cache may serve it to other clients (RFC 9111, 4.1 and 5.2.2)`,
  )
}

/** Directives by their lower-case names, with all their arguments as written. */
type Directives = ReadonlyMap<string, readonly string[]>

/** The directive that lets a shared cache serve an answer for some time, or null. `s-maxage` overrides `max-age`. */
function offeredBy(directives: Directives) {
  if (restraining.some((name) => directives.has(name))) return null
  const name = directives.has('s-maxage') ? 's-maxage' : 'max-age'
  const [seconds, ...others] = new Set(directives.get(name)?.map(secondsIn))
  return seconds === undefined || others.length > 0 || !(seconds > 0) ? null : `${name}=${seconds}`
}

/** The number of seconds in an argument, given as a token or quoted; NaN if malformed. */
function secondsIn(argument: string) {
  const [, seconds] = /^"?(\d+)"?$/.exec(argument) ?? []
  return seconds === undefined ? Number.NaN : Number(seconds)
}

/** A directive with its argument, or nothing, up to a comma outside quotation marks. Source: RFC 9110, 5.6.1 and 5.6.4. */
const member = /[ \t]*(?:([!#$%&'*+.^`|~\w-]+)(?:=("(?:[^"\\]|\\.)*"|[^",]*?))?)?[ \t]*(?:,|$)/y

/** The directives in a field, or null if any is malformed, because parsers then read the rest differently. */
function directivesOf(value: string): Directives | null {
  const directives = new Map<string, string[]>()
  member.lastIndex = 0
  while (member.lastIndex < value.length) {
    const found = member.exec(value)
    if (found === null) return null
    const [, name, argument = ''] = found
    if (name === undefined) continue
    directives.set(name.toLowerCase(), [...(directives.get(name.toLowerCase()) ?? []), argument])
  }
  return directives
}

function variesOnCredentials({ response }: Exchange) {
  const names = responseFields(response, 'vary')
    .join(',')
    .split(/[\s,;"]+/)
  return names.some((name) => name === '*' || isOneOf(credentials, name))
}

function isOneOf(names: readonly string[], name: string) {
  return names.includes(name.toLowerCase())
}
