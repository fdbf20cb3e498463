import { BYTE_ORDER_MARK } from '../http/body.ts'
import { responseFields, type Exchange, type Response } from '../http/exchange.ts'
import { fieldsOf } from '../http/request.ts'
import { documentedPairs, isDocumentedPair, pairCount, type Refusal } from '../specification/answers.ts'
import type { RunWideRuleId } from '../specification/rules.ts'
import { answeredBy, errorCodeIn, isSuccessStatus, type AnswerFlaw } from './answered.ts'
import { answerDifferences, describeAnswered } from './differences.ts'
import { holds, type Breach, type Judgement } from './judge.ts'
import { arrived, repeatedAs, spellingsOf, type Spelling } from './repeats.ts'
import { noSharedCache } from './shared-cache.ts'

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
    `answered ${describeAnswered(answered)} although every body is documented as JSON`,
  )
}

/** Requires JSON without a byte order mark, which only some parsers accept. Source: RFC 8259, 8.1. */
function unmarked(exchange: Exchange): Judgement {
  const { text, status } = exchange.response
  if (!text.startsWith(BYTE_ORDER_MARK)) return holds
  return breach(
    exchange,
    'byte order mark',
    `answered ${status} with a byte order mark (U+FEFF) before the JSON, which must not be added to it (RFC 8259, 8.1)`,
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
      `answered ${exchange.response.status} with several fields of ${label} where one is sent at most (RFC 9110, 5.3 and 8.3)`,
    )
  }
  return breach(
    exchange,
    given.length === 0 ? 'no content-type' : 'another content-type',
    `answered ${exchange.response.status} with ${label} where application/json or +json fits JSON`,
  )
}

function isJsonLabel(value: string): boolean {
  return /^\s*(?:application\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(?:;|$)/i.test(value)
}

/** Normalizes a label, because a gateway may spell it differently or name JSON's default charset. */
function sameLabel(value: string): string {
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
    `answered ${describeAnswered(answered)} where an object with string error_code and string error_message is documented`,
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
    `answered ${status} with different values of error_code in one object, of which readers of JSON take the first or the last (RFC 8259, 4)`,
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
    `answered ${describeAnswered(answered)} which is none of the ${pairCount} documented pairs of status and error_code`,
    { allowed: documentedPairs.map(({ status, errorCode }): Refusal => ({ status, errorCode })) },
  )
}

/** A code sent as a number is a fault in the body's shape. The pair itself is documented. */
function numericCode({ response: { body } }: Exchange): string | null {
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
    return isTelling ? [spellingsOf(value)] : []
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
        `answered ${response.status} and repeated in ${place}${detail} the secret key that was sent, ${how}`,
      )
    }
  }
  return holds
}

/** Text in an answer and its place, with the field name if it is in a field. */
interface Place {
  readonly place: string
  readonly name: string | null
  readonly text: string
}

function placesOf({ text, fields, reason, trailers }: Response): readonly Place[] {
  const written = (place: string, list: Response['fields']): readonly Place[] =>
    list.map(([name, value]) => ({ place, name, text: `${name}: ${value}` }))
  return [
    { place: 'the body', name: null, text },
    ...written('a header field', fields),
    { place: 'the reason phrase', name: null, text: reason },
    ...written('a trailer', trailers),
  ]
}

function memberWith(body: Response['body'], secret: readonly Spelling[]): string | null {
  if (body.kind !== 'json' || typeof body.value !== 'object' || body.value === null) return null
  const members = Array.isArray(body.value) ? [] : Object.entries(body.value)
  return members.find(([, value]) => repeatedAs(JSON.stringify(value), secret) !== null)?.[0] ?? null
}

function breach(
  exchange: Exchange,
  difference: string,
  summary: string,
  more: Partial<Breach> = {},
): Judgement {
  const answered = answeredBy(exchange.response)
  return { kind: 'violates', breach: { allowed: [], answered, difference, summary, ...more } }
}
