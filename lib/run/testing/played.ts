import { expect, onTestFinished, test } from 'vitest'
import { now, timeInSteps } from '../../../tests/support/virtual-time.ts'
import { settingsOf as settingsFor } from '../../doors/cli/serve-command.ts'
import { type Request, fieldsOf } from '../../http/exchange.ts'
import { clientNames, clients } from '../../serve/reference/clients.ts'
import type { ReferenceOptions } from '../../serve/reference/service.ts'
import { read, settingsOf } from '../../settings/testing/read.ts'
import { type RuleId, ruleIds } from '../../specification/rules.ts'
import { groupBy } from '../../text/members.ts'
import { verdictMistakes } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { area, rule, type SuiteRule } from '../plan/cases.ts'
import type { RunEvent } from '../plan/plan.ts'
import { type JudgeOptions, judge } from '../run.ts'
import { type Arrived, type Meets, inMemory } from './in-memory.ts'
import { noKey } from './rules.ts'

/** A request as it arrives in a scenario. */
export interface Sent extends Arrived {
  /** The value of `x-case`, or `plain`, `wrong` (a client's key with another secret), `stranger`, or the name of its client. */
  readonly name: string
  /** How many requests of this name arrived before it. */
  readonly nth: number
  /** When it arrived, in milliseconds of virtual time. */
  readonly at: number
}

/** A service as the outcomes of each named request in turn, the last one repeated; or as a function. */
export type Script = Readonly<Record<string, readonly Meets[]>> | ((sent: Sent) => Meets)

/** A service and the rules that judge it. By default only the target is configured, and requests go one at a time. */
export interface Play {
  readonly service?: Script
  readonly rules: readonly SuiteRule[]
  /** Whether the suites have no other rules. */
  readonly isPartial?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Clients configured in addition to the target, as the prefixes of their settings: `FIXTURE_SECOND`. */
  readonly fixtures?: readonly string[]
  /** The path after the address of the service. */
  readonly path?: string
  readonly reference?: ReferenceOptions
  /** Why the raw socket cannot be used. */
  readonly rawSocketUnavailable?: string
  readonly options?: JudgeOptions
}

/** The result of a scenario. */
export type Played = Awaited<ReturnType<typeof played>>

/** Judges a scripted service in memory, in virtual time. Other rules send nothing. */
export async function played({ service: script = {}, rules, path = '', ...given }: Play) {
  const { env, fixtures = [], reference, options, rawSocketUnavailable = null, isPartial } = given
  const sent: Sent[] = []
  const counts = new Map<string, number>()
  // Requests over a socket may take any number of turns.
  const idle = { turns: Number.NEGATIVE_INFINITY }
  onTestFinished(timeInSteps(10, idle))
  const { service, transport: pool } = await inMemory((arrived, request) => {
    const name = nameOf(arrived, request)
    const one = { ...arrived, name, nth: counts.get(name) ?? 0, at: now() }
    sent.push(one)
    counts.set(name, one.nth + 1)
    if (path === '') idle.turns = 0
    return typeof script === 'function' ? script(one) : inTurn(script[name] ?? [], one.nth)
  }, reference)
  const transport = { ...pool, rawSocketUnavailable }
  const all = settingsFor(service)
  const configured = ['TARGET_', ...fixtures.map((name) => `${name}_`)]
  const chosen = Object.entries(all).filter(([name]) => configured.some((prefix) => name.startsWith(prefix)))
  const address = { TARGET_BASE_URL: service.baseUrl + path, RUN_CONCURRENCY: '1' }
  const settings = settingsOf(await read({ ...Object.fromEntries(chosen), ...address, ...env }))
  const others = ruleIds.filter((id) => rules.every((one) => one.id !== id)).map((id) => rule(id, () => []))
  const events: RunEvent[] = []
  const areas = [area('Scenarios', isPartial === true ? rules : [...rules, ...others])]
  const onEvent = (event: RunEvent) => void events.push(event)
  const { verdict, replayed } = await judge(settings, areas, { transport, onEvent, ...options })
  expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  return {
    verdict,
    replayed,
    ...summaryOf(verdict),
    ...arrivalsOf(sent),
    /** Number of separate connections left open. */
    leftOpen: transport.opened.filter((one) => !one.closed).length,
    /** The requested limits on connections. */
    atMost: transport.atMost,
    sent,
    events,
  }
}

const inTurn = (all: readonly Meets[], at: number): Meets => all[Math.min(at, all.length - 1)] ?? null

function nameOf({ plain, apiKey, secretKey }: Arrived, request: Request): string {
  const [own] = fieldsOf(request, 'x-case')
  if (own !== undefined) return own
  if (plain) return 'plain'
  const client = clientNames.find((name) => clients[name].apiKey === apiKey)
  if (client === undefined) return 'stranger'
  return secretKey === clients[client].secretKey ? client : 'wrong'
}

