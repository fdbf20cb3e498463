import { inspect } from 'node:util'
import type { Exchange } from '../../http/exchange.ts'
import type { TransportError } from '../../http/transport-error.ts'
import { succeeds, type Breach, type Check } from '../../judge/judge.ts'
import type { Reproduced } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { Redactor } from '../../redact/redact.ts'
import type { SettingIssue } from '../../settings/issue.ts'
import { errorText } from '../../text/printable.ts'
import type { Purpose, TestRequest } from './test-request.ts'

/** A case cannot be judged; the message completes a sentence of the report. It blames nobody. */
export class Inconclusive extends Error {
  override readonly name: string = 'Inconclusive'
  /** The breaches that it follows from; none if it follows from anything else. */
  readonly follows: readonly PreconditionBreach[]

  constructor(message: string, follows: readonly PreconditionBreach[] = []) {
    super(message)
    this.follows = follows
  }
}

/** A breach because of which another case cannot be judged, and the rule that reports it. */
export interface PreconditionBreach {
  readonly rule: RuleId
  readonly request: TestRequest
  readonly breach: Breach
}

/** The breach of a precondition that an answer shows; none if the check holds. */
export function preconditionBreach(
  rule: RuleId,
  { request, exchange }: { readonly request: TestRequest; readonly exchange: Exchange },
  check: Check,
): readonly PreconditionBreach[] {
  const judgement = check.judge(exchange)
  return judgement.kind === 'violates' ? [{ rule, request, breach: judgement.breach }] : []
}

/** As {@link preconditionBreach}, for a valid request that was not served. */
export function notServed(met: {
  readonly request: TestRequest
  readonly exchange: Exchange
}): readonly PreconditionBreach[] {
  return preconditionBreach('endpoints/list-succeeds', met, succeeds())
}

/** Nothing more is sent, because the target cannot be judged any further. */
export class RunEnded extends Inconclusive {
  override readonly name: string = 'RunEnded'
}

/** The client seems to be locked out: breaches since it was last served do not count. */
export class ClientLockedOut extends RunEnded {
  override readonly name = 'ClientLockedOut'
}

/** Wrong credentials are not sent any more, since they lock the client. */
export class GuessLeftOut extends Inconclusive {
  override readonly name = 'GuessLeftOut'

  constructor(threshold: number) {
    const what = threshold === 1 ? 'one request' : `${threshold} requests`
    super(
      `the client was locked out after ${what} with wrong credentials: no further ones are sent, so that the other rules can be judged`,
    )
  }
}

/** Something is missing from the settings or the target: the rule is untested rather than inconclusive. */
export class NotApplicable extends Inconclusive {
  override readonly name = 'NotApplicable'
}

/** No request is left in the budget for this purpose. */
export class BudgetSpent extends Inconclusive {
  override readonly name = 'BudgetSpent'
  readonly purpose: Purpose

  constructor(limit: number, purpose: Purpose) {
    super(
      `the budget of ${limit} requests was used up (RUN_MAX_REQUESTS; the command plan says how many a run may need)`,
    )
    this.purpose = purpose
  }
}

/** A violation: one request never got a response, while plain valid ones did. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  readonly request: TestRequest
  readonly difference: string
  readonly reproduced: Reproduced

  constructor(
    request: TestRequest,
    { error, attempts }: { readonly error: TransportError; readonly attempts: readonly unknown[] },
  ) {
    super(`no answer came while plain valid requests were answered: ${error.message}`)
    this.request = request
    this.difference = `no answer: ${error.kind}`
    this.reproduced = { seen: attempts.length, of: attempts.length }
  }
}

/** Rules of the user's own are not what rules must be: the user's files are wrong, not the service or the suite. */
export class OwnRuleError extends Error {
  override readonly name = 'OwnRuleError'
  /** Without credentials. */
  readonly issues: readonly SettingIssue[]

  constructor(issues: readonly SettingIssue[]) {
    super(
      issues.map(({ setting, given, expected }) => `${setting}: ${given}: expected ${expected}`).join('; '),
    )
    this.issues = issues
  }
}

/** A function of the user's own that still waited for something else than an answer when the run had ended. */
export class Unended extends Error {
  override readonly name = 'Unended'
}

/** A closed connection, a gateway's error or silence, for a request that the transport may reject. */
export class TransportRejected extends Error {
  override readonly name = 'TransportRejected'

  constructor(message = 'connection closed') {
    super(message)
  }
}

/** The message of an error and where it happened, without the frames of libraries. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return errorText(error)
  const frame = error.stack
    ?.split('\n')
    .find((line) => line.trim().startsWith('at ') && !line.includes('node_modules'))
  return frame === undefined ? error.message : `${error.message} (${frame.trim()})`
}

/** An error that leaves a run: the same, unless a credential shows in anything that it holds; then one with the redacted text alone. */
export function withoutCredentials(error: unknown, redactor: Redactor): unknown {
  if (error instanceof OwnRuleError) return error
  const text = errorText(error)
  const shown = `${text}\n${inspect(error, wholly)}`
  if (redactor.redact(shown) === shown) return error
  const told = new Error(redactor.redact(text))
  told.stack = redactor.redact(error instanceof Error ? (error.stack ?? '') : '')
  return told
}

const wholly = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, showHidden: true }
