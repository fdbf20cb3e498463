import { BYTE_ORDER_MARK } from '../http/body.ts'
import { responseFields, type Exchange, type Response } from '../http/exchange.ts'
import { fieldsOf } from '../http/request.ts'
import { documentedPairs, isDocumentedPair, type Refusal } from '../spec/answers.ts'
import type { RunWideRuleId } from '../spec/rules.ts'
import { answeredBy, errorCodeIn, isSuccessStatus, type AnswerFlaw } from './answered.ts'
import { answerDifferences, describeAnswered } from './explain.ts'
import { holds, type Breach, type Judgement } from './judge.ts'
import { repeats } from './repeats.ts'

/** Judges an exchange by a run-wide rule; null where the rule says nothing of such an answer. */
export type RunWideCheck = (exchange: Exchange) => Judgement | null

/** The rules that are judged on every exchange of the run. */
export const runWideChecks: Readonly<Record<RunWideRuleId, RunWideCheck>> = {
  'conventions/json-response': jsonResponse,
  'conventions/json-content-type': jsonContentType,
  'errors/body-shape': bodyShape,
  'errors/documented-pairs': documentedPair,
  'security/no-secret-echo': noSecretEcho,
}

function jsonResponse(exchange: Exchange): Judgement {
  const answered = answeredBy(exchange.response)
  if (answered.flaw === null || !notJson.has(answered.flaw)) return unmarked(exchange)
  return breach(
    exchange,
    answered.flaw,
    `answered ${describeAnswered(answered)} where every body is documented to be JSON`,
  )
}

/** JSON itself, which every reader takes without a byte order mark, and some take with one. Source: RFC 8259, 8.1. */
function unmarked(exchange: Exchange): Judgement {
  const { text, status } = exchange.response
  if (!text.startsWith(BYTE_ORDER_MARK)) return holds
  const found = breach(
    exchange,
    'byte order mark',
    `answered ${status} with a byte order mark (U+FEFF) before the JSON, which must not be added to it (RFC 8259, 8.1)`,
  )
  return found.kind === 'violates' ? { ...found, breach: { ...found.breach, implied: true } } : found
}

const notJson: ReadonlySet<AnswerFlaw> = new Set([
  'empty body',
  'body is not JSON',
  'body is not in its content coding',
])

function jsonContentType(exchange: Exchange): Judgement | null {
  if (exchange.response.body.kind === 'empty') return null

  const given = responseFields(exchange.response, 'content-type')
  const label =
    given.length === 0 ? 'no content-type' : `content-type ${JSON.stringify(given.join(', ').slice(0, 80))}`
  if (given.some(isJsonLabel)) {
    if (new Set(given.map(sameLabel)).size === 1) return holds
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

/** A label as every reader takes it: a gateway may add one that is spelt otherwise, or names the charset that JSON has anyway. */
function sameLabel(value: string): string {
  const parts = value.split(';').map((part) => part.replaceAll(/[\s"]/g, '').toLowerCase())
  return parts.filter((part) => part !== '' && part !== 'charset=utf-8').join(';')
}

function bodyShape(exchange: Exchange): Judgement | null {
  const answered = answeredBy(exchange.response)
  if (isSuccessStatus(answered.status)) return null
  if (answered.flaw === null) return holds

  return breach(
    exchange,
    answered.flaw,
    `answered ${describeAnswered(answered)} where an object with string error_code and string error_message is documented`,
  )
}

function documentedPair(exchange: Exchange): Judgement | null {
  const answered = answeredBy(exchange.response)
  if (isSuccessStatus(answered.status) && answered.flaw !== 'documented error under success') {
    return null
  }
  if (isDocumentedPair(answered.status, answered.errorCode ?? numericCode(exchange))) return holds
  return {
    kind: 'violates',
    breach: {
      allowed: documentedPairs.map(({ status, errorCode }): Refusal => ({ status, errorCode })),
      answered,
      difference: answerDifferences.pair,
      summary: `answered ${describeAnswered(answered)} which is none of the eleven documented pairs of status and error_code`,
    },
  }
}

/** A code sent as a number is the fault of the body's shape; the pair itself is documented. */
function numericCode({ response: { body } }: Exchange): string | null {
  const code = 'value' in body ? errorCodeIn(body.value) : null
  return typeof code === 'number' ? String(code) : null
}

/** Shorter values stand in answers by chance. */
const shortestSecret = 12

function noSecretEcho(exchange: Exchange): Judgement | null {
  const keys = fieldsOf(exchange.request, 'x-api-key')
  // A service may name the API key; where the same text was sent as key and as secret, nobody can tell them apart.
  const sent = fieldsOf(exchange.request, 'x-secret-key').filter(
    (secret) =>
      secret.length >= shortestSecret && !isOneCharacter(secret) && !keys.some((key) => key.includes(secret)),
  )
  if (sent.length === 0) return null

  const { response } = exchange
  const where = placesOf(response).find(({ texts }) =>
    texts.some((text) => sent.some((secret) => repeats(text, secret))),
  )?.place
  if (where === undefined) return holds
  return breach(
    exchange,
    `secret in ${where}`,
    `answered ${response.status} and repeated in ${where} the secret key that was sent`,
  )
}

/** The places of an answer that hold text, with what stands there. */
function placesOf({ text, fields, reason, trailers }: Response): readonly {
  readonly place: string
  readonly texts: readonly string[]
}[] {
  const written = (list: Response['fields']): readonly string[] =>
    list.map(([name, value]) => `${name}: ${value}`)
  return [
    { place: 'the body', texts: [text] },
    { place: 'a header field', texts: written(fields) },
    { place: 'the reason phrase', texts: [reason] },
    { place: 'a trailer', texts: written(trailers) },
  ]
}

/** Such rows stand in answers as padding, or as the mask over a secret. */
function isOneCharacter(text: string): boolean {
  return new Set(text).size === 1
}

function breach(exchange: Exchange, difference: string, summary: string): Judgement {
  const found: Breach = { allowed: [], answered: answeredBy(exchange.response), difference, summary }
  return { kind: 'violates', breach: found }
}
