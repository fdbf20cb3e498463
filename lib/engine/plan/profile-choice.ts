import type { CaseClass } from '../../fuzz/case-class.ts'
import { whole } from '../../fuzz/case-schedule.ts'
import type { RunSettings } from '../../settings/settings.ts'
import { isRuleId, type RuleId, type SpecRuleId } from '../../specification/rules.ts'
import type { ClassRow, Portion, RuleRow } from './profile-rows.ts'
import { sentByRule } from './what-profiles-send.ts'

type Named = { readonly name: string }
type RowOf<Rule extends SpecRuleId> = (typeof sentByRule)[Rule]
type ClassOf<Rule extends SpecRuleId> =
  RowOf<Rule> extends { readonly classes: infer Classes } ? keyof Classes & string : never
type CountOf<Rule extends SpecRuleId> =
  RowOf<Rule> extends { readonly counts: infer Counts } ? keyof Counts & string : never

/** What a run sends of what there is, by its profile. */
export interface ProfileChoice {
  /** Whether it sends a class of a rule's cases, or what has this name in it. */
  readonly sends: <Rule extends SpecRuleId>(rule: Rule, of: ClassOf<Rule>, name?: string) => boolean
  /** What it sends of a class, in the order in which it does. */
  readonly chosen: <Rule extends SpecRuleId, One extends Named>(
    rule: Rule,
    of: ClassOf<Rule>,
    all: readonly One[],
  ) => readonly One[]
  /** How many it sends. */
  readonly times: <Rule extends SpecRuleId>(rule: Rule, of: CountOf<Rule>) => number
  /** The listed cases of a rule that it sends, the most telling one first: a small budget is spent on it. */
  readonly listed: <One extends Named>(rule: RuleId, made: readonly One[]) => readonly One[]
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

/** How much a run sends of what there is: all of it (acceptance, nightly, a case sent again), a gate's choice, or one case a rule. */
type Extent = 'all' | 'gate' | 'one a rule'

function extentOf({ profile, essential }: Omit<AskedFor, 'identify'>, isReplay: boolean): Extent {
  if (isReplay) return 'all'
  if (essential) return 'one a rule'
  return profile === 'gate' ? 'gate' : 'all'
}

type AskedFor = Pick<RunSettings, 'profile' | 'essential' | 'identify'>

/** What a run with these settings sends; everything is there when one case is sent again. */
export function profileChoice(asked: AskedFor, isReplay: boolean): ProfileChoice {
  const extent = extentOf(asked, isReplay)
  const isAcceptance = isReplay || asked.profile === 'acceptance'
  const mayBeUnnamed = !asked.identify && isAcceptance
  const sends: ProfileChoice['sends'] = (rule, of, name) => {
    const row = classOf(rule, of)
    const isLeftOut = (row.unnamed === true && !mayBeUnnamed) || (row.inAcceptance === true && !isAcceptance)
    return !isLeftOut && (isReplay || holds(portionOf(row, extent), name))
  }

  return {
    sends,
    chosen: (rule, of, all) => {
      const sent = all.filter(({ name }) => sends(rule, of, name))
      const { leads } = classOf(rule, of)
      return leads === undefined || extent !== 'gate' ? sent : leading(leads, sent)
    },
    times: (rule, of) => {
      const row = rowOf(rule).counts?.[of] ?? noRow(rule, of)
      return extent === 'one a rule' ? row.essential : row[extent]
    },
    listed: (rule, made) => {
      const { mostTelling } = rowOf(rule)
      const sent = extent === 'all' ? made : made.filter(({ name }) => isInGate(rule, name))
      const cases = mostTelling === undefined ? sent : leading([mostTelling], sent)
      return extent === 'one a rule' ? cases.slice(0, 1) : cases
    },
    shares: (endpoints, cases) => {
      const [sentTo, sent] =
        extent === 'one a rule' ? [endpoints.slice(0, 1), Math.min(1, cases)] : [endpoints, cases]
      return sentTo.map((endpoint, index) => ({
        endpoint,
        count: Math.floor((sent + sentTo.length - 1 - index) / sentTo.length),
      }))
    },
    draws: (rule, classes, { count, isList }) =>
      extent === 'all'
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
  if (asked.only !== null || extent === 'one a rule') return both('a run of all rules')
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

function classOf(rule: RuleId, of: string): ClassRow {
  return rowOf(rule).classes?.[of] ?? noRow(rule, of)
}

function noRow(rule: RuleId, of: string): never {
  throw new RangeError(`what profiles send holds no row ${of} of ${rule}`)
}

function portionOf({ gate, essential = gate, all = 'all' }: ClassRow, extent: Extent): Portion {
  return { all, gate, 'one a rule': essential }[extent]
}

function holds(portion: Portion, name?: string): boolean {
  if (portion === 'all' || portion === 'none') return portion === 'all'
  if (name === undefined) return false
  return 'only' in portion ? portion.only.includes(name) : !portion.except.includes(name)
}

/** The same ones, those of these names first. */
function leading<One extends Named>(names: readonly string[], all: readonly One[]): readonly One[] {
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
