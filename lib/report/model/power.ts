import type { RulePower, Situations } from '../../judge/worth.ts'
import { groupBy, capitalised, counted, grouped } from '../../text/counts.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { listedNames } from './cause-text.ts'
import { beginning } from '../../text/printable.ts'

const kindNames: Readonly<Record<Situations['kind'], string>> = {
  flaw: 'each flaw alone',
  pair: 'each pair of flaws',
  condition: 'each condition with at most one flaw',
  connection: 'a new connection, and one used before',
  order: 'a flawed request right after a success',
  load: 'several requests at once',
  client: 'clients',
}

/** Missing situations named for each setting that would reach them. */
const named = 4
const longestName = 80

/** `one in 102`: a rate, rounded so that it never promises more. */
function oneIn(rate: number): string {
  return `one in ${grouped(Math.max(1, Math.floor(1 / rate)))}`
}

/** Minimum answers of which a rate is told: fewer exclude only rates above one in ten, which reads as praise and is none. */
const tellingAnswers = 30

/** What a verdict is worth in one sentence; null if it does not say. A rate is told only where nothing was breached. */
export function powerSentence({ power }: Pick<Verdict, 'power'>): string | null {
  if (power === undefined) return null
  const { answers, excludes, faulty = 0, unanswered = 0 } = power
  const could = `${answers === 0 ? 'no answer' : counted(answers, 'answer')} could have shown a breach`
  if (faulty > 0 || unanswered > 0) {
    const showed =
      faulty === 0 ? could : `${grouped(faulty)} of ${counted(answers, 'answer')} showed a breach`
    return `${[showed, ...leftUnanswered(unanswered)].join(', ')}; confirmations are not counted`
  }
  if (excludes === null || answers < tellingAnswers) return could
  return `${could}: if faults are random, fewer than ${oneIn(excludes)} answers are faulty (95 % confidence)`
}

function leftUnanswered(count: number): readonly string[] {
  if (count === 0) return []
  return [`${counted(count, 'request')} ${count === 1 ? 'was' : 'were'} left unanswered`]
}

/** What a rule's answers show, as `3 faulty`, or exclude, as `fewer than one in 23 faulty`; null if neither. */
export function worthOf({ answers, excludes, faulty = 0, unanswered = 0 }: RulePower): string | null {
  if (faulty > 0 || unanswered > 0) {
    const parts = [...(faulty === 0 ? [] : [`${grouped(faulty)} faulty`]), ...leftUnanswered(unanswered)]
    return parts.join(', ')
  }
  return excludes === null || answers < tellingAnswers ? null : `fewer than ${oneIn(excludes)} faulty`
}

/** What a verdict is worth: the rate of faults that it excludes, and the situations that were reached. */
export interface WorthView {
  readonly sentence: string
  readonly caveat: string
  readonly situations: readonly {
    readonly name: string
    readonly reached: string
    readonly of: string
    readonly missing: string
  }[]
}

/** What a verdict is worth; null if it does not say. */
export function worthView(verdict: Pick<Verdict, 'power'>): WorthView | null {
  const sentence = powerSentence(verdict)
  if (sentence === null || verdict.power === undefined) return null
  const situations = verdict.power.situations.map(situationOf)
  return { sentence: `${capitalised(sentence)}.`, caveat, situations }
}

const caveat =
  'This says nothing about faults that depend on one input, node or connection. Faults of one node show only if the load balancer spreads connections. For other faults, see which situations were reached.'

function situationOf({ kind, reached, missing }: Situations): WorthView['situations'][number] {
  const met = Object.keys(reached).length
  const bySetting = groupBy(Object.keys(missing), (name) => missing[name] ?? '')
  const left = [...bySetting].map(([setting, names]) => {
    const shown = names.map((name) => beginning(name, longestName))
    return `${listedNames(shown, named)} (${beginning(setting, longestName)})`
  })
  return {
    name: kindNames[kind],
    reached: `${met}`,
    of: `${met + Object.keys(missing).length}`,
    missing: left.length === 0 ? 'none' : left.join('; '),
  }
}
