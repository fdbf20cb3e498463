import type { CaseClass } from '../../fuzz/case-class.ts'
import { whole } from '../../fuzz/case-schedule.ts'
import type { RunSettings } from '../../settings/settings.ts'

/** A value for each kind of run, and why a gate gets less. */
export interface Choice<Value> {
  /** In nightly, in acceptance, and for a case that is sent again. */
  readonly all: Value
  readonly gate: Value
  /** Where one case a rule is sent; default as in a gate. */
  readonly essential?: Value
  /** In acceptance, and for a case that is sent again; default `all`. */
  readonly acceptance?: Value
  readonly because: string
}

type Named = { readonly name: string }

/** Those of a list that have one of these names, in the order of the list. */
export function only<One extends Named>(
  all: readonly One[],
  ...names: readonly One['name'][]
): readonly One[] {
  return all.filter(({ name }) => names.includes(name))
}

/** Which listed cases of a rule matter most. */
export interface ListedChoice {
  /** The case that finds the most faults, or shares its requests. It is sent first, since a small budget is spent on it. Default the first. */
  readonly mostTelling?: string
  /** The cases that a gate sends to further endpoints. They are few, so that two further endpoints fit the budget; null for all. Default none, and all of a user's own rule. */
  readonly further?: readonly string[] | null
}

/** How many generated cases of a rule a gate sends. */
export interface GeneratedChoice {
  /** Its share of the cases that are asked for, since rows of factors replace some. Above 1, it makes up for cases that are always sent. Default 1. */
  readonly share?: number
}

/** What a run sends of what there is, by its profile. */
export interface ProfileChoice {
  readonly byProfile: <Value>(choice: Choice<Value>) => Value
  /** The listed cases of a rule that it sends, the most telling one first. */
  readonly listed: <One extends Named>(made: readonly One[], choice: ListedChoice) => readonly One[]
  /** The endpoints that generated cases go to, and how many go to each of so many in all. */
  readonly shares: <Endpoint>(endpoints: readonly Endpoint[], cases: number) => readonly Share<Endpoint>[]
  /** What it draws from the classes of a rule for an endpoint that gets so many cases. */
  readonly draws: (classes: readonly CaseClass[], to: DrawsFor) => Draws
}

interface Share<Endpoint> {
  readonly endpoint: Endpoint
  readonly count: number
}

interface DrawsFor extends GeneratedChoice {
  readonly count: number
  readonly isList: boolean
}

/** The classes, `always` with the number of their cases that come first, and how many others follow by weight. */
interface Draws {
  readonly classes: readonly CaseClass[]
  readonly more: number
}

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
  const isGate = extent === 'gate'

  return {
    byProfile: ({ all, gate, essential = gate, acceptance = all }) =>
      ({ all, gate, essential, acceptance })[extent],
    listed: (made, { mostTelling, further = null }) => {
      const sent = made.filter(({ name }) => isWhole || further === null || isInGate(name, further))
      const first = sent.filter(({ name }) => name === mostTelling)
      const cases = [...first, ...sent.filter((one) => !first.includes(one))]
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
    draws: (classes, { count, isList, share = 1 }) => {
      if (isWhole) return besides(whole(classes), count, leastByWeight.all)
      const drawn = classes.map((one): CaseClass => {
        const { always = 0, everywhere = false, count: listed = 0, weight } = one
        return {
          ...one,
          always: isGate && (isList || everywhere) ? Math.min(always, listed) : 0,
          weight: one.gate ? weight : 0,
        }
      })
      return besides(drawn, isGate ? Math.ceil(count * share) : count, leastByWeight.gate)
    },
  }
}

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

/** Whether a gate sends a case: all for the list endpoint, few for others, whose label follows an `@` in the name. */
function isInGate(name: string, further: readonly string[]): boolean {
  const [plainName = '', ...label] = name.split('@')
  return label.length === 0 || further.includes(plainName)
}

/** Of the cases that are asked for, the least share that is drawn by weight, besides those that classes list. */
const leastByWeight = { gate: 0.55, all: 0.8 }

/** The listed cases count among those that are asked for, as far as enough is still drawn by weight. */
function besides(classes: readonly CaseClass[], asked: number, least: number): Draws {
  const listed = classes.reduce((sum, { always = 0 }) => sum + always, 0)
  return { classes, more: Math.max(asked - listed, Math.ceil(asked * least)) }
}
