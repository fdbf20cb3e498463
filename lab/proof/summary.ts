import type { OtherProof } from '../service/faults/proven-otherwise.ts'
import type { ProfileName } from '../../lib/settings/profiles.ts'
import { entryOf, specCatalogue } from '../../lib/specification/catalogue.ts'
import { ruleIds, type Level, type RuleId } from '../../lib/specification/rules.ts'
import type { Outcome, Result, Subject, SubjectKind } from './subject.ts'

/** How often a rule noticed the faults that are named for it, over all profiles. */
export interface ProvenRule {
  readonly id: RuleId
  readonly level: Level
  /** Faults that are named for it. */
  readonly faults: number
  /** How many of them it was red for, in any profile. */
  readonly proofs: number
  /** How many of them it was red for, by profile. */
  readonly noticed: Readonly<Partial<Record<ProfileName, number>>>
  /** Faults that no rule named for them noticed, where one had to. */
  readonly missed: readonly string[]
  /** Faults that only others were red for, where one named for them had to. */
  readonly wrongRule: readonly string[]
  /** How many other faults made it red. */
  readonly others: number
  /** The test that proves it, if no service can break it. */
  readonly provenBy: string | null
  /** Requests that a gate sends for it to the plain service with every fixture, health checks included. */
  readonly requests: number
}

/** The results of the runs in one profile. */
export interface ProfileProof {
  readonly profile: ProfileName
  readonly runs: number
  readonly results: Readonly<Record<Result, number>>
  readonly kinds: Readonly<Partial<Record<SubjectKind, number>>>
  readonly requests: number
  /** Start to exit of every run, added up. */
  readonly seconds: number
  readonly highestMemoryMiB: number
}

/** What one subject is about, and its outcome in each profile. */
export interface ProvenSubject extends Pick<Subject, 'kind' | 'name' | 'about'> {
  readonly named: readonly RuleId[]
  readonly outcomes: readonly Outcome[]
}

/** The contents of `reports/proof/proof.json`. */
export interface Proof {
  /** The day on which it was made, as 2026-11-22. */
  readonly date: string
  readonly profiles: readonly ProfileProof[]
  readonly rules: readonly ProvenRule[]
  readonly subjects: readonly ProvenSubject[]
  /** Runs with a shortcoming. */
  readonly wrongRuns: number
  /** A sentence for each shortcoming, with the run that it belongs to. */
  readonly shortcomings: readonly string[]
  /** A sentence for each rule that nothing proves. */
  readonly unproven: readonly string[]
  /** A sentence where one fault is not one cause in the median, or more than three of more than one fault in twenty. */
  readonly scattered: readonly string[]
  readonly wallSeconds: number
  readonly atOnce: number
}

/** Minimum number of faults that must turn a rule red. */
const proofsWanted = 3

/** How the runs were made. */
export interface Circumstances {
  readonly date: string
  readonly profiles: readonly ProfileName[]
  readonly atOnce: number
  readonly wallSeconds: number
  /** Rules that no service can break, each with the test that proves it. */
  readonly provenOtherwise: Readonly<Partial<Record<RuleId, OtherProof>>>
  /** Requests of a gate against the plain service, by rule. */
  readonly gateRequests: Readonly<Record<string, number>>
}

const results: Readonly<Record<Result, number>> = {
  caught: 0,
  missed: 0,
  'wrong rule': 0,
  beyond: 0,
  passed: 0,
  'false alarm': 0,
  'ended well': 0,
  'ended wrongly': 0,
  'not run': 0,
}

