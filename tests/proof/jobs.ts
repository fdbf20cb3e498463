import type { ProfileName } from '../../lib/settings/profiles.ts'
import type { Job, Subject } from './subject.ts'

/** A nightly run of the proof sends so many cases for each rule, and of ten subjects as many as a nightly run of its own would. */
const nightlyCases = 200
const deepNightlyCases = 2_000

/** What is judged by a whole nightly run: faults that show on few cases, and variants that differ on many. */
export const deepSubjects: readonly string[] = []

/** Every run of these subjects in these profiles, the subjects that want none of them left out. */
export function jobsOf(subjects: readonly Subject[], profiles: readonly ProfileName[]): readonly Job[] {
  return profiles.flatMap((profile) =>
    subjects
      .filter((subject) => subject.profiles.includes(profile))
      .map(({ kind, name }) => ({ kind, name, profile, fuzzCases: fuzzCasesOf(profile, name) })),
  )
}

function fuzzCasesOf(profile: ProfileName, name: string): number | null {
  if (profile !== 'nightly') return null
  return deepSubjects.includes(name) ? deepNightlyCases : nightlyCases
}
