import type { RulePower, Situations } from '../../judge/power.ts'
import { groupBy } from '../../text/members.ts'
import { capitalised, counted, grouped, beginning } from '../../text/printable.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { listedNames } from './cause-view.ts'

const kindNames: Readonly<Record<Situations['kind'], string>> = {
  flaw: 'each flaw alone',
  pair: 'each pair of flaws',
  condition: 'each condition with at most one flaw',
  connection: 'a new connection, and one used before',
  order: 'a flawed request right after a success',
  load: 'several requests at once',
  client: 'clients',
}

/** Maximum number of missing situations named for each setting that would make them reachable. */
const named = 4
const longestName = 80

/** Minimum number of answers for showing a rate. Fewer answers exclude only rates above one in ten, which would sound like praise. */
const tellingAnswers = 30

/** `fewer than one in 102`: the excluded rate, rounded so that it never promises too much; null if none is shown. */
function rateText({ answers, excludes }: RulePower) {
  if (excludes === null || answers < tellingAnswers) return null
  return `fewer than one in ${grouped(Math.max(1, Math.floor(1 / excludes)))}`
}

/** The power of a verdict in one sentence. A rate is shown only if there was no breach. */
function powerSentence(power: RulePower) {
  const { answers } = power
  const breaches = breachesIn(power)
  const rate = rateText(power)
  if (breaches !== null) return `${breaches}; confirmations are not counted`
  const could = `${answers === 0 ? 'no answer' : counted(answers, 'answer')} could have shown a breach`
  if (rate === null) return could
  return `${could}: if faults are random, ${rate} answers are faulty (95 % confidence)`
}

/** `3 of 20 requests showed a breach`, including unanswered requests; null if none did. */
function breachesIn({ answers, faulty = 0, unanswered = 0 }: RulePower) {
  const count = faulty + unanswered
  return count === 0
    ? null
    : `${grouped(count)} of ${counted(answers + unanswered, 'request')} showed a breach`
}

/** The power of a rule: `3 of 20 requests showed a breach`, or `fewer than one in 23 faulty`; null if unknown. */
export function rulePowerText(power: RulePower) {
  const rate = rateText(power)
  return breachesIn(power) ?? (rate === null ? null : `${rate} faulty`)
}

/** The power of a verdict: the fault rate that it excludes, and the situations that the run reached; null if unknown. */
export function powerView({ power }: Pick<Verdict, 'power'>) {
  if (power === undefined) return null
  return {
    sentence: capitalised(powerSentence(power)),
    caveat,
    situations: power.situations.map(situationOf),
  }
}

const caveat =
  'This says nothing about faults that depend on one input, node or connection. Faults in a single node show only if the load balancer spreads connections. For other faults, see which situations were reached.'

function situationOf({ kind, reached, missing }: Situations) {
  const met = Object.keys(reached).length
  const bySetting = groupBy(Object.keys(missing), (name) => missing[name] ?? '')
  const left = [...bySetting].map(([setting, names]) => {
    const shown = names.map((name) => beginning(name, longestName))
    return `${listedNames(shown, named)} (${beginning(setting, longestName)})`
  })
  const unreached = left.length === 0 ? '' : `; not reached: ${left.join('; ')}`
  return { label: kindNames[kind], value: `${met} of ${met + Object.keys(missing).length}${unreached}` }
}
