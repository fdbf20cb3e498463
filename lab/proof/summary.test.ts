import { describe, expect, it } from 'vitest'
import { ruleIds } from '../../lib/specification/rules.ts'
import { proofPage, proofTables } from './markdown.ts'
import type { Outcome, Subject } from './subject.ts'
import { summarise, type Circumstances, type Proof, type ProvenRule } from './summary.ts'

const missing = 'authentication/api-key-missing'
const invalid = 'authentication/api-key-invalid'
const [first, second] = ['a-fault', 'b-fault']

const circumstances: Circumstances = {
  date: '2026-11-22',
  profiles: ['gate'],
  atOnce: 2,
  wallSeconds: 61,
  provenOtherwise: {},
  gateRequests: {},
}

function fault(name: string, by: readonly (typeof missing | typeof invalid)[]): Subject {
  return {
    kind: 'fault',
    name,
    about: `does ${name}`,
    expects: { kind: 'caught', by, from: 'gate', alone: false },
    profiles: ['gate'],
    needs: null,
    start: () => Promise.reject(new Error('not started here')),
  }
}

function outcome(name: string, changes: Partial<Outcome>): Outcome {
  return {
    kind: 'fault',
    name,
    profile: 'gate',
    fuzzCases: null,
    code: 1,
    red: [],
    failed: [],
    notJudged: [],
    causes: 1,
    requests: 100,
    seconds: 1.5,
    memoryMiB: 90,
    result: 'caught',
    shortcomings: [],
    ...changes,
  }
}

function ruleIn(proof: Proof, id: string): ProvenRule | undefined {
  return proof.rules.find((rule) => rule.id === id)
}

describe('the summary of a proof', () => {
  const subjects = [fault(first, [missing, invalid]), fault(second, [missing])]
  const outcomes = [
    outcome(first, { red: [invalid] }),
    outcome(second, { red: [invalid], result: 'wrong rule', shortcomings: ['none is red'], memoryMiB: 120 }),
  ]
  const proof = summarise(subjects, outcomes, circumstances)

  it('says of each rule for how many of its faults it was red, and for how many others', () => {
    expect(ruleIn(proof, invalid)).toMatchObject({
      faults: 1,
      noticed: { gate: 1 },
      wrongRule: [],
      others: 1,
    })
    expect(ruleIn(proof, missing)).toMatchObject({ faults: 2, noticed: { gate: 0 }, wrongRule: [second] })
  })

  it('names every rule that was red for fewer than three of its faults', () => {
    const sentence = (id: string, count: number): string =>
      `${id} was red for ${count} of its faults, where 3 have to prove it`
    const thrice = ['a-fault', 'b-fault', 'c-fault'].map((name) => fault(name, [invalid]))
    const red = thrice.map(({ name }) => outcome(name, { red: [invalid] }))

    expect(proof.unproven).toContain(sentence(invalid, 1))
    expect(proof.unproven).toContain(sentence(missing, 0))
    expect(proof.unproven).toHaveLength(ruleIds.length)
    expect(summarise(thrice, red, circumstances).unproven).toEqual(
      ruleIds.filter((id) => id !== invalid).map((id) => sentence(id, 0)),
    )
  })

  it('leaves out a rule whose faults are all beyond the profiles that were run, if there are enough', () => {
    const thrice = ['a-fault', 'b-fault', 'c-fault'].map((name) => fault(name, [invalid]))
    const beyond = thrice.map(({ name }) => outcome(name, { result: 'beyond', code: 0 }))
    const unprovenOf = (count: number): readonly string[] =>
      summarise(thrice.slice(0, count), beyond.slice(0, count), circumstances).unproven.filter((sentence) =>
        sentence.startsWith(invalid),
      )

    expect([unprovenOf(3), unprovenOf(2)]).toEqual([[], [expect.stringContaining('red for 0')]])
  })

  it('leaves out what no bent service can break, when a test is named for it', () => {
    const known = summarise(subjects, outcomes, {
      ...circumstances,
      provenOtherwise: { [missing]: { because: 'no service can', test: 'a.test.ts' } },
    })

    expect(known.unproven.filter((sentence) => sentence.startsWith(missing))).toEqual([])
    expect(known.unproven).toHaveLength(ruleIds.length - 1)
  })

  it('counts runs, requests, seconds and the most memory by profile', () => {
    expect(proof.profiles).toMatchObject([
      { profile: 'gate', runs: 2, requests: 200, seconds: 3, highestMemoryMiB: 120, kinds: { fault: 2 } },
    ])
    expect(proof.profiles[0]?.results).toMatchObject({ caught: 1, 'wrong rule': 1, missed: 0 })
  })

  it('names every run that came out wrong', () => {
    expect(proof.wrongRuns).toBe(1)
    expect(proof.shortcomings).toEqual([`gate: fault ${second}: none is red`])
  })

  it.each([
    ['one cause each', [1], []],
    ['two causes each', [2], ['20 faults have 2 causes in the median, and 0 of them more than 3']],
    [
      'many causes of one in ten',
      [1, 1, 1, 1, 1, 1, 1, 1, 1, 9],
      [expect.stringContaining('2 of them more')],
    ],
  ])('says where faults are told as too many causes: %s', (_, counts, says) => {
    const told = Array.from({ length: 20 }, (__, at) =>
      outcome(first, { causes: counts[at % counts.length] ?? 0 }),
    )

    expect(summarise(subjects, told, circumstances).scattered).toEqual(says)
  })

  it('is written as a page that hides nothing of it', () => {
    const page = proofPage(proof)

    expect(page).toContain('on 2026-11-22')
    expect(page).toContain('| services with one fault | 2 |')
    expect(page).toContain(
      `**Runs that ended in another way than they must: 1. Rules that nothing proves: ${ruleIds.length}.**`,
    )
    expect(page).toContain('| `gate` | 2 | 1 of 2 | 1 | 0 | 0 of 0 |')
    expect(page).toContain('1 min 1 s')
  })

  it('counts faults beyond a profile among all', () => {
    const beyond = [outcome(first, { red: [invalid] }), outcome(second, { result: 'beyond', code: 0 })]

    const page = proofPage(summarise(subjects, beyond, circumstances))

    expect(page).toContain('| `gate` | 2 | 1 of 2 | 0 | 1 | 0 of 0 |')
  })

  it('has its long tables in a file of their own', () => {
    expect(proofTables(proof)).toContain(
      `| \`${second}\` | does ${second} | \`${missing}\` | wrong rule | \`${invalid}\` |`,
    )
  })
})
