import { expect, it } from 'vitest'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { describeIssues, judge, readSettings, type Verdict } from '../../lib/doors/library/library.ts'
import { startReference } from '../../lib/serve/reference/service.ts'
import { instead } from '../../tests/support/program.ts'
import { rateServices } from './sources/rates.ts'

it('a wrong answer to any counted request of an essential gate is noticed', async () => {
  let [arrived, wrong] = [0, -1]
  const service = await startReference({
    intervene: (_, response) => arrived++ === wrong && instead(response, 500, '{"error":"internal"}'),
  })
  try {
    const read = await readSettings({ env: { ...settingsOf(service), RUN_ESSENTIAL: 'true' } })
    if (read.kind === 'issues') throw new Error(describeIssues(read.issues))
    const judged = async (): Promise<Verdict> => (await judge(read.settings, read.suites)).verdict
    const { requests, power } = await judged()
    let noticed = 0
    for (wrong = 0; wrong < requests.sent; wrong += 1) {
      arrived = 0
      if ((await judged()).exitCode !== 0) noticed += 1
    }

    expect(requests.sent).toBeGreaterThan(25)
    // Answers that are only observed can reveal a fault, too, so more may be noticed than counted.
    expect(noticed).toBeGreaterThanOrEqual(power?.answers ?? Infinity)
    expect(power?.answers).toBeGreaterThan(requests.sent * 0.9)
    expect(rateServices.map(({ name }) => name)).toContain(`1-in-${power?.answers}`)
  } finally {
    await service.close()
  }
}, 120_000)
