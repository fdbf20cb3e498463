import type { ProfileName } from '../../settings/profiles.ts'
import { runWideRules, type RuleId } from '../../specification/rules.ts'
import { groupBy } from '../../text/members.ts'
import { plural, printable } from '../../text/printable.ts'
import { clientCounts } from '../model/headline.ts'

/** The requests that a run would send. */
export type ShownPlan = Readonly<{
  rules: readonly {
    readonly id: RuleId
    /** The settings that it needs, if any. */
    readonly needs?: string
    /** Maximum number of requests. */
    readonly requests: number
    /** Number of requests that the budget allows. */
    readonly allotted: number
    /** Why these settings cannot test it, or null. */
    readonly untested: string | null
  }[]
  /** Requests by the client whose quota they use, including health checks. */
  byClient: Readonly<Record<string, number>>
  /** All requests in the plan, including the opening ones. */
  total: number
  budget: number
  /** Number of plain valid requests sent before all the others. */
  opening: number
  /** Maximum number of health checks between refusals. */
  checks: number
  baseUrl: string | null
  profile: ProfileName
  /** Endpoints that receive no requests, and why. */
  notJudged: readonly Readonly<{ endpoint: string; because: string }>[]
}>

type ShownRule = ShownPlan['rules'][number]

/** A plan as a table with totals, for a terminal. Says if the plan exceeds the budget. */
export function planText(plan: ShownPlan) {
  const clients = clientCounts(plan.byClient)
  const notJudged = plan.notJudged.map(({ endpoint: name, because }) => ({ name, because }))
  const untested = plan.rules.flatMap(({ id: name, needs = '', untested: why }) =>
    why === null ? [] : [{ name, because: why.includes(needs) ? why : `${why}; needs ${needs}` }],
  )
  const sections = [
    `Plan for ${printable(plan.baseUrl ?? 'no target')}, profile ${plan.profile}; nothing is sent.`,
    table(plan),
    `Requests that count towards each daily quota, at most: ${clients}.`,
    reasonsText(['Untested', 'rule'], untested),
    reasonsText(['Not judged', 'endpoint'], notJudged),
    fit(plan),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function table({ rules, opening, checks, total, budget }: ShownPlan) {
  const rows = [
    ['rule', 'requests'],
    ...rules.map((rule) => [rule.id, requestsOf(rule, total > budget)] as const),
    ['before all others', `${opening}`],
    ['health checks, at most', `${checks}`],
    ['total, at most', `${total}`],
  ]
  const first = Math.max(...rows.map(([name]) => name.length))
  const second = Math.max(...rows.map(([, cell]) => cell.length))
  return rows.map(([name, cell]) => `  ${name.padEnd(first)}  ${cell.padStart(second)}`).join('\n')
}

function requestsOf({ id, requests, allotted, untested }: ShownRule, isShort: boolean) {
  if (untested !== null) return 'untested'
  if (isShort && allotted < requests) return `${allotted} of ${requests}`
  return requests === 0 && runWideRules.some((rule) => rule === id) ? 'every answer' : `${requests}`
}

/** Names grouped by reason. */
function reasonsText(
  [what, noun]: readonly [string, string],
  all: readonly Readonly<{ name: string; because: string }>[],
) {
  if (all.length === 0) return ''
  const reasons = [...groupBy(all, ({ because }) => because)].map(([because, members]) => {
    const names = members.map(({ name }) => printable(name)).join(', ')
    return `  ${names}\n    ${printable(because)}`
  })
  return [`${what} with these settings (${plural(all.length, noun)}):`, ...reasons].join('\n')
}

function fit({ total, budget }: ShownPlan) {
  if (total <= budget)
    return `Fits the budget of ${plural(budget, 'request')}: ${budget - total} left for retries and confirmations.`
  return [
    `DOES NOT FIT: the plan needs ${total} requests, the budget is ${budget} (RUN_MAX_REQUESTS, --max-requests).`,
    'The requests that find most are sent first. Rules that get fewer than they need are inconclusive.',
  ].join('\n')
}
