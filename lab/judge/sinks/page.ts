import type { ProfileName } from '../../../lib/settings/profiles.ts'
import { ruleIds, type RuleId } from '../../../lib/specification/rules.ts'
import { markdownTable, writeMeasured } from '../../markdown.ts'
import { provenOtherwise } from '../../service/faults/proven-otherwise.ts'
import { servicesOf } from '../all-services.ts'
import { profileNames, type Outcome, type Source } from '../service.ts'
import type { Sink } from './sink.ts'

const subjects = await servicesOf(['faults', 'variants', 'targets', 'echoes'])
const faults = subjects.filter(({ of }) => of === 'faults')

/** The number of faults that must turn a rule red. */
const proofsWanted = 3
const needProof = ruleIds.filter((rule) => !Object.hasOwn(provenOtherwise, rule))

/**
 * Writes the tables of lab/judge/proof.md if every service on the page was judged. A partial run of the faults proves
 * nothing about rules and causes.
 */
export function pageSink(): Sink {
  const began = performance.now()
  return {
    async end(all) {
      const whole = profileNames.filter((profile) => isWhole(all, profile))
      const wrong = whole.flatMap((profile) => [...unproven(all, profile), ...scattered(all, profile)])
      if (whole.includes('gate') && whole.includes('acceptance')) {
        const minutes = Math.round((performance.now() - began) / 60_000)
        const open = all.filter(({ result }) => result !== 'as expected').length + wrong.length
        await writeMeasured('lab/judge/proof.md', figures(all, whole, open, minutes))
      }
      return wrong
    },
  }
}

function isWhole(all: readonly Outcome[], profile: ProfileName): boolean {
  const ran = new Set(all.filter((one) => one.profile === profile).map(({ of, name }) => `${of} ${name}`))
  return subjects.every(({ of, name, profiles }) => !profiles.includes(profile) || ran.has(`${of} ${name}`))
}

/** The number of a rule's faults that turned it red. */
function proofsOf(rule: RuleId, all: readonly Outcome[]): number {
  const ofRule = faults.filter(({ expects: { by = [] } }) => by.includes(rule))
  const named = new Set(ofRule.map(({ name }) => name))
  const red = all.filter((one) => one.of === 'faults' && named.has(one.name) && one.red.includes(rule))
  return new Set(red.map(({ name }) => name)).size
}

/** A sentence for each rule that too few of its faults turned red, counting faults that the profile must notice. */
function unproven(all: readonly Outcome[], profile: ProfileName): readonly string[] {
  const here = all.filter((one) => one.profile === profile)
  const mustNotice = faults.filter(({ expects: { unnoticed = [] } }) => !unnoticed.includes(profile))
  return needProof.flatMap((rule) => {
    const due = mustNotice.filter(({ expects: { by = [] } }) => by.includes(rule)).length
    const red = proofsOf(rule, here)
    if (due < proofsWanted || red >= proofsWanted) return []
    return [`${profile}: ${rule} was red for ${red} of its faults, where ${proofsWanted} have to prove it`]
  })
}

/**
 * A sentence if the median fault has more than one cause, or if more than one fault in twenty has more than
 * three.
 */
function scattered(all: readonly Outcome[], profile: ProfileName): readonly string[] {
  const counts = all
    .filter((one) => one.of === 'faults' && one.profile === profile && one.causes > 0)
    .map(({ causes }) => causes)
  const median = counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)]
  const many = counts.filter((count) => count > 3).length
  if (median === 1 && many <= counts.length / 20) return []
  const ofMany = `and ${many} of them more than 3`
  return [`${profile}: ${counts.length} faults have ${median} causes in the median, ${ofMany}`]
}

const ofTargets = 'targets that cannot be judged, are hostile, or are easily misread'

/** The table of judged services. A test compares the one in lab/judge/proof.md with today's services. */
export function kindsTable(): string {
  const count = (source: Source): number => subjects.filter(({ of }) => of === source).length
  return markdownTable(
    ['target', 'number', 'expected result of a run'],
    [
      ['services with one fault', count('faults'), "one of the fault's rules notices it"],
      ['conformant services that behave in an unusual way', count('variants'), 'exit 0, every rule judged'],
      [ofTargets, count('targets'), 'the right verdict with its reason; the reports stay harmless'],
      ['services that echo credentials', count('echoes'), 'the right verdict; no credential in any output'],
    ],
  )
}

const heads =
  'profile, runs, faults noticed, missed, beyond, false alarms, other targets as expected, requests, seconds'

/** The measured part of lab/judge/proof.md. */
function figures(all: readonly Outcome[], profiles: readonly ProfileName[], open: number, minutes: number) {
  const proofs = needProof.map((rule) => proofsOf(rule, all))
  const rows = profiles.map((profile) => rowOf(all, profile))
  return [
    `\`npm run proof\` wrote these tables on ${new Date().toISOString().slice(0, 10)}. All runs took ${minutes} min.`,
    kindsTable(),
    open === 0 ? 'Every run ended as expected.' : `**Runs and rules that are not as expected: ${open}.**`,
    markdownTable(heads.split(', '), rows),
    `${proofs.length} rules were each red for at least ${Math.min(...proofs)} of their faults.`,
  ].join('\n\n')
}

function rowOf(outcomes: readonly Outcome[], profile: ProfileName): readonly (string | number)[] {
  const all = outcomes.filter((one) => one.profile === profile)
  const ofFaults = all.filter(({ of }) => of === 'faults')
  const ofVariants = all.filter(({ of }) => of === 'variants')
  const others = all.filter(({ of }) => of === 'targets' || of === 'echoes')
  const missed = ofFaults.filter(({ result }) => result !== 'as expected').length
  const noticed = ofFaults.filter(({ noticed: is }) => is).length
  const sum = (figure: 'requests' | 'seconds'): string =>
    Math.round(all.reduce((total, one) => total + one[figure], 0)).toLocaleString('en')
  return [
    `\`${profile}\``,
    all.length,
    `${noticed} of ${ofFaults.length}`,
    missed,
    ofFaults.length - noticed - missed,
    `${ofVariants.filter(({ result }) => result === 'blamed').length} of ${ofVariants.length}`,
    `${others.filter(({ result }) => result === 'as expected').length} of ${others.length}`,
    sum('requests'),
    sum('seconds'),
  ]
}
