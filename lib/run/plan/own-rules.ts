import { AsyncLocalStorage } from 'node:async_hooks'
import type { Redactor } from '../../redact/redact.ts'
import { issue } from '../../settings/issue.ts'
import { isRuleId } from '../../specification/rules.ts'
import { errorText, printable } from '../../text/printable.ts'
import type { SuiteRule } from './cases.ts'
import { NoAnswer, OwnRuleError } from './errors.ts'

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

function mistakeIn(where: string, expected: string, redact: (text: string) => string): OwnRuleError {
  const told = (text: string): string => printable(redact(text))
  return new OwnRuleError([issue('RUN_SUITES', { given: told(where), expected: told(expected) })])
}
