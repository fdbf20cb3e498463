import { describe, expect, it } from 'vitest'
import { inPart } from '../part.ts'
import { deepSubjects, jobsOf, jobsOnce } from './jobs.ts'
import { allSubjects } from './subjects.ts'

describe('the runs of a proof', () => {
  it('are one for each subject in each profile that is asked for and that it has', () => {
    const jobs = jobsOf(allSubjects, ['gate', 'nightly'])
    const names = (profile: string): readonly string[] =>
      jobs.filter((job) => job.profile === profile).map(({ kind, name }) => `${kind} ${name}`)

    expect(names('gate')).toHaveLength(allSubjects.length)
    expect(new Set(names('gate')).size).toBe(allSubjects.length)
    expect(names('nightly')).toHaveLength(
      allSubjects.filter(({ kind }) => kind === 'fault' || kind === 'variant').length,
    )
    expect(names('acceptance')).toEqual([])
  })

  it('send 200 cases for each rule at night, and 2,000 for ten subjects that there are', () => {
    const nightly = jobsOf(allSubjects, ['nightly'])
    const deep = nightly.filter(({ fuzzCases }) => fuzzCases === 2_000)

    expect(deep.map(({ name }) => name).toSorted()).toEqual(deepSubjects.toSorted())
    expect(deep).toHaveLength(10)
    expect(nightly.every(({ fuzzCases }) => fuzzCases === 200 || fuzzCases === 2_000)).toBe(true)
    expect(jobsOf(allSubjects, ['gate', 'acceptance']).every(({ fuzzCases }) => fuzzCases === null)).toBe(
      true,
    )
  })

  it('are one for each fault and variant where each comes once, in the profile that asks most of the suite', () => {
    const jobs = jobsOnce(allSubjects)
    const profileOf = new Map(jobs.map(({ kind, name, profile }) => [`${kind} ${name}`, profile]))

    expect(jobs).toHaveLength(profileOf.size)
    for (const { kind, name, expects } of allSubjects) {
      const wanted =
        expects.kind === 'caught' ? expects.from : expects.kind === 'conformant' ? 'acceptance' : undefined
      expect(profileOf.get(`${kind} ${name}`), name).toBe(wanted)
    }
  })

  it('come in shares that are all of them together, each about as large and none twice', () => {
    const jobs = jobsOnce(allSubjects)
    const shares = [1, 2, 3].map((place) => inPart({ place, of: 3 }, jobs))

    expect(inPart(null, jobs)).toEqual(jobs)
    expect(new Set(shares.flat())).toEqual(new Set(jobs))
    expect(shares.flat()).toHaveLength(jobs.length)
    expect(Math.max(...shares.map(({ length }) => length)) - jobs.length / 3).toBeLessThan(1)
  })
})
