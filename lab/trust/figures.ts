import { rateExcluded } from '../../lib/explain/power.ts'
import { percent } from '../../tests/support/bounds.ts'
import type { Settlement, StackRecord } from '../stacks/record.ts'
import { isFound, outcomeOf } from '../stacks/record.ts'
import type { JudgesFigures, Published } from './published.ts'

/** Some of all. */
export interface Share {
  readonly part: number
  readonly all: number
}

/** Texts of the pages and data that the figures are read from. */
export interface Sources {
  readonly proof: string
  readonly mutants: string
  readonly soak: string
  readonly mutation: string
  readonly benchmarks: string
  readonly limits: object
  readonly firstRun: StackRecord
  readonly settlements: readonly Settlement[]
  readonly published: Published
}

/** Profiles that the page speaks of. */
export const trustedProfiles = ['gate', 'acceptance'] as const
type TrustedProfile = (typeof trustedProfiles)[number]

/** Every figure of the page, by what it is a figure of. */
export interface TrustFigures {
  /** Faults that we planted: noticed, of all of them; null if the proof did not run in that profile. */
  readonly planted: Readonly<Record<TrustedProfile, Share | null>>
  /** How many of the planted faults the benchmarks look at. */
  readonly benchmarked: number
  readonly falseAlarms: Published['falseAlarms']
  readonly mutants: Readonly<
    Record<
      TrustedProfile,
      {
        /** Of the half that nobody looked at: noticed, outside the limits and with them. */
        readonly outside: Share
        readonly within: Share
        /** Those of them that are violations, of all with a verdict. */
        readonly violationsOutside: Share
        readonly violationsWithin: Share
        /** Conformant mutants of both halves that were blamed. */
        readonly blamed: Share
      }
    >
  >
  readonly limits: number
  readonly stacks: {
    /** Plain services of the first run of which a rule failed or warned. */
    readonly accused: number
    /** Those of them that were blamed for what they did right, of all. */
    readonly blamedWrongly: Share
    readonly conformant: Share
    readonly slips: Readonly<Record<TrustedProfile, Share>>
  }
  readonly judges: Readonly<Record<'proof' | 'stacks' | 'mutants', JudgesFigures>>
  readonly power: Published['power']
  /** Mutants of our own code that our tests kill. */
  readonly killed: Share
  readonly soak: Share
}

/** Reads every figure from where it stands; throws where a page does not have it. */
export function figuresOf(sources: Sources): TrustFigures {
  const { mutants, benchmarks, mutation, soak, limits } = sources
  const [, killedOf = '', killed = ''] = found(mutation, /^\| both \| ([\d,]+) \| [\d.]+ % \(([\d,]+)\) \|/m)
  const [, ended = '', gates = ''] = found(soak, /(\d+) of (\d+) ended in exit 0/)
  return {
    planted: { gate: plantedIn(sources.proof, 'gate'), acceptance: plantedIn(sources.proof, 'acceptance') },
    benchmarked: number(found(benchmarks, /^Faults are the ([\d,]+) services of the proof/m)[1]),
    falseAlarms: sources.published.falseAlarms,
    mutants: { gate: mutantsIn(mutants, 'gate'), acceptance: mutantsIn(mutants, 'acceptance') },
    limits: Object.keys(limits).length,
    stacks: stacksOf(sources),
    judges: { ...sources.published.judges, mutants: judgesOfMutants(mutants) },
    power: sources.published.power,
    killed: { part: number(killed), all: number(killedOf) },
    soak: { part: number(ended), all: number(gates) },
  }
}

/** All faults are the denominator, those beyond a profile included. */
function plantedIn(proof: string, profile: TrustedProfile): Share | null {
  const all = number(found(proof, /^\| services with one fault \| (\d+) \|/m)[1])
  const [, part] = new RegExp(`^\\| \`${profile}\` \\| \\d+ \\| (\\d+) of \\d+ \\|`, 'm').exec(proof) ?? []
  return part === undefined ? null : { part: number(part), all }
}

