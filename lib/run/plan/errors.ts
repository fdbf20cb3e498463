import { AsyncLocalStorage } from 'node:async_hooks'
import { inspect } from 'node:util'
import type { Exchange } from '../../http/exchange.ts'
import { succeeds, type Breach } from '../../judge/judge.ts'
import type { Reproduced } from '../../judge/record.ts'
import type { Redactor } from '../../redact/redact.ts'
import { issue, type SettingIssue } from '../../settings/issue.ts'
import { isRuleId, type RuleId } from '../../specification/rules.ts'
import { errorText, printable } from '../../text/printable.ts'
import type { SuiteRule } from './cases.ts'
import type { Purpose, TestRequest } from './test-request.ts'

/** The reason why there is no answer to judge. Only `silent` blames the service. */
export type None =
  /** Nobody is to blame, because no answer came or a precondition failed. */
  | 'trouble'
  /** The settings or the target lack something, so the rule is untested. */
  | 'unavailable'
  /** The budget has no requests left for this purpose. */
  | 'budget'
  /** Wrong credentials are no longer sent, because they lock the client out. */
  | 'left-out'
  /** Nothing more is sent, because the target cannot be judged any further. */
  | 'ended'
  /** Like `ended`, but the client seems to be locked out, so breaches since it was last served do not count. */
  | 'locked'
  /** The transport rejected a request that it may reject. */
  | 'rejected'
  /** A violation: the service never answers this request, but does answer plain valid ones. */
  | 'silent'

/** Thrown when there is no answer to judge; the message completes a sentence in the report. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly none: None
  /** The breaches from which it follows; empty if it has any other cause. */
  readonly follows: readonly PreconditionBreach[] = []
  /** The purpose for which the budget refused to pay. */
  readonly purpose: Purpose | null = null
  /** The request that was never answered, and how many times it was sent, for `silent`. */
  readonly silence: {
    readonly request: TestRequest
    readonly difference: string
    readonly reproduced: Reproduced
  } | null = null

  constructor(
    none: None,
    says: string,
    more: Partial<Pick<NoAnswer, 'follows' | 'purpose' | 'silence'>> = {},
  ) {
    super(says)
    this.none = none
    Object.assign(this, more)
  }

  /** Whether this says nothing about the request itself, so that its case is inconclusive or untested. */
  get leavesOpen() {
    return this.none !== 'rejected' && this.none !== 'silent'
  }

  get endsRun() {
    return this.none === 'ended' || this.none === 'locked'
  }

  /** Whether a lockout is the reason, so that a breach counts only if it was seen again. */
  get isAboutLockout() {
    return this.none === 'locked' || this.none === 'left-out'
  }
}

/** Returns the error as a {@link NoAnswer}; rethrows any other error, which is a bug. */
export function noAnswer(error: unknown) {
  if (error instanceof NoAnswer) return error
  throw error
}

/** A breach that keeps another case from being judged, and the rule that reports it. */
export type PreconditionBreach = Readonly<{
  rule: RuleId
  request: TestRequest
  breach: Breach
}>

/** The breach of a precondition in an answer, by default that a valid request was not served; empty if the check passes. */
export function notServed(
  { request, exchange }: { readonly request: TestRequest; readonly exchange: Exchange },
  check = succeeds(),
  rule: RuleId = 'endpoints/list-succeeds',
): readonly PreconditionBreach[] {
  const judgement = check.judge(exchange)
  return judgement.kind === 'violates' ? [{ rule, request, breach: judgement.breach }] : []
}

/** Thrown for a mistake in a user's own rules. The user's files are wrong, not the service or the suite. */
export class OwnRuleError extends Error {
  override readonly name = 'OwnRuleError'
  /** The issues, without credentials. */
  readonly issues: readonly SettingIssue[]

  constructor(issues: readonly SettingIssue[]) {
    super(
      issues.map(({ setting, given, expected }) => `${setting}: ${given}: expected ${expected}`).join('; '),
    )
    this.issues = issues
  }
}

/** The message of an error and its location, without stack frames from libraries. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return errorText(error)
  const frame = error.stack
    ?.split('\n')
    .find((line) => line.trim().startsWith('at ') && !line.includes('node_modules'))
  return frame === undefined ? error.message : `${error.message} (${frame.trim()})`
}

/** The same error, or, if it contains a credential, an error with only the redacted text. */
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

/** The location of the user's code that is running or that started a timer or promise: a rule and its file, or a file. */
const running = new AsyncLocalStorage<string>()

/** Where a user's own rule comes from, such as `acme/one (a.mjs)`; null for a rule of the specification. */
export function ownPlace({ id, file }: SuiteRule): string | null {
  if (isRuleId(id)) return null
  return file === undefined ? id : `${id} (${file})`
}

/** Calls code so that a later error is attributed to the user's code at this place, if it is not null. */
export function asOwnCode<Result>(where: string | null, call: () => Result): Result {
  return where === null ? call() : running.run(where, call)
}

/** The error for a mistake in the user's code at a place, without credentials; the same error if the place is null. */
export function ownError(error: unknown, where: string | null, redactor: Redactor): unknown {
  if (where === null || error instanceof NoAnswer || error instanceof OwnRuleError) return error
  const isInvalid = error instanceof Error && error.name === 'InvalidRule'
  const expected = isInvalid ? error.message : `functions that throw nothing, instead of: ${errorText(error)}`
  return mistakeIn(where, expected, (text) => redactor.ofAnswer().redact(text))
}

/** The error in a user's code that no longer had a caller; null if other code threw it. */
export function lateOwnError(error: unknown, redact: (text: string) => string): OwnRuleError | null {
  const where = running.getStore()
  if (where === undefined) return null
  const expected = `nothing thrown later, as in a timer or a promise that nobody awaits, instead of: ${errorText(error)}`
  return mistakeIn(where, expected, redact)
}

function mistakeIn(where: string, expected: string, redact: (text: string) => string) {
  const told = (text: string) => printable(redact(text))
  return new OwnRuleError([issue('RUN_SUITES', { given: told(where), expected: told(expected) })])
}
