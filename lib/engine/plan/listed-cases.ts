import { UnfitRule } from '../../judge/unfit-rule.ts'
import type { Check } from '../../judge/judge.ts'
import type { Case, JudgedExchange, Untestable } from './cases.ts'

// Rules may be written without types: whatever their functions give is held against what it must be.

/** The cases that a rule's function gave, or why there are none. Throws {@link UnfitRule} for anything else. */
export function listedCases(made: Iterable<Case> | Untestable): readonly Case[] | Untestable {
  if (isRecord(made) && 'untested' in made) {
    if (!isText(made.untested))
      throw new UnfitRule('as untested, a text that says why nothing can be sent', made.untested)
    return { untested: made.untested }
  }
  if (!isRecord(made) || !(Symbol.iterator in made))
    throw new UnfitRule("a list of cases, or { untested: 'why' }", made)
  const cases = Array.isArray(made) ? made : Array.from(made)
  cases.forEach(demandCase)
  return cases
}

function demandCase(one: Case): void {
  if (!isRecord(one) || (one.kind !== 'example' && one.kind !== 'scenario'))
    throw new UnfitRule('cases made with example() or scenario()', one)
  const { kind, name } = one
  if (!isText(name)) throw new UnfitRule('for each case, a name', name)
  const demand = (isFit: boolean, what: string, given: unknown): void => {
    if (!isFit) throw new UnfitRule(`for the case ${name}, ${what}`, given)
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

/** The check; its judge throws {@link UnfitRule} rather than give what is no judgement. */
export function demandingJudgements(check: Check): Check {
  return {
    ...check,
    judge: (exchange) => {
      const judgement = check.judge(exchange)
      if (!isJudgement(judgement)) throw new UnfitRule('from the judge of a check, a judgement', judgement)
      return judgement
    },
  }
}

/** What playing a scenario came to. Throws {@link UnfitRule} for anything else. */
export function judgedExchanges(played: readonly JudgedExchange[]): readonly JudgedExchange[] {
  const other = Array.isArray(played) ? played.filter((one) => !isJudged(one)) : [played]
  if (other.length > 0) throw new UnfitRule('from a scenario, a list of what stage.judge() gave', other[0])
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

/** By its form: the rule's module may have found another copy of this package, whose class is another one. */
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
