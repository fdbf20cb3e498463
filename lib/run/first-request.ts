import { targetOf } from '../http/request.ts'
import { isSuccess, type AnswerFlaw, type Answered } from '../judge/answered.ts'
import { blamesClient, isDocumentedPair } from '../specification/answers.ts'
import type { Breaches } from './breaches.ts'
import { plainContext, sendPlain, type Core } from './core.ts'
import type { TestRequest } from './plan/test-request.ts'

/** Another place where the service may be found: version 1, or the address without its path. */
interface OtherPlace {
  /** The settings that would lead there, such as `TARGET_VERSION=1`. */
  readonly settings: string
  readonly request: TestRequest
  /** Null for the address of the run. */
  readonly address: string | null
}

/** The specification's version and address, where the settings differ from them. */
function otherPlaces({ baseUrl, settings: { target }, plain }: Core): readonly OtherPlace[] {
  const { origin, prefix } = targetOf(baseUrl)
  const versions = target.version === '1' ? [false] : [false, true]
  const addresses = prefix === '' ? [false] : [false, true]
  const places = addresses.flatMap((isOrigin) =>
    versions.map((isFirst) => ({
      address: isOrigin ? origin : null,
      request: isFirst ? plain.with('x-version', '1') : plain,
      settings: [
        ...(isOrigin ? [`TARGET_BASE_URL=${origin}`] : []),
        ...(isFirst ? ['TARGET_VERSION=1'] : []),
      ].join(' and '),
    })),
  )
  // The first place is the address and version of the run.
  return places.slice(1)
}

const foreign: ReadonlySet<AnswerFlaw> = new Set([
  'empty body',
  'body is not JSON',
  'body is not an object',
  'error_code is missing',
])

/**
 * Sends the first request of a run. A failure, a used-up quota, refused credentials, a wrong address or version, or another service
 * ends the run. `beforeCases` runs before all cases, if the client is served.
 */
export async function sendFirst(
  core: Core,
  breaches: Breaches,
  beforeCases: (() => Promise<void>) | null,
): Promise<void> {
  const { plain, lifecycle, settings, sender } = core
  let outcome = await sendPlain(sender.send, plain)
  if (outcome.kind === 'exhausted') outcome = await sendPlain(sender.send, plain)
  if (outcome.kind !== 'answered') throw lifecycle.end(outcome.because)
  const { answered, exchange } = outcome
  const refusal = refusalSentence(answered, settings.target.query !== null)
  if (refusal !== null) throw lifecycle.end(refusal)
  if (isNotFound(answered)) await checkPlace(core)
  if (isForeign(answered)) await checkAddress(core, answered)
  await breaches.judge({ request: plain, exchange, context: plainContext })
  if (isSuccess(answered)) await beforeCases?.()
  // Frees its connection for the next request, because some faults only show on a used connection.
  await new Promise(setImmediate)
}

/** Ends the run unless the address and version are the specification's, because only there must the endpoint exist. */
async function checkPlace(core: Core): Promise<void> {
  const { lifecycle, sender } = core
  const places = otherPlaces(core)
  if (places.length === 0) return
  const found =
    'the first valid request was refused with 400 / 1010 (endpoint not found for the specified version)'
  for (const { settings, request, address } of places) {
    const connection = address === null ? sender.transport.connection() : sender.openAt(address)
    try {
      const outcome = await sendPlain(sender.send, request, { connection })
      if (outcome.kind === 'answered' && isSuccess(outcome.answered))
        throw lifecycle.end(`${found}, and is served with ${settings}: change the settings`)
    } finally {
      await connection.close()
    }
  }
  const tried = places.map(({ settings }) => settings).join('; ')
  throw lifecycle.end(
    `${found}, and is not served with ${tried} either: check TARGET_BASE_URL and TARGET_VERSION`,
  )
}

/** Ends the run if a different service answers; the right one refuses a request without credentials with a code. */
async function checkAddress({ sender, plain, lifecycle }: Core, { status }: Answered): Promise<void> {
  const outcome = await sendPlain(sender.send, plain.without('x-api-key', 'x-secret-key'))
  if (outcome.kind !== 'answered' || !isForeign(outcome.answered)) return

  throw lifecycle.end(
    `another service answers: a plain valid request was answered ${status} and a request without credentials ${outcome.answered.status}, neither as documented. Check TARGET_BASE_URL (host, port, path prefix), and whether a login page, a proxy or a portal is in between`,
  )
}

/** Whether the endpoint is unknown at that place. */
function isNotFound({ status, errorCode, flaw }: Answered): boolean {
  return flaw === null && status === 400 && errorCode === '1010'
}

/** Whether an answer contains nothing documented. The service itself may send a 5xx, except a 511, which comes from a network. Source: RFC 6585, 6. */
function isForeign({ status, flaw }: Answered): boolean {
  if (status >= 500 && status !== 511) return false
  return flaw !== null && foreign.has(flaw)
}

/** What the first answer says about the settings; null if it says nothing about them. */
function refusalSentence({ status, errorCode, flaw }: Answered, hasQuery: boolean): string | null {
  if (flaw !== null) return null
  if (isDocumentedPair(status, errorCode) && blamesClient(errorCode)) {
    return `the first valid request was refused with ${status} / ${errorCode}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that this client may use the endpoint`
  }
  if (status === 400 && errorCode === '1030') {
    const hint = hasQuery
      ? 'TARGET_QUERY does not suit the list endpoint'
      : 'the list endpoint may need a query: set TARGET_QUERY, for example page=1'
    return `the first valid request was refused with 400 / 1030 (invalid input parameters): ${hint}`
  }
  return null
}
