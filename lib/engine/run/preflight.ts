import { targetOf } from '../../http/target-address.ts'
import { isSuccess, type Answered, type AnswerFlaw } from '../../judge/answered.ts'
import { blamesClient, isDocumentedPair } from '../../specification/answers.ts'
import { RunEnded } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { Sender } from '../send/sender.ts'
import type { Accuser } from './accuser.ts'
import { askPlain, plainContext, type Ask, type PlainOutcome } from './ask.ts'

/** Another place where the service may be, as the specification has it: version 1, or the address without its path. */
interface OtherPlace {
  /** The settings that would lead there, as `TARGET_VERSION=1`. */
  readonly settings: string
  readonly request: TestRequest
  /** Null for the address of the run. */
  readonly address: string | null
}

/** The specification's own version and address, as far as the settings give others. */
function placesBesides(
  { baseUrl, version }: Pick<PreflightParts['target'], 'baseUrl' | 'version'>,
  plain: TestRequest,
): readonly OtherPlace[] {
  const { origin, prefix } = targetOf(baseUrl)
  const given = { request: plain, address: null }
  const versions =
    version === '1' ? [] : [{ settings: ['TARGET_VERSION=1'], request: plain.with('x-version', '1') }]
  const addresses = prefix === '' ? [] : [{ settings: [`TARGET_BASE_URL=${origin}`], address: origin }]
  return [
    ...versions.map((one) => ({ ...given, ...one })),
    ...addresses.map((one) => ({ ...given, ...one })),
    ...addresses.flatMap((address) =>
      versions.map(({ settings, request }) => ({
        ...address,
        settings: [...address.settings, ...settings],
        request,
      })),
    ),
  ].map(({ settings, ...place }) => ({ ...place, settings: settings.join(' and ') }))
}

interface PreflightParts {
  readonly ask: Pick<Ask, 'send'>
  readonly sender: Pick<Sender, 'openAt'>
  readonly run: RunLifecycle
  readonly accuser: Pick<Accuser, 'judge'>
  readonly plain: TestRequest
  /** What is asked before all cases, once the client is known to be served. */
  readonly beforeCases?: () => Promise<void>
  readonly target: {
    readonly baseUrl: string
    readonly version: string
    /** The query that the endpoint needs, if the settings give one. */
    readonly query: string | null
  }
}

const foreign: ReadonlySet<AnswerFlaw> = new Set([
  'empty body',
  'body is not JSON',
  'body is not an object',
  'error_code is missing',
])

/** The first request of a run: a failure, a used-up quota, refused credentials, a wrong address or version, or another service end the run. */
export class Preflight {
  readonly #parts: PreflightParts
  #running: Promise<void> | null = null
  #isReached = false

  constructor(parts: PreflightParts) {
    this.#parts = parts
  }

  /** Sends it once; null once it was answered. */
  reached(): Promise<void> | null {
    if (this.#isReached) return null
    this.#running ??= this.#run()
    return this.#running
  }

  async #run(): Promise<void> {
    const { plain, accuser, target } = this.#parts
    let outcome = await this.#ask()
    if (outcome.kind === 'exhausted') outcome = await this.#ask()
    if (outcome.kind !== 'answered') throw this.#ended(outcome.because)
    const { answered, exchange } = outcome
    const refusal = refusalSentence(answered, target.query !== null)
    if (refusal !== null) throw this.#ended(refusal)
    if (isNotFound(answered)) await this.#checkPlace()
    if (isForeign(answered)) await this.#checkAddress(answered)
    await accuser.judge({ request: plain, exchange, context: plainContext })
    if (isSuccess(answered)) await this.#parts.beforeCases?.()
    // Its connection is free then, for the next one: some faults show on a used connection alone.
    await new Promise(setImmediate)
    this.#isReached = true
  }

  /** Ends the run unless address and version are the specification's own: only there the endpoint must exist. */
  async #checkPlace(): Promise<void> {
    const { target, plain } = this.#parts
    const otherPlaces = placesBesides(target, plain)
    if (otherPlaces.length === 0) return
    const found =
      'the very first valid request was refused with 400 / 1010 (endpoint not found for the specified version)'
    for (const { settings, request, address } of otherPlaces) {
      const outcome = await this.#askAt(address, request)
      if (outcome.kind === 'answered' && isSuccess(outcome.answered))
        throw this.#ended(`${found}, and is served with ${settings}: change the settings`)
    }
    const tried = otherPlaces.map(({ settings }) => settings).join('; ')
    throw this.#ended(
      `${found}, and is not served with ${tried} either: check TARGET_BASE_URL and TARGET_VERSION`,
    )
  }

  /** Ends the run if another service answers: this one refuses a request without credentials with a code. */
  async #checkAddress({ status }: Answered): Promise<void> {
    const outcome = await this.#ask(this.#parts.plain.without('x-api-key', 'x-secret-key'))
    if (outcome.kind !== 'answered' || !isForeign(outcome.answered)) return

    throw this.#ended(
      `what answers is not this service: a plain valid request was answered ${status} and one without credentials ${outcome.answered.status}, both without anything that is documented: is TARGET_BASE_URL right (host, port, path prefix), is a login, a proxy or a portal in between?`,
    )
  }

  #ask(request = this.#parts.plain): Promise<PlainOutcome> {
    return askPlain(this.#parts.ask.send, request)
  }

  async #askAt(address: string | null, request: TestRequest): Promise<PlainOutcome> {
    if (address === null) return this.#ask(request)
    const connection = this.#parts.sender.openAt(address)
    try {
      return await askPlain(this.#parts.ask.send, request, { connection })
    } finally {
      await connection.close()
    }
  }

  #ended(because: string): Error {
    return this.#parts.run.end(new RunEnded(because))
  }
}

/** Whether the endpoint is not known there. */
function isNotFound({ status, errorCode, flaw }: Answered): boolean {
  return flaw === null && status === 400 && errorCode === '1010'
}

/** Whether a response holds nothing documented. A 5xx may be the service's own, except a network's 511. Source: RFC 6585, 6. */
function isForeign({ status, flaw }: Answered): boolean {
  if (status >= 500 && status !== 511) return false
  return flaw !== null && foreign.has(flaw)
}

/** What the first response says about the settings; null if the service itself is to be judged. */
function refusalSentence({ status, errorCode, flaw }: Answered, hasQuery: boolean): string | null {
  if (flaw !== null) return null
  if (isDocumentedPair(status, errorCode) && blamesClient(errorCode)) {
    return `the very first valid request was refused with ${status} / ${errorCode}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that this client may use the endpoint`
  }
  if (status === 400 && errorCode === '1030') {
    const hint = hasQuery
      ? 'TARGET_QUERY is not what the list endpoint needs'
      : 'the list endpoint may need a query, give it as TARGET_QUERY (for example page=1)'
    return `the very first valid request was refused with 400 / 1030 (invalid input parameters): ${hint}`
  }
  return null
}
