import { AsyncLocalStorage } from 'node:async_hooks'
import type { Signal } from '../../http/abort-signal.ts'
import { issue } from '../../settings/issue.ts'
import { errorText, printable } from '../../text/printable.ts'
import { OwnRuleError } from './errors.ts'

/** Where the code of the user's own is that runs, and what it left for later: a rule with its file, or a file. */
const running = new AsyncLocalStorage<string>()

/** Calls code of the user's own, so that it is known where what it throws later comes from. */
export function asOwnCode<Result>(where: string, call: () => Result): Result {
  return running.run(where, call)
}

/** The error of code of the user's own that threw it when nobody waited for it any more; null if other code threw it. */
export function lateOwnError(error: unknown, redact: (text: string) => string): OwnRuleError | null {
  const where = running.getStore()
  if (where === undefined) return null
  const expected = `nothing thrown later, as in a timer or a promise that nobody awaits, instead of: ${errorText(error)}`
  return ownRuleError(where, expected, redact)
}

/** The error that says where code of the user's own is not what is expected, without credentials. */
export function ownRuleError(
  where: string,
  expected: string,
  redact: (text: string) => string,
): OwnRuleError {
  const told = (text: string): string => printable(redact(text))
  return new OwnRuleError([issue('RUN_SUITES', { given: told(where), expected: told(expected) })])
}

/** Time that code may take to end after its run did, in milliseconds: what waits for an answer ends at once. */
const graceMs = 1_000

/** What `call` gives; throws what `unended` makes if it has not ended a moment after this signal. */
export async function endingWith<Result>(
  signal: Signal,
  call: () => Promise<Result>,
  unended: () => Error,
): Promise<Result> {
  signal.throwIfAborted()
  let timer: NodeJS.Timeout | undefined
  let end = (): void => {}
  const late = new Promise<never>((_, reject) => {
    end = () => {
      timer = setTimeout(() => reject(unended()), graceMs)
    }
  })
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([call(), late])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
