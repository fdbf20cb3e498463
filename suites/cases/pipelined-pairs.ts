import { scenario, type Case, type Scenario } from '../../lib/engine/plan/cases.ts'
import { NotApplicable } from '../../lib/engine/plan/errors.ts'
import type { SuiteContext } from '../../lib/engine/plan/suite-context.ts'
import type { TestRequest } from '../../lib/engine/plan/test-request.ts'
import type { Exchange } from '../../lib/http/exchange.ts'
import { answeredBy, isServed } from '../../lib/judge/answered.ts'
import { describeAnswered } from '../../lib/judge/differences.ts'
import { answersOneOf, type Judgement } from '../../lib/judge/judge.ts'
import { wrongKey } from '../../lib/engine/plan/flawed-requests.ts'

/** Maximum pairs of a run, those included that confirm. */
const most = 4

/** Two requests in one segment, the second without a valid key: never a success, and not the answer to the first. */
export function pipelinedPairs(context: SuiteContext): readonly Case[] {
  const { list, settings } = context
  if (settings.run.skipPipelining) return []
  let left = most
  const seconds = [
    ['pair-without-key', list.request.without('x-api-key')],
    ['pair-with-wrong-key', list.request.with('x-api-key', wrongKey(context))],
  ] as const
  return seconds.map(([name, second]) => {
    const pair = list.request
      .onRawSocket({ followedBy: { request: second.request, isInSameSegment: true } })
      .trait({ transportMayRefuse: true, observed: true })
    const play: Scenario['play'] = async (stage) => {
      if (left === 0) throw new NotApplicable(`${most} pairs of requests were sent in this run`)
      left -= 1
      const first = await stage.attempt(pair)
      const answer = first === null ? null : answerToSecond(first, second)
      if (first === null || answer === null || !isServed(answer)) return []
      // What is served by itself, too, belongs to other rules.
      if (isServed(await stage.send(second))) return []
      return [
        { request: second, exchange: answer, judgement: judged(first, answer, context.documented(second)) },
      ]
    }
    return scenario(name, 2, play, { last: true })
  })
}

/** The exchange of the second request; null without an answer to it. */
function answerToSecond({ behind, durationMs }: Exchange, { request }: TestRequest): Exchange | null {
  const response = behind?.next ?? null
  return response === null ? null : { request, response, durationMs, reused: true }
}

function judged(
  first: Exchange,
  second: Exchange,
  allowed: ReturnType<SuiteContext['documented']>,
): Judgement {
  const answered = answeredBy(second.response)
  const isExchanged = answersOneOf(allowed).judge(first).kind === 'holds'
  const [difference, says] = isExchanged
    ? ['answers exchanged', 'of two requests in one segment, each gets the answer of the other']
    : ['second request served', 'the second of two requests in one segment is served']
  const summary = `${says}: answered ${describeAnswered(answered)}`
  return { kind: 'violates', breach: { allowed, answered, difference, summary } }
}
