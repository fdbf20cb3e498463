import { AsyncLocalStorage } from 'node:async_hooks'
import type { Signal } from '../../http/abort-signal.ts'
import { truncateBody } from '../../http/exchange.ts'
import { InvalidRule } from '../../judge/invalid-rule.ts'
import type { Check } from '../../judge/judge.ts'
import { issue } from '../../settings/issue.ts'
import type { Settings } from '../../settings/settings.ts'
import { errorText, printable } from '../../text/printable.ts'
import type { Case, Example, JudgedExchange, Scenario, SuiteRule, Untestable, Work } from './cases.ts'
import { NoAnswer, OwnRuleError, Unended } from './errors.ts'
import { redactorOf } from './model-of-settings.ts'
import type { SuiteContext } from './suite-context.ts'

/**
 * Makes the cases of a user's own rule. An error in its functions, now or later, becomes an {@link OwnRuleError} that names the
 * rule, file and case and shows no credential.
 */
export function ownWork({ id, file, work }: SuiteRule, context: SuiteContext): Work | Untestable {
  const blame = new Blame(file === undefined ? id : `${id} (${file})`, context.settings)
  const made = blame.ifThrows(null, () => {
    const given = work(context)
    if ('kind' in given && given.kind === 'generated') return given
    const cases = listedCases('kind' in given ? given.cases : given)
    return 'untested' in cases ? cases : { kind: 'cases' as const, cases }
  })
  if ('untested' in made) return { untested: blame.redacted(made.untested) }
  if (made.kind === 'generated') return { ...made, cases: () => drawn(null, made.cases, blame) }
  const cases = made.cases.map((one) =>
    one.kind === 'example' ? ownExample(one, blame) : ownScenario(one, blame),
  )
  return { kind: 'cases', cases }
}

/** Names the rule, file and case in which an error occurred. */
class Blame {
  readonly #where: string
  readonly #settings: Settings

  constructor(where: string, settings: Settings) {
    this.#where = where
    this.#settings = settings
  }

