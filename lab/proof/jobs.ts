import type { ProfileName } from '../../lib/settings/profiles.ts'
import type { Job, Subject } from './subject.ts'

/** A nightly run of the proof sends so many cases for each rule, and of ten subjects as many as a nightly run of its own would. */
const nightlyCases = 200
const deepNightlyCases = 2_000

/** What is judged by a whole nightly run: faults that show on few cases, and variants that differ on many. */
export const deepSubjects: readonly string[] = [
  'api-key-taken-for-query',
  'secret-key-takes-operator',
  'version-wraps-at-64-bits',
  'control-characters-in-secret-key-stripped',
  'parameter-beyond-three-bytes-fails',
  'credentials-of-six-characters',
  'firewall-against-injection',
  'hop-by-hop-fields-dropped',
  'lenient-parser',
  'order-drawn-for-each-request',
]

/** Every run of these subjects in these profiles, the subjects that want none of them left out. */
export function jobsOf(subjects: readonly Subject[], profiles: readonly ProfileName[]): readonly Job[] {
  return profiles.flatMap((profile) =>
    subjects
      .filter((subject) => subject.profiles.includes(profile))
      .map(({ kind, name }) => ({ kind, name, profile, fuzzCases: fuzzCasesOf(profile, name) })),
  )
}

/**
 * One run for each fault and variant: a fault in the first profile that must notice it, a variant in acceptance. What a profile
 * sends begins with what the smaller one sends, so that this is the sharper half of all runs. The other subjects are judged in gate.
 */
export function jobsOnce(subjects: readonly Subject[]): readonly Job[] {
  return subjects.flatMap(({ kind, name, expects }): readonly Job[] => {
    if (expects.kind === 'ends') return []
    const profile = expects.kind === 'caught' ? expects.from : 'acceptance'
    return [{ kind, name, profile, fuzzCases: null }]
  })
}

function fuzzCasesOf(profile: ProfileName, name: string): number | null {
  if (profile !== 'nightly') return null
  return deepSubjects.includes(name) ? deepNightlyCases : nightlyCases
}
