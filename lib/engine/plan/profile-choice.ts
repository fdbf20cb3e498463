import type { CaseClass } from '../../fuzz/case-class.ts'
import { whole } from '../../fuzz/case-schedule.ts'
import type { RunSettings } from '../../settings/settings.ts'
import { isRuleId, type RuleId } from '../../specification/rules.ts'
import type { RuleRow } from './profile-rows.ts'
import { sentByRule } from './what-profiles-send.ts'

/** What a run gets by its profile, and why a gate gets less. */
export interface Choice<Value> {
  /** In nightly, in acceptance, and for a case that is sent again. */
  readonly all: Value
  readonly gate: Value
  /** Where one case a rule is sent; default as in a gate. */
  readonly essential?: Value
  /** In acceptance, and for a case that is sent again; default as in all. */
  readonly acceptance?: Value
  readonly because: string
}

/** Those of a list that have one of these names, in the order of the list. */
export function only<One extends { readonly name: string }>(
  all: readonly One[],
  ...names: readonly One['name'][]
): readonly One[] {
  return all.filter(({ name }) => names.includes(name))
}

/** What a run sends of what there is, by its profile. */
export interface ProfileChoice {
  /** What this run gets of a choice. */
  readonly byProfile: <Value>(choice: Choice<Value>) => Value
  /** The listed cases of a rule that it sends, the most telling one first: a small budget is spent on it. */
  readonly listed: <One extends { readonly name: string }>(
    rule: RuleId,
    made: readonly One[],
  ) => readonly One[]
  /** The endpoints that generated cases go to, and how many go to each of so many in all. */
  readonly shares: <Endpoint>(endpoints: readonly Endpoint[], cases: number) => readonly Share<Endpoint>[]
  /** What it draws from the classes of a rule for an endpoint that gets so many cases. */
  readonly draws: (rule: RuleId, classes: readonly CaseClass[], to: DrawsFor) => Draws
}

interface Share<Endpoint> {
  readonly endpoint: Endpoint
  readonly count: number
}

interface DrawsFor {
  readonly count: number
  readonly isList: boolean
}

/** The classes, `always` with the number of their cases that come first, and how many others follow by weight. */
interface Draws {
  readonly classes: readonly CaseClass[]
  readonly more: number
}

/** How much a run sends of what there is; a case that is sent again is looked for in what acceptance sends. */
type Extent = 'acceptance' | 'all' | 'gate' | 'essential'

function extentOf({ profile, essential }: AskedFor, isReplay: boolean): Extent {
  if (isReplay) return 'acceptance'
  if (essential) return 'essential'
  return profile === 'nightly' ? 'all' : profile
}

type AskedFor = Pick<RunSettings, 'profile' | 'essential'>

/** What a run with these settings sends; everything is there when one case is sent again. */
export function profileChoice(asked: AskedFor, isReplay: boolean): ProfileChoice {
  const extent = extentOf(asked, isReplay)
  const isWhole = extent === 'all' || extent === 'acceptance'

  return {
    byProfile: ({ all, gate, essential = gate, acceptance = all }) =>
      ({ all, gate, essential, acceptance })[extent],
    listed: (rule, made) => {
      const { mostTelling } = rowOf(rule)
      const sent = isWhole ? made : made.filter(({ name }) => isInGate(rule, name))
      const cases = mostTelling === undefined ? sent : leading([mostTelling], sent)
      return extent === 'essential' ? cases.slice(0, 1) : cases
    },
    shares: (endpoints, cases) => {
      const [sentTo, sent] =
        extent === 'essential' ? [endpoints.slice(0, 1), Math.min(1, cases)] : [endpoints, cases]
      return sentTo.map((endpoint, index) => ({
        endpoint,
        count: Math.floor((sent + sentTo.length - 1 - index) / sentTo.length),
      }))
    },
    draws: (rule, classes, { count, isList }) =>
      isWhole
        ? besides(whole(classes), count, leastByWeight.all)
        : drawsOfGate(rule, classes, { count, isList }, extent),
  }
}

/** The rule's place among those that a small budget is spent on, from 0; a user's own rules come last. */
export function tellingRank(rule: RuleId): number {
  return isRuleId(rule) ? inOrder.indexOf(rule) : inOrder.length
}

const inOrder: readonly string[] = Object.keys(sentByRule)

/** What would reach situations that a run did not reach, because of how it was asked for: by further cases, or by other rows. */
export function settingsForMore(asked: Pick<RunSettings, 'only' | 'profile' | 'essential'>): MoreOf {
  const extent = extentOf(asked, false)
  const both = (setting: string): MoreOf => ({ cases: setting, rows: setting })
  if (asked.only !== null || extent === 'essential') return both('a run of all rules')
  return extent === 'gate' ? both('--profile acceptance') : { cases: '--fuzz-cases', rows: '--seed' }
}

/** A setting for further cases, and one for other rows. */
export interface MoreOf {
  readonly cases: string
  readonly rows: string
}

function rowOf(rule: RuleId): RuleRow {
  return isRuleId(rule) ? sentByRule[rule] : {}
}

/** The same ones, those of these names first. */
function leading<One extends { readonly name: string }>(
  names: readonly string[],
  all: readonly One[],
): readonly One[] {
  const first = names.flatMap((name) => all.filter((one) => one.name === name))
  return [...first, ...all.filter((one) => !first.includes(one))]
}

/** Whether a gate sends a case: all for the list endpoint, few for others, whose label follows an `@` in the name. */
function isInGate(rule: RuleId, name: string): boolean {
  const [plainName = '', ...label] = name.split('@')
  return label.length === 0 || !isRuleId(rule) || rowOf(rule).further?.includes(plainName) === true
}

/** Of the cases that are asked for, the least share that is drawn by weight, besides those that classes list. */
const leastByWeight = { gate: 0.55, all: 0.8 }

/** The listed cases count among those that are asked for, as far as enough is still drawn by weight. */
function besides(classes: readonly CaseClass[], asked: number, least: number): Draws {
  const listed = classes.reduce((sum, { always = 0 }) => sum + always, 0)
  return { classes, more: Math.max(asked - listed, Math.ceil(asked * least)) }
}

function drawsOfGate(
  rule: RuleId,
  classes: readonly CaseClass[],
  { count, isList }: DrawsFor,
  extent: Extent,
): Draws {
  const drawn = classes.map((one): CaseClass => {
    const { always = 0, everywhere = false, count: listed = 0, weight } = one
    return {
      ...one,
      always: extent === 'gate' && (isList || everywhere) ? Math.min(always, listed) : 0,
      weight: one.gate ? weight : 0,
    }
  })
  const share = extent === 'gate' ? (rowOf(rule).share ?? 1) : 1
  return besides(drawn, Math.ceil(count * share), leastByWeight.gate)
}