/** Sums up all runs by rule, by profile and by subject. */
export function summarise(
  subjects: readonly Subject[],
  outcomes: readonly Outcome[],
  { date, wallSeconds, atOnce, profiles, provenOtherwise, gateRequests }: Circumstances,
): Proof {
  const faults = subjects.filter(({ kind }) => kind === 'fault')
  const faultOutcomes = outcomes.filter(({ kind }) => kind === 'fault')
  const onlyBeyond: ReadonlySet<RuleId> = new Set(
    ruleIds.filter((id) => areAllBeyond(faultOutcomes.filter(({ name }) => namedIn(faults, name, id)))),
  )
  const rules = ruleIds.map((id) => ({
    ...provenRule(id, faults, faultOutcomes),
    provenBy: provenOtherwise[id]?.test ?? null,
    requests: gateRequests[id] ?? 0,
  }))
  return {
    date,
    profiles: profiles.map((profile) => profileProof(profile, outcomes)),
    rules,
    subjects: subjects.map((subject) => provenSubject(subject, outcomes)),
    wrongRuns: outcomes.filter(({ shortcomings }) => shortcomings.length > 0).length,
    shortcomings: outcomes.flatMap(({ kind, name, profile, shortcomings }) =>
      shortcomings.map((sentence) => `${profile}: ${kind} ${name}: ${sentence}`),
    ),
    unproven: rules
      .filter(({ id, proofs, provenBy }) => provenBy === null && proofs < proofsWanted && !onlyBeyond.has(id))
      .map(
        ({ id, proofs }) =>
          `${id} was red for ${proofs} of its faults, where ${proofsWanted} have to prove it`,
      ),
    scattered: profiles.flatMap((profile) =>
      scatteredIn(faultOutcomes.filter((outcome) => outcome.profile === profile)),
    ),
    wallSeconds: Math.round(wallSeconds),
    atOnce,
  }
}

/** Fewer faults say nothing. */
const enoughFaults = 20

function scatteredIn(outcomes: readonly Outcome[]): readonly string[] {
  const counts = outcomes.map(({ causes }) => causes).filter((count) => count > 0)
  const median = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)]
  const many = counts.filter((count) => count > 3).length
  if (counts.length < enoughFaults || (median === 1 && many <= counts.length / 20)) return []
  return [`${counts.length} faults have ${median} causes in the median, and ${many} of them more than 3`]
}

function namedIn(faults: readonly Subject[], name: string, id: RuleId): boolean {
  return faults.some((fault) => fault.name === name && namedFor(fault).includes(id))
}

/** Whether no profile that was run need notice any of a rule's faults, of which there are enough. */
function areAllBeyond(outcomes: readonly Outcome[]): boolean {
  return outcomes.length >= proofsWanted && outcomes.every(({ result }) => result === 'beyond')
}

/** The rules of which one has to be red for a subject. */
function namedFor({ expects }: Subject): readonly RuleId[] {
  if (expects.kind === 'caught') return expects.by
  return expects.kind === 'ends' ? expects.rules : []
}

function provenRule(
  id: RuleId,
  faults: readonly Subject[],
  outcomes: readonly Outcome[],
): Omit<ProvenRule, 'provenBy' | 'requests'> {
  const named = new Set(faults.filter((fault) => namedFor(fault).includes(id)).map(({ name }) => name))
  const own = outcomes.filter(({ name }) => named.has(name))
  const withResult = (result: Result): readonly string[] => [
    ...new Set(own.filter((outcome) => outcome.result === result).map(({ name }) => name)),
  ]
  const noticed: Partial<Record<ProfileName, number>> = {}
  for (const { profile, red } of own) noticed[profile] = (noticed[profile] ?? 0) + (red.includes(id) ? 1 : 0)
  return {
    id,
    level: entryOf(specCatalogue, id).level,
    faults: named.size,
    proofs: new Set(own.filter(({ red }) => red.includes(id)).map(({ name }) => name)).size,
    noticed,
    missed: withResult('missed'),
    wrongRule: withResult('wrong rule'),
    others: new Set(
      outcomes.filter(({ name, red }) => red.includes(id) && !named.has(name)).map(({ name }) => name),
    ).size,
  }
}

function profileProof(profile: ProfileName, all: readonly Outcome[]): ProfileProof {
  const own = all.filter((outcome) => outcome.profile === profile)
  const counted = { ...results }
  const kinds: Partial<Record<SubjectKind, number>> = {}
  for (const { result, kind } of own) {
    counted[result] += 1
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  return {
    profile,
    runs: own.length,
    results: counted,
    kinds,
    requests: own.reduce((sum, { requests }) => sum + requests, 0),
    seconds: Math.round(own.reduce((sum, { seconds }) => sum + seconds, 0)),
    highestMemoryMiB: Math.max(0, ...own.map(({ memoryMiB }) => memoryMiB ?? 0)),
  }
}

function provenSubject(subject: Subject, outcomes: readonly Outcome[]): ProvenSubject {
  const { kind, name, about } = subject
  const own = outcomes.filter((outcome) => outcome.kind === kind && outcome.name === name)
  return { kind, name, about, named: namedFor(subject), outcomes: own }
}
