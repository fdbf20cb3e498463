import { describe, expect, it } from 'vitest'
import { atMost } from '../../tests/support/program.ts'
import { readFirstRun } from './record.ts'
import {
  allStrangers,
  isWrong,
  judgeStranger,
  senseOf,
  settledAsWrong,
  strangerProfiles,
} from './stranger.ts'

const first = (await readFirstRun())?.outcomes ?? []
const oneOfTwo = atMost(2)

/** Judges a service in gate. */
async function inGate(service: string): ReturnType<typeof judgeStranger> {
  return oneOfTwo(() => judgeStranger({ service, profile: 'gate', run: 1 }))
}

describe.concurrent('in gate', () => {
  const conformant = allStrangers.filter(({ wrong }) => !wrong)
  it.for(conformant)('$name is not blamed', async ({ name }, context) => {
    const { outcome } = await inGate(name)

    context.expect(outcome.failed).toEqual([])
    context.expect(['cleared', 'incomplete']).toContain(senseOf(outcome))
  })

  /** Which request follows which on a connection of the pool is chance: on a busy machine none may follow two successes. */
  const byChance = ['sharing/sticky-connection']
  const found = first.filter(
    ({ service, ...one }) =>
      one.profile === 'gate' &&
      senseOf({ service, ...one }) === 'found' &&
      service.startsWith('sharing/') &&
      !byChance.includes(service),
  )
  it.for(found)('$service is found, as it was in the first run', async ({ service }, context) => {
    const { outcome } = await inGate(service)

    context.expect(senseOf(outcome)).toBe('found')
  })
})

it('names services that are there where it settles what their authors say', () => {
  const names = allStrangers.map(({ name }) => name)

  expect(Object.keys(settledAsWrong).filter((name) => !names.includes(name))).toEqual([])
})

it('every service was in the first run, in both profiles', () => {
  const runs = new Set(first.map(({ service, profile }) => `${service} ${profile}`))
  const expected = allStrangers.flatMap(({ name }) => strangerProfiles.map((profile) => `${name} ${profile}`))

  expect([...runs].toSorted()).toEqual(expected.toSorted())
})

it('a run is found or blamed by what the service is, and by its exit code alone', () => {
  const [wrong = '', conformant = ''] = [true, false].map(
    (is) => allStrangers.find(({ name }) => isWrong(name) === is)?.name,
  )
  const none = {
    profile: 'gate',
    run: 1,
    failed: [],
    notJudged: [],
    because: [],
    requests: 0,
    seconds: 0,
  } as const
  const senses = [0, 1, 3, 4, null].map((code) =>
    [wrong, conformant].map((service) => senseOf({ ...none, service, code })),
  )

  expect(senses).toEqual([
    ['missed', 'cleared'],
    ['found', 'blamed'],
    ['incomplete', 'incomplete'],
    ['not judged', 'not judged'],
    ['not judged', 'not judged'],
  ])
})
