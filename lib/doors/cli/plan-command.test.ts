import { describe, expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { textOf } from '../../../tests/support/syntax.ts'
import { plan } from '../../run/plan/plan.ts'
import { judge } from '../../run/run.ts'
import { startReference } from '../../serve/reference/service.ts'
import { read, settingsOf } from '../../settings/testing/read.ts'
import { clientNames } from '../../specification/client-rows.ts'
import { plannedRequests } from './plan-command.ts'
import { settingsOf as fixturesOf } from './serve-command.ts'

/** The number of requests planned with every fixture, by profile. */
const totals = new Map<string, Promise<number>>()

async function totalOf(profile: string): Promise<number> {
  const { service, total } = await planned(profile)
  await service.close()
  return total
}

/** The settings and the planned requests of a run with every fixture. */
async function planned(profile: string, env: Readonly<Record<string, string>> = {}) {
  const service = await startReference({ quotas: { disposable: 20 } })
  const settings = settingsOf(await read({ ...fixturesOf(service), RUN_PROFILE: profile, ...env }))
  return { service, settings, ...plannedRequests(plan(settings, suites)) }
}

describe('a plan', () => {
  it.each(['gate', 'acceptance'])(
    'has about as many requests as a run with every fixture sends: %s',
    async (profile) => {
      const { service, settings, total, byClient } = await planned(profile, { RUN_FUZZ_CASES: '20' })
      const { sent, byClient: sentBy = {} } = (await judge(settings, suites)).verdict.requests
      await service.close()

      // The plan may include a few more health checks.
      expect(total).toBeGreaterThanOrEqual(sent)
      expect(total).toBeLessThanOrEqual(sent * 1.05)
      for (const client of clientNames)
        expect(byClient[client] ?? 0, client).toBeGreaterThanOrEqual(
          (sentBy[client] ?? 0) - (client === 'second' ? 1 : 0),
        )
    },
  )

  it.each([
    ['docs/settings.md', 'gate', /sends about ([\d,]+) requests to one endpoint/],
    ['docs/settings.md', 'acceptance', /an acceptance about ([\d,]+)/],
    ['docs/settings.md', 'nightly', /a nightly run about ([\d,]+)/],
    ['docs/acceptance.md', 'acceptance', /sends about ([\d,]+) requests/],
  ])('agrees with %s on the requests of %s', async (page, profile, sentence) => {
    const said = Number(sentence.exec(textOf(page).replaceAll(/\s+/g, ' '))?.[1]?.replaceAll(',', ''))
    const known = totals.get(profile) ?? totalOf(profile)
    totals.set(profile, known)
    const total = await known

    expect(said).toBeGreaterThan(total * 0.9)
    expect(said).toBeLessThanOrEqual(total)
  })
})
