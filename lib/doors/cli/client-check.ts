import { gatewayFailure, isRateRefusal } from '../../engine/send/failures.ts'
import { clientSetting } from '../../settings/client-settings.ts'
import type { Exchange } from '../../http/exchange.ts'
import { answeredBy, isQuotaRefusal, isServed, type Answered } from '../../judge/answered.ts'
import { describeAllowed, describeAnswered } from '../../judge/differences.ts'
import { answersOneOf } from '../../judge/judge.ts'
import { meaningOfCode, pairOf, type Answer, type DocumentedPair } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'

/** Whether a client is answered as it should be, and a sentence about the answer. */
export interface ClientCheck {
  readonly well: boolean
  readonly says: string
  /** Whether a run would count the answer against the service, whatever the settings. */
  readonly isFault: boolean
}

/** What is known besides the answer. */
interface ClientFacts {
  /** The documented answers to a plain valid request of the client. */
  readonly documented: readonly Answer[]
  /** Whether the settings give the query of the list endpoint. */
  readonly hasQuery: boolean
  /** What an undocumented answer looks like, after "it"; or null. */
  readonly looks: string | null
}

/** Checks the answer to a plain valid request of a client. Any client but the target's is asked only once that one is served. */
export function checkClient(name: ClientName, exchange: Exchange, asked: ClientFacts): ClientCheck {
  const { documented } = asked
  const answered = answeredBy(exchange.response)
  const text = describeAnswered(answered)
  if (answersOneOf(documented).judge(exchange).kind === 'holds') {
    const says = isServed(exchange) ? `served (${text})` : `refused as it should be (${text})`
    return { well: true, says, isFault: false }
  }
  if (name === 'disposable' && answered.flaw === null && isQuotaRefusal(answered)) {
    return { well: true, says: `used up today (${text}), which is what it is for`, isFault: false }
  }
  const { because, isFault = false } = whyWrong(name, exchange, answered, asked)
  const says = `answered ${text} where ${describeAllowed(documented)} is documented: ${because}`
  return { well: false, says, isFault }
}

interface Why {
  readonly because: string
  readonly isFault?: true
}

function whyWrong(name: ClientName, exchange: Exchange, answered: Answered, asked: ClientFacts): Why {
  if (isServed(exchange)) return { because: servedAnyway(name) }
  const gateway = gatewayFailure(exchange)
  if (gateway !== null) return { because: `${gateway.message}: ask again once it reaches the service` }
  const pair = pairOf(answered.errorCode)
  if (pair !== null) return whyRefused(name, answered, pair, asked)
  return isRateRefusal(exchange)
    ? { because: 'too many requests, and no word of the daily quota (1020): lower RUN_MAX_RPS, or ask later' }
    : undocumented(name, answered, asked)
}

function servedAnyway(name: ClientName): string {
  return name === 'exhausted'
    ? 'it is served, so its quota is not used up today, or the service does not keep to it'
    : 'it is served, so it is not such a client, or the service lets it in'
}

/** An answer with a documented code, in whatever form and under whatever status. */
function whyRefused(name: ClientName, answered: Answered, pair: DocumentedPair, asked: ClientFacts): Why {
  const meaning = meaningOf(name, pair, asked)
  const { status, errorCode: code } = pair
  const isExpected = asked.documented.some(({ errorCode }) => errorCode === code)
  if (answered.status === status && answered.flaw === null) return { because: meaning }

  const wrong =
    answered.status === status
      ? 'the error object is not the documented one'
      : `${code} is documented with ${status} only`
  if (isExpected) return { because: `the code is right, and ${wrong}`, isFault: true }
  return { because: `${wrong}; if the code is meant, ${meaning}` }
}

function meaningOf(
  name: ClientName,
  { errorCode, blames }: DocumentedPair,
  { hasQuery }: ClientFacts,
): string {
  if (name !== 'target' && blames === 'request') {
    return `${clientSetting('target')} is served with the same request but for its credentials`
  }
  return errorCode === '1030' && hasQuery
    ? 'TARGET_QUERY is not what the list endpoint needs'
    : meaningOfCode[errorCode]
}

/** An answer without a documented code, which is no success. */
function undocumented(name: ClientName, { status, errorCode, flaw }: Answered, { looks }: ClientFacts): Why {
  const it = looks === null ? '' : `; it ${looks}`
  // A network that wants a login answers 511 (RFC 6585, 6).
  if (status >= 500 && status !== 511) {
    return { because: `the server reports a failure of its own${it}`, isFault: true }
  }
  if (flaw === 'body is not in its content coding') {
    return { because: 'nobody can read such a body', isFault: true }
  }
  if (errorCode !== null) {
    const code = JSON.stringify(errorCode.slice(0, longestCode))
    return { because: `${code} is no code that the specification documents${it}`, isFault: true }
  }
  const foreign = `this is no answer that the specification documents${it}`
  if (name === 'target') return { because: `${foreign}: is TARGET_BASE_URL right?` }
  return { because: `${foreign}; the address is right, since ${clientSetting('target')} is served there` }
}

const longestCode = 40
