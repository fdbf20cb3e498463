import { expect, it } from 'vitest'
import { readFirstRun } from './record.ts'
import { allStrangers, isWrong, senseOf, settledAsWrong, strangerProfiles } from './stranger.ts'

const first = (await readFirstRun())?.outcomes ?? []
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
