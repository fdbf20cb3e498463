import { expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { textOf } from '../../../tests/support/syntax.ts'
import { plan } from '../../run/plan/plan.ts'
import { judge } from '../../run/run.ts'
import { inMemory } from '../../run/testing/in-memory.ts'
import { read, settingsOf } from '../../settings/testing/read.ts'
import { clientNames } from '../../specification/client-rows.ts'
import { plannedRequests } from './case-commands.ts'
import { settingsOf as fixturesOf } from './serve-command.ts'

/** The settings and the planned requests of a run with every fixture. */
async function planned(profile: string, env: Readonly<Record<string, string>> = {}) {
  const { service, transport } = await inMemory(() => null, { quotas: { disposable: 20 } })
  const settings = settingsOf(await read({ ...fixturesOf(service), RUN_PROFILE: profile, ...env }))
  return { transport, settings, ...plannedRequests(plan(settings, suites)) }
}

it.each(['gate', 'acceptance'])('a plan has about as many requests as a run sends: %s', async (profile) => {
  const { transport, settings, total, byClient } = await planned(profile, { RUN_FUZZ_CASES: '20' })
  const { sent, byClient: sentBy = {} } = (await judge(settings, suites, { transport })).verdict.requests

  // The plan may include a few more health checks.
  expect(total).toBeGreaterThanOrEqual(sent)
  expect(total).toBeLessThanOrEqual(sent * 1.05)
  for (const client of clientNames) {
    const least = (sentBy[client] ?? 0) - (client === 'second' ? 1 : 0)
    expect(byClient[client] ?? 0, client).toBeGreaterThanOrEqual(least)
  }
})

it.each<[profile: string, ...said: (readonly [page: string, sentence: RegExp])[]]>([
  ['gate', ['settings', /sends about ([\d,]+) requests to one endpoint/]],
  ['acceptance', ['settings', /acceptance about ([\d,]+)/], ['acceptance', /sends about ([\d,]+) req/]],
  ['nightly', ['settings', /a nightly run about ([\d,]+)/]],
])('a plan of %s has about as many requests as the pages say', async (profile, ...said) => {
  const { total } = await planned(profile)

  for (const [page, sentence] of said) {
    const text = textOf(`docs/${page}.md`).replaceAll(/\s+/g, ' ')
    const number = Number(sentence.exec(text)?.[1]?.replaceAll(',', ''))
    expect(number, page).toBeGreaterThan(total * 0.9)
    expect(number, page).toBeLessThanOrEqual(total)
  }
})