const earlyEnd = 'the run ended early: '
const nothingSent = 'the run got no answer that this rule judges'

function summaryOf({ requests, rules, exitCode, because }: Verdict) {
  const ended = because.find((text) => text.startsWith(earlyEnd))?.slice(earlyEnd.length) ?? null
  const left = rules.flatMap(({ because: text }) => text ?? [])
  return {
    exitCode,
    /** Why the run ended early, or null. */
    ended,
    /** Trouble in attempts that is not blamed on the service, with counts: `timeout 2, 503 1`. */
    trouble: Array.from(Object.entries(requests.retriedFor ?? {}), (one) => one.join(' ')).join(', '),
    /** Why rules are inconclusive or untested, except that the run ended early or sent nothing. */
    left: [...new Set(left)].filter((text) => text !== ended && text !== nothingSent),
    /** `rule: rule and fingerprint of the finding that it follows from`. */
    follows: rules.flatMap(({ id, follows = [] }) => {
      return follows.map(({ rule: other, fingerprint }) => `${id}: ${other} ${fingerprint}`)
    }),
    /** `rule: cases, how often reproduced: difference`, for each finding. */
    found: rules.flatMap(({ id, findings }) =>
      findings.map(({ case: first, examples, reproduced, difference = '' }) => {
        const cases = [first, ...examples.map((one) => one.case)].map((name) => name.split(':')[2])
        return `${id}: ${cases.join(' ')}, ${reproduced}: ${difference}`
      }),
    ),
  }
}

function arrivalsOf(sent: readonly Sent[]) {
  const namesOf = (all: readonly Sent[]): string => all.map(({ name }) => name).join(' ')
  const turns = [...groupBy(sent, ({ at }) => `${at}`).values()]
  const gaps = sent.slice(1).map(({ at }, place) => Math.round((at - (sent[place]?.at ?? 0)) / 100) / 10)
  return {
    /** The names of all requests, in order. */
    order: namesOf(sent),
    /** The same, grouped by time of arrival: `plain | a b | c`. */
    turns: turns.map(namesOf).join(' | '),
    /** How many were sent at the same time, without consecutive repeats. */
    sizes: turns.flatMap(({ length }, at) => (length === turns[at - 1]?.length ? [] : [length])).join(' '),
    /** The places of plain valid requests in that order. */
    checks: sent.flatMap(({ name }, place) => (name === 'plain' ? [place] : [])),
    /** How many requests of each name were sent. */
    count: Object.fromEntries(sent.map(({ name, nth }) => [name, nth + 1])),
    /** Seconds between two arrivals, if more than 0.2. */
    waits: gaps.filter((gap) => gap > 0.2),
  }
}

/** The expected result, in part. */
export type Came = Partial<Record<keyof Played, unknown>>

/** A part of a scenario: of its play, by default three cases without a key, and of the result. A text is the order of requests. */
type Part = (Partial<Play> & Came) | string

/** A test that plays a scenario. Unless it says otherwise, the run finishes with nothing found or left open. */
export function it(claim: string, ...parts: readonly Part[]): void {
  test(claim, async () => {
    const all = parts.map((part) => (typeof part === 'string' ? { order: part } : part))
    const scenario: Partial<Play> & Came = Object.assign({}, ...all)
    const result = await played({ rules: [noKey('a b c')], ...scenario })
    const came = Object.entries(scenario).filter(([key]) => key in result)
    const usual = { ended: null, found: [], left: [], leftOpen: 0 }
    expect(result).toMatchObject({ ...usual, ...Object.fromEntries(came) })
  })
}

/** A text that contains this. */
export const saying = (text: string): unknown => expect.stringContaining(text)

/** Findings, one of which begins with this. */
export const among = (start: string): unknown => expect.arrayContaining([saying(start)])

/** A verdict with these results of rules. */
export function ruled(results: Readonly<Partial<Record<RuleId, object>>>): object {
  const all = Object.entries(results).map(([id, result]) => expect.objectContaining({ id, ...result }))
  return { rules: expect.arrayContaining(all) }
}

/** A verdict with this observation. */
export const noting = (id: string, value: unknown): object => {
  return { observations: expect.arrayContaining([{ id, value }]) }
}

/** A verdict in which a rule has one finding with these properties. */
export const findingOf = (id: RuleId, like: object): object =>
  ruled({ [id]: { findings: [expect.objectContaining(like)] } })

/** A run with several requests at once. */
export const parallel: Partial<Play> = { env: { RUN_CONCURRENCY: '8' } }
/** A run with a budget of this many requests. */
export const budget = (count: number | string): Partial<Play> => ({ env: { RUN_MAX_REQUESTS: `${count}` } })
/** The reason if a success is missing from a service that serves nothing. */
export const neither = 'a plain valid request did not succeed either (see endpoints/list-succeeds)'
