import type { Exchange } from '../../http/exchange.ts'
import { sameOutcome, type Check } from '../../judge/judge.ts'
import { ruleOf, type Phase, type SpecRuleId } from '../../specification/rules.ts'
import {
  example,
  inScene,
  scenario,
  type Area,
  type Case,
  type Example,
  type JudgedExchange,
  type Scenario,
  type Scene,
  type Step,
  type SuiteRule,
  type Work,
} from '../plan/cases.ts'
import { area, rule } from '../plan/rule.ts'
import type { SuiteContext } from '../plan/suite-context.ts'
import {
  askedIn,
  at,
  caseName,
  drawnRules,
  requestsOf,
  sendingRules,
  silentRules,
  type DrawnCase,
  type DrawnRule,
  type DrawnSceneStep,
  type DrawnStep,
  type DrawnSuite,
} from './drawn-suites.ts'

/** The areas of a drawn suite, in which only the `sending` rules have cases. */
export function areasOf(drawn: DrawnSuite, sending: readonly SpecRuleId[]): readonly Area[] {
  let made: Made | null = null
  const madeIn = (context: SuiteContext): Made => (made ??= new Made(drawn, context))
  const rules = drawnRules(drawn).map(({ id, phase, cases }): SuiteRule => {
    const work: SuiteRule['work'] = (context) =>
      madeIn(context).work({ phase, cases: sending.includes(id) ? cases : [] })
    return { id, entry: { ...ruleOf(id), phase }, work }
  })
  return [area('Drawn', [...rules, ...silentRules.map((id) => rule(id, () => []))])]
}

/** The cases of a drawn suite in one run. */
class Made {
  readonly #context: SuiteContext
  readonly #scenes: readonly Scene[]

  constructor({ scenes }: DrawnSuite, context: SuiteContext) {
    this.#context = context
    this.#scenes = scenes.map((groups) => groups.map((group) => group.map((step) => this.#step(step))))
  }

  work({ phase, cases }: DrawnRule): Work {
    const drawn = cases.flatMap((one, place) =>
      one.kind === 'generated' ? [this.#generated(cases, place)] : [],
    )
    if (drawn.length === 0)
      return { kind: 'cases', cases: cases.map((one, place) => this.#case(one, caseName(place), phase)) }
    const requests = drawn.reduce((sum, one) => sum + one.requests, 0)
    return { kind: 'generated', size: drawn.length, requests, cases: () => drawn }
  }

  #step({ connection, fallback, ...one }: DrawnSceneStep): Step {
    const plain = this.#context.list.request
    return {
      ...askedIn(one, this.#context),
      ...(connection === null ? {} : { connection }),
      ...(fallback ? { fallback: plain } : {}),
    }
  }

  #generated(cases: readonly DrawnCase[], place: number): Example {
    const one = at(cases, place)
    if (one.kind !== 'generated') throw new RangeError(`no generated case at ${place}`)
    const { request, check } = askedIn(one, this.#context)
    const { alone, before, shrinks } = one
    const paired = before === null ? null : at(requestsOf(this.#context), before)
    const afterPair = (met: Exchange | null): Check =>
      met === null ? check : { allowed: [], judge: (exchange) => sameOutcome(met, exchange) }
    return {
      ...example(caseName(place), request, check),
      ...(paired === null ? {} : { requests: 2, least: 2, pair: { request: paired, check: afterPair } }),
      again: true,
      says: `request ${one.request}`,
      ...(alone ? { alone } : {}),
      simpler: () => (shrinks && place + 1 < cases.length ? [this.#generated(cases, place + 1)] : []),
    }
  }

  #case(one: DrawnCase, name: string, phase: Phase): Case {
    if (one.kind === 'scenario') return this.#scenario(one.steps, name)
    if (one.kind === 'scene') {
      const judged = at(this.#scenes, one.scene)
      return inScene(name, judged, judged.flat().slice(-one.last))
    }
    const { request, check } = askedIn(one, this.#context)
    const { again = false, accuses = false } = one.kind === 'example' ? one : {}
    return {
      ...example(name, request, check),
      ...(again ? { again } : {}),
      ...(accuses && phase === 'together' ? { brokenIfServed: sendingRules[0] } : {}),
    }
  }

  #scenario(drawn: readonly DrawnStep[], name: string): Scenario {
    const steps = drawn.map((one) => ({ ...askedIn(one, this.#context), way: one.way }))
    const provides = steps.filter(({ way }) => isSent(way)).map(({ request }) => request)
    const wants = steps.filter(({ way }) => !isSent(way)).map(({ request }) => request)
    const requests = steps.length + steps.filter(({ way }) => way === 'same as known').length
    const play: Scenario['play'] = async (stage) => {
      const judged: JudgedExchange[] = []
      for (const { way, request, check } of steps) {
        if (way === 'sent') judged.push(await stage.judge(request, check))
        else if (way === 'on its own connection')
          judged.push(await stage.judge(request, check, stage.connection()))
        else if (way === 'known') judged.push(await stage.judgeKnown(request, check))
        else if (way === 'served before') judged.push(await stage.servedKnown(request))
        else {
          const known = await stage.known(request)
          const exchange = await stage.send(request)
          judged.push({ request, exchange, judgement: sameOutcome(known, exchange) })
        }
      }
      return judged
    }
    return scenario(name, requests, play, { provides, wants })
  }
}

/** Whether a step of a scenario always sends its request. */
function isSent(way: DrawnStep['way']): boolean {
  return way === 'sent' || way === 'on its own connection'
}
