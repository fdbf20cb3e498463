import { describe, expect, it } from 'vitest'
import { suites } from '../../../suites/index.ts'
import { judge } from '../../engine/run/run.ts'
import { startReference } from '../../serve/reference/service.ts'
import { read, settingsOf } from '../../settings/testing/read.ts'
import { clientNames } from '../../specification/client-rows.ts'
import { textOf } from '../../../tests/support/syntax.ts'
import { providerRequest } from './provider-request.ts'
import { settingsOf as fixturesOf } from './serve-command.ts'

/** The columns of the table of requests, by profile: a number for each client, for all, and the bound. */
const [heads = [], , ...rows] = [
  ...(await providerRequest({ baseUrl: null, label: null })).matchAll(/^\| (.+) \|$/gm),
]
  .map(([, cells = '']) => cells.split(' | '))
  .filter(({ length }) => length === 4)
const granted = new Map(
  heads.map((head, at) => [head, rows.map((cells) => Number(cells[at]?.replaceAll(',', '')))] as const),
)

describe('a request to a provider', () => {
  it.each(['gate', 'acceptance'])(
    'asks for the requests that a run sends with every fixture: %s',
    async (profile) => {
      const service = await startReference({ quotas: { disposable: 20 } })
      const settings = settingsOf(await read({ ...fixturesOf(service), RUN_PROFILE: profile }))
      const { verdict } = await judge(settings, suites)
      await service.close()
      const { sent, byClient = {}, budget } = verdict.requests
      const asked = granted.get(profile) ?? []

      // What is planned may be a few health checks more.
      expect(asked.at(-2)).toBeGreaterThanOrEqual(sent)
      expect(asked.at(-2)).toBeLessThanOrEqual(sent * 1.05)
      for (const [at, client] of clientNames.entries())
        expect(asked[at], client).toBeGreaterThanOrEqual(
          (byClient[client] ?? 0) - (client === 'second' ? 1 : 0),
        )
      expect(asked.at(-1)).toBe(budget)
    },
  )

  it('asks for a nightly run, too', async () => {
    const asked = granted.get('nightly') ?? []

    expect(asked).toHaveLength(clientNames.length + 2)
    expect(asked.slice(0, -2).reduce((sum, one) => sum + one, 0)).toBe(asked.at(-2))
    expect(asked.at(-2)).toBeGreaterThan(10_000)
  })

  it.each([
    ['docs/settings.md', 'gate', /sends about ([\d,]+) requests to one endpoint/],
    ['docs/settings.md', 'acceptance', /an acceptance about ([\d,]+)/],
    ['docs/settings.md', 'nightly', /a nightly run about ([\d,]+)/],
    ['docs/faq.md', 'gate', /A gate sends some ([\d,]+) requests/],
    ['docs/faq.md', 'acceptance', /an acceptance some ([\d,]+)/],
    ['docs/users/acceptance.md', 'acceptance', /sends about ([\d,]+) requests/],
  ])('agrees with %s: %s', async (page, profile, sentence) => {
    const said = Number(sentence.exec(textOf(page))?.[1]?.replaceAll(',', ''))
    const all = granted.get(profile)?.at(-2) ?? 0

    // The disposable client is asked for a quota that is a little larger than the embedded service's.
    expect(said).toBeGreaterThan(all * 0.9)
    expect(said).toBeLessThanOrEqual(all)
  })
})
