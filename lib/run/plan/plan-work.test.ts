import { Session } from 'node:inspector/promises'
import { expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import type { ProfileName } from '../../settings/profiles.ts'
import { read, settingsOf, target, temporaryFolder } from '../../settings/testing/read.ts'
import { plan } from './plan.ts'

const counts = [12, 24] as const
const cwd = temporaryFolder(Object.fromEntries(counts.map((count) => [`${count}.json`, fileOf(count)])))

/** An endpoints file of this many endpoints. */
function fileOf(count: number): string {
  const entries = Array.from({ length: count }, (_, index) => ({
    method: 'GET',
    path: `/api/cards-${index}/list`,
    versions: [1],
    query: { type: 'object', properties: { limit: { type: 'integer', minimum: 1, maximum: 100 } } },
    invalidQuery: 'limit=abc',
  }))
  return JSON.stringify(entries)
}

interface Work {
  readonly requests: number
  /** Number of function calls. */
  readonly calls: number
}

/** The work of planning with this many endpoints. */
async function workFor(count: number, profile: ProfileName): Promise<Work> {
  const env = { ...target, TARGET_ENDPOINTS: `${count}.json`, RUN_PROFILE: profile }
  const settings = settingsOf(await read(env, { cwd }))
  const run = new Session()
  run.connect()
  await run.post('Profiler.enable')
  await run.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const rules = plan(settings, suites)
  const { result } = await run.post('Profiler.takePreciseCoverage')
  run.disconnect()
  const called = result.flatMap(({ functions }) => functions.map(({ ranges: [whole] }) => whole?.count ?? 0))
  return {
    requests: rules.reduce((sum, { requests }) => sum + requests, 0),
    calls: called.reduce((sum, one) => sum + one, 0),
  }
}

// Measured: 52,000 and 91,000 calls for each further endpoint; five times as many if every case makes new wrong credentials.
it.each<[ProfileName, mostCalls: number, mostRequests: number]>([
  ['gate', 70_000, 20],
  ['acceptance', 120_000, Infinity],
])(
  'the work of planning in %s grows no faster than the number of endpoints',
  async (profile, mostCalls, mostRequests) => {
    const [some, twice] = [await workFor(counts[0], profile), await workFor(counts[1], profile)]
    const further = counts[1] - counts[0]

    expect(twice.calls / some.calls).toBeLessThan(2.5)
    expect((twice.calls - some.calls) / further).toBeLessThan(mostCalls)
    expect((twice.requests - some.requests) / further).toBeLessThanOrEqual(mostRequests)
  },
)
