import { isDeepStrictEqual } from 'node:util'
import { changeText, toleratedChanges } from '../lib/drift/tolerated.ts'
import { rulesOfAnswer, type KnownAnswers } from '../lib/engine/record/known-answers.ts'
import { readBody } from '../lib/http/body.ts'
import type { Exchange } from '../lib/http/exchange.ts'
import { runWideChecks } from '../lib/judge/run-wide.ts'
import type { RunWideRuleId } from '../lib/specification/rules.ts'

/** Makes a class judge every answer anew beside what it remembers; a difference is an error of the suite, which ends a run in 4. */
export function judgeBothWays({
  prototype,
}: {
  readonly prototype: Pick<KnownAnswers, 'rulesThatHold'>
}): void {
  const remembered = prototype.rulesThatHold
  prototype.rulesThatHold = function judgedBothWays(exchange) {
    const fast = remembered.call(this, exchange)
    // Then nothing is taken from memory.
    if (fast === null) return null
    const plain = judgedAnew(exchange)
    if (isDeepStrictEqual(fast, plain)) return fast
    throw new Error(
      `judged as ${String(plain)}, and remembered as ${String(fast)}: ${exchange.response.text}`,
    )
  }
}

/** The rules that hold for an answer, or null if one is broken by it or by a tolerated change of it. */
function judgedAnew(exchange: Exchange): readonly RunWideRuleId[] | null {
  const { response } = exchange
  const { body } = readBody(Buffer.from(response.text))
  if (!isDeepStrictEqual(body, response.body)) throw new Error(`read otherwise than anew: ${response.text}`)
  const changed = toleratedChanges.map(({ name }): Exchange => {
    const { text } = changeText(response.text, [name], 7)
    return { ...exchange, response: { ...response, ...readBody(Buffer.from(text)) } }
  })
  const isBroken = [exchange, ...changed].some((one) =>
    rulesOfAnswer.some((rule) => runWideChecks[rule](one)?.kind === 'violates'),
  )
  return isBroken ? null : rulesOfAnswer.filter((rule) => runWideChecks[rule](exchange) !== null)
}