function mutantsIn(page: string, profile: TrustedProfile): TrustFigures['mutants'][TrustedProfile] {
  const shares = (half: string): readonly Share[] => {
    const [row = ''] = found(page, new RegExp(`^\\| \`${profile}\` \\| ${half} \\| .+$`, 'm'))
    return [...row.matchAll(/(\d+) of (\d+):/g)].map(([, part, all]) => ({
      part: number(part),
      all: number(all),
    }))
  }
  const [outside, within] = [shares('unseen, outside the limits below'), shares('unseen')]
  const [, table = ''] = found(page, new RegExp(`^In \`${profile}\`:\n\n((?:\\|.+\n)+)`, 'm'))
  const conformant = [...table.matchAll(/^\| all \| \w+ \| \d+ \| (\d+) \| (\d+) \|/gm)]
  return {
    outside: shareAt(outside, 2),
    within: shareAt(within, 2),
    violationsOutside: shareAt(outside, 0),
    violationsWithin: shareAt(within, 0),
    blamed: {
      part: conformant.reduce((sum, [, , blamed]) => sum + number(blamed), 0),
      all: conformant.reduce((sum, [, all]) => sum + number(all), 0),
    },
  }
}

function shareAt(shares: readonly Share[], at: number): Share {
  const share = shares[at]
  if (share === undefined) throw new Error(`a row of docs/mutants.md has no figure ${at + 1}`)
  return share
}

function stacksOf({ firstRun, settlements }: Sources): TrustFigures['stacks'] {
  const stacks = [...new Set(firstRun.outcomes.map(({ stack }) => stack))]
  const plain = stacks.flatMap((stack) => outcomeOf(firstRun, stack, null, 'acceptance') ?? [])
  const slips = [
    ...new Set(
      firstRun.outcomes.flatMap(({ stack, fault }) => (fault === null ? [] : [`${stack} ${fault}`])),
    ),
  ].map((slip) => slip.split(' '))
  const foundIn = (profile: TrustedProfile): Share => ({
    part: slips.filter(([stack = '', fault = '']) => isFound(firstRun, stack, fault, profile)).length,
    all: slips.length,
  })
  const sides = stacks.map((stack) => sidesOf(stack, { firstRun, settlements }))
  return {
    accused: sides.filter(({ length }) => length > 0).length,
    blamedWrongly: {
      part: sides.filter((ofStack) => ofStack.some((side) => side !== 'service')).length,
      all: plain.length,
    },
    conformant: {
      part: plain.filter(({ verdict }) => verdict === 'conformant').length,
      all: plain.length,
    },
    slips: { gate: foundIn('gate'), acceptance: foundIn('acceptance') },
  }
}

/** Who was wrong, for each rule that was red for a plain service in its first run; each must have been settled. */
function sidesOf(
  stack: string,
  { firstRun, settlements }: Pick<Sources, 'firstRun' | 'settlements'>,
): readonly Settlement['side'][] {
  const red = firstRun.outcomes
    .filter((one) => one.stack === stack && one.fault === null)
    .flatMap((one) => one.red.map(({ rule }) => rule))
  return [...new Set(red)].flatMap((rule) => {
    const settled = settlements.filter((one) => one.stack === stack && one.accused?.includes(rule) === true)
    if (settled.length > 0) return settled.map(({ side }) => side)
    throw new Error(`lab/stacks/settled.json does not settle ${rule} of the first run of ${stack}`)
  })
}

function judgesOfMutants(page: string): JudgesFigures {
  const sentence =
    /exchanges: (\d+) different situations\. Both speak and\s+agree in (\d+), one is silent in (\d+), they differ in \d+, of which (\d+) are settled and (\d+) are not/
  const [, situations, agree, silent, settled, disagree] = found(page, sentence).map(number)
  return {
    situations: situations ?? 0,
    agree: agree ?? 0,
    silent: silent ?? 0,
    settled: settled ?? 0,
    disagree: disagree ?? 0,
  }
}

/** Upper bound, at 95 %, of a rate of which nothing was seen. */
export function noneSeen(all: number): string {
  return `at most ${percent(rateExcluded(all) ?? 1)}`
}

function found(page: string, pattern: RegExp): RegExpExecArray {
  const match = pattern.exec(page)
  if (match === null) throw new Error(`a page has no ${pattern.source}`)
  return match
}

function number(text = ''): number {
  return Number(text.replaceAll(',', ''))
}
