import { truncateBody } from '../../http/exchange.ts'
import type { Settings } from '../../settings/settings.ts'
import { errorText, printable } from '../../text/printable.ts'
import type { Example, Scenario, SuiteRule, Untestable, Work } from './cases.ts'
import { NoAnswer, Unended, type OwnRuleError } from './errors.ts'
import { demandingJudgements, judgedExchanges, listedCases } from './listed-cases.ts'
import { asOwnCode, endingWith, ownRuleError } from './own-code.ts'
import { redactorOf } from './redactor-of.ts'
import type { SuiteContext } from './suite-context.ts'

/**
 * What a rule of a user's own sends. Whatever its functions throw, now or while it judges, becomes an {@link OwnRuleError} that names
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

/** Says in which rule, file and case an error is. */
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
    const text = `${this.#where}, case ${name}, waited for something that did not come, and was left behind`
    return new Unended(printable(this.redacted(text)))
  }

  error(name: string | null, error: unknown): OwnRuleError {
    const isUnfit = error instanceof Error && error.name === 'UnfitRule'
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
        // A scenario is remembered to the end of the run.
        return played.map((judged) => ({ ...judged, exchange: truncateBody(judged.exchange) }))
      } catch (error) {
        if (stage.cancelled.aborted || error instanceof NoAnswer) throw error
        throw blame.error(one.name, error)
      }
    },
  }
}

/** The cases, each drawn by the user's own functions. */
function* drawn(name: string | null, cases: () => Iterable<Example>, blame: Blame): Generator<Example> {
  const iterator = blame.ifThrows(name, () => cases()[Symbol.iterator]())
  const next = (): IteratorResult<Example> => blame.ifThrows(name, () => iterator.next())
  for (let result = next(); result.done !== true; result = next()) {
    const one = result.value
    const { simpler } = one
    yield simpler === undefined ? one : { ...one, simpler: () => drawn(one.name, simpler, blame) }
  }
}