  redacted(text: string): string {
    return redactorOf(this.#settings).ofAnswer().redact(text)
  }

  ifThrows<Result>(name: string | null, call: () => Result): Result {
    try {
      return this.own(call)
    } catch (error) {
      throw this.error(name, error)
    }
  }

  own<Result>(call: () => Result): Result {
    return asOwnCode(this.#where, call)
  }

  unended(name: string): Unended {
    const text = `${this.#where}, case ${name}, waited for something that never came, and was abandoned`
    return new Unended(printable(this.redacted(text)))
  }

  error(name: string | null, error: unknown): OwnRuleError {
    const isUnfit = error instanceof Error && error.name === 'InvalidRule'
    const where = name === null ? this.#where : `${this.#where}, case ${name}`
    const expected = isUnfit ? error.message : `functions that throw nothing, instead of: ${errorText(error)}`
    return ownRuleError(where, expected, (text) => this.redacted(text))
  }
}

function ownExample(one: Example, blame: Blame): Example {
  const { judge, ...check } = demandingJudgements(one.check)
  return {
    ...one,
    check: { ...check, judge: (exchange) => blame.ifThrows(one.name, () => judge(exchange)) },
  }
}

function ownScenario(one: Scenario, blame: Blame): Scenario {
  return {
    ...one,
    play: async (stage) => {
      try {
        const play = (): ReturnType<Scenario['play']> => blame.own(async () => one.play(stage))
        const played = judgedExchanges(await endingWith(stage.cancelled, play, () => blame.unended(one.name)))
        // The run keeps the result of a scenario until the end.
        return played.map((judged) => ({ ...judged, exchange: truncateBody(judged.exchange) }))
      } catch (error) {
        if (stage.cancelled.aborted || error instanceof NoAnswer) throw error
        throw blame.error(one.name, error)
      }
    },
  }
}

/** The cases drawn by the user's functions. */
function* drawn(name: string | null, cases: () => Iterable<Example>, blame: Blame): Generator<Example> {
  const iterator = blame.ifThrows(name, () => cases()[Symbol.iterator]())
  const next = (): IteratorResult<Example> => blame.ifThrows(name, () => iterator.next())
  for (let result = next(); result.done !== true; result = next()) {
    const one = result.value
    const { simpler } = one
    yield simpler === undefined ? one : { ...one, simpler: () => drawn(one.name, simpler, blame) }
  }
}

// Rules may be written without types, so the results of their functions are checked.

/** The cases that a rule's function returned, or why there are none. Throws {@link InvalidRule} for anything else. */
export function listedCases(made: Iterable<Case> | Untestable): readonly Case[] | Untestable {
  if (isRecord(made) && 'untested' in made) {
    if (!isText(made.untested))
      throw new InvalidRule('as untested, a text that says why nothing can be sent', made.untested)
    return { untested: made.untested }
  }
  if (!isRecord(made) || !(Symbol.iterator in made))
    throw new InvalidRule("a list of cases, or { untested: 'why' }", made)
  const cases = Array.isArray(made) ? made : Array.from(made)
  cases.forEach(demandCase)
  return cases
}

function demandCase(one: Case): void {
  if (!isRecord(one) || (one.kind !== 'example' && one.kind !== 'scenario'))
    throw new InvalidRule('cases made with example() or scenario()', one)
  const { kind, name } = one
  if (!isText(name)) throw new InvalidRule('for each case, a name', name)
  const demand = (isFit: boolean, what: string, given: unknown): void => {
    if (!isFit) throw new InvalidRule(`for the case ${name}, ${what}`, given)
  }
  if (kind === 'example') {
    const { request, check } = one
    demand(isRequest(request), 'a request made from one of the context', request)
    demand(isCheck(check), 'a check such as succeeds() or succeedsWith()', check)
    return
  }
  const { play, wants, provides } = one
  const areLists = [wants, provides].every((all) => Array.isArray(all) && all.every(isRequest))
  demand(typeof play === 'function', 'a function that plays it', play)
  demand(areLists, 'as provides and wants, lists of requests', { wants, provides })
}

/** The check, whose judge throws {@link InvalidRule} if the result is not a judgement. */
function demandingJudgements(check: Check): Check {
  return {
    ...check,
    judge: (exchange) => {
      const judgement = check.judge(exchange)
      if (!isJudgement(judgement)) throw new InvalidRule('from the judge of a check, a judgement', judgement)
      return judgement
    },
  }
}

/** The result of a scenario. Throws {@link InvalidRule} for anything else. */
function judgedExchanges(played: readonly JudgedExchange[]): readonly JudgedExchange[] {
  const other = Array.isArray(played) ? played.filter((one) => !isJudged(one)) : [played]
  if (other.length > 0) throw new InvalidRule('from a scenario, a list of what stage.judge() gave', other[0])
  return played
}

function isJudged(one: unknown): boolean {
  return (
    isRecord(one) && isRequest(one['request']) && isRecord(one['exchange']) && isJudgement(one['judgement'])
  )
}

function isJudgement(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { kind, breach, because } = value
  if (kind === 'unclear') return isText(because)
  if (kind !== 'violates' || !isRecord(breach)) return kind === 'holds'
  return Array.isArray(breach['allowed']) && isText(breach['difference']) && isText(breach['summary'])
}

function isCheck(value: unknown): boolean {
  return isRecord(value) && typeof value['judge'] === 'function' && Array.isArray(value['allowed'])
}

/** Checks the form rather than the class, because the rule's module may have loaded another copy of this package. */
function isRequest(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value['request']) || !isRecord(value['traits'])) return false
  return Array.isArray(value['request']['fields'])
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** The location of the user's code that is running or that started a timer or promise: a rule and its file, or a file. */
const running = new AsyncLocalStorage<string>()

/** Calls the user's code so that the origin of a later error is known. */
export function asOwnCode<Result>(where: string, call: () => Result): Result {
  return running.run(where, call)
}

/** The error in a user's code that no longer had a caller; null if other code threw it. */
export function lateOwnError(error: unknown, redact: (text: string) => string): OwnRuleError | null {
  const where = running.getStore()
  if (where === undefined) return null
  const expected = `nothing thrown later, as in a timer or a promise that nobody awaits, instead of: ${errorText(error)}`
  return ownRuleError(where, expected, redact)
}

/** The error for a mistake in a user's code, without credentials. */
function ownRuleError(where: string, expected: string, redact: (text: string) => string): OwnRuleError {
  const told = (text: string): string => printable(redact(text))
  return new OwnRuleError([issue('RUN_SUITES', { given: told(where), expected: told(expected) })])
}

/** How long code may run after the end of its run, in milliseconds. Code that is waiting for an answer ends at once. */
const graceMs = 1_000

/** The result of `call`; throws `unended()` if the call has not ended shortly after the signal. */
async function endingWith<Result>(
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
