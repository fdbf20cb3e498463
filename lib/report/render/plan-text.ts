import type { ProfileName } from '../../settings/profiles.ts'
import { runWideRules, type RuleId } from '../../specification/rules.ts'
import { groupBy, plural } from '../../text/counts.ts'
import { clientCounts } from '../model/rule-counts.ts'
import { printable } from '../../text/printable.ts'

/** Requests that a run would send. */
export interface ShownPlan {
  readonly rules: readonly {
    readonly id: RuleId
    /** Settings that it needs, if any. */
    readonly needs?: string
    /** Maximum of requests. */
    readonly requests: number
    /** Requests that the budget leaves it. */
    readonly allotted: number
    /** Why these settings cannot test it, or null. */
    readonly untested: string | null
  }[]
  /** Requests by the client whose quota they use, health checks included. */
  readonly byClient: Readonly<Record<string, number>>
  /** All requests of the plan, including the opening ones. */
  readonly total: number
  readonly budget: number
  /** Plain valid requests before all others. */
  readonly opening: number
  /** Maximum health checks between refusals. */
  readonly checks: number
  readonly baseUrl: string | null
  readonly profile: ProfileName
  /** Endpoints that it sends nothing to, and why. */
  readonly notJudged: readonly { readonly endpoint: string; readonly because: string }[]
}

type ShownRule = ShownPlan['rules'][number]

/** Table of a plan with totals, for a terminal; says if it exceeds the budget. */
export function planText(plan: ShownPlan): string {
  const sections = [
    `Plan for ${printable(plan.baseUrl ?? 'no target')}, profile ${plan.profile}; nothing is sent.`,
    table(plan),
    clientsText(plan.byClient),
    untestedText(plan.rules.filter(({ untested }) => untested !== null)),
    notJudgedText(plan.notJudged),
    fit(plan),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function table({ rules, opening, checks, total, budget }: ShownPlan): string {
  const rows: readonly (readonly [string, string])[] = [
    ['rule', 'requests'],
    ...rules.map((rule): readonly [string, string] => [rule.id, requestsOf(rule, total > budget)]),
    ['before all others', `${opening}`],
    ['health checks, at most', `${checks}`],
    ['total, at most', `${total}`],
  ]
  const first = Math.max(...rows.map(([name]) => name.length))
  const second = Math.max(...rows.map(([, cell]) => cell.length))
  return rows.map(([name, cell]) => `  ${name.padEnd(first)}  ${cell.padStart(second)}`).join('\n')
}

function requestsOf({ id, requests, allotted, untested }: ShownRule, isShort: boolean): string {
  if (untested !== null) return 'untested'
  if (isShort && allotted < requests) return `${allotted} of ${requests}`
  return requests === 0 && runWideRules.some((rule) => rule === id) ? 'every answer' : `${requests}`
}

function clientsText(byClient: ShownPlan['byClient']): string {
  return `Of the daily quota of each client, at most: ${clientCounts(byClient)}.`
}

function untestedText(rules: readonly ShownRule[]): string {
  if (rules.length === 0) return ''

  const reasons = [...groupBy(rules, reasonOf)].map(
    ([reason, members]) => `  ${members.map(({ id }) => id).join(', ')}\n    ${printable(reason)}`,
  )
  return [`Untested with these settings (${plural(rules.length, 'rule')}):`, ...reasons].join('\n')
}

function notJudgedText(endpoints: ShownPlan['notJudged']): string {
  if (endpoints.length === 0) return ''

  const reasons = [...groupBy(endpoints, ({ because }) => because)].map(
    ([because, members]) =>
      `  ${members.map(({ endpoint }) => printable(endpoint)).join(', ')}\n    ${printable(because)}`,
  )
  return [`Not judged with these settings (${plural(endpoints.length, 'endpoint')}):`, ...reasons].join('\n')
}

function reasonOf({ needs, untested }: ShownRule): string {
  const because = untested ?? ''
  return needs === undefined || because.includes(needs) ? because : `${because}; needs ${needs}`
}

function fit({ total, budget }: ShownPlan): string {
  if (total <= budget) {
    return `Fits the budget of ${plural(budget, 'request')}: ${budget - total} left for retries and confirmations.`
  }
  return [
    `DOES NOT FIT: the plan is for ${total} requests, the budget for ${budget} (RUN_MAX_REQUESTS, --max-requests).`,
    'The most telling requests go first; rules that get fewer than they need are inconclusive.',
  ].join('\n')
}
