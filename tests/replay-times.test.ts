import { execFile } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { run, runWhole, test } from './support/program-test.ts'
import { settingsFor } from './support/program.ts'
import { argumentsOf, findingOf } from './support/replayed.ts'

const rule = 'authentication/api-key-missing'
const name = `${rule}:20260101:absent`

/** Serves a request without x-api-key the first time, and each fifth time. */
function sometimesServed() {
  let met = 0
  return ({ headers, url }: IncomingMessage, response: ServerResponse): boolean => {
    if (headers['x-api-key'] !== undefined || url !== '/api/customizations/list') return false
    met += 1
    if (met % 5 !== 1) return false
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
    return true
  }
}

const unwrapped = (text: string): string => text.replaceAll(/\s+/g, ' ')

describe.concurrent('replay --times', () => {
  test('says how often it was wrong what is only sometimes wrong, by the line of the finding alone', async ({
    reference,
    expect,
  }) => {
    const service = await reference({ intervene: sometimesServed() })
    const env = settingsFor(service)
    const finding = findingOf(await run(['--only', rule], { env }), rule)
    const before = service.requests()
    const again = await run(argumentsOf(finding), { env })

    expect(finding.reproduced).toMatch(/^1 of [23]$/)
    expect(finding.replay).toBe(
      `npx --no -- card-switch-conformance replay '${finding.case}' --base-url ${service.baseUrl} --times 20`,
    )
    expect(service.requests() - before).toBe(21)
    expect(again.stdout).toContain('Sent 20 requests of the case again, 20 times, to ')
    expect(unwrapped(again.stdout)).toContain(
      `✗ wrong 4 of 20 times ✗ 4 of 20: ${rule}: answered 200 with JSON where 400 / 1001 is documented`,
    )
    expect(again.stdout).toContain('documented  400 / 1001\nanswered    200 after')
    expect(again.code).toBe(1)
  })

  test.for([
    ['20', 'in one of 7 answers shows in 20 with 95 %'],
    ['5', 'in one of 2 answers shows in 5 with 95 %'],
    ['2', 'in 78 % of the answers shows in 2 with 95 %'],
  ] as const)('%s of what is right says what they exclude', async ([times, says], { reference, expect }) => {
    const service = await reference()
    const { code, stdout } = await run(['replay', name, '--times', times], { env: settingsFor(service) })

    expect(stdout).toContain(`✓ 0 of ${times}: not seen; a fault ${says}`)
    expect([code, service.requests()]).toEqual([0, Number(times) + 1])
  })

  test('sends all requests of a scenario each time, and shows those that broke the rule', async ({
    reference,
    expect,
  }) => {
    const replay = ['replay', 'authentication/not-cached:20260101:secret-key-wrong']
    const [healthy, bent] = [await reference(), await reference({ faults: ['success-cached-by-url'] })]
    const thrice = await run([...replay, '--times', '3'], { env: settingsFor(healthy) })
    const broken = await run(replay, { env: settingsFor(bent) })

    expect([thrice.code, healthy.requests(), broken.code]).toEqual([0, 1 + 3 * 3, 1])
    expect(thrice.stdout).toContain('Sent 9 requests of the case again, 3 times, to ')
    expect(thrice.stdout).toContain('… and 8 more requests')
    const shown = broken.stdout.split('Broke authentication/not-cached\n')[1] ?? ''
    expect(shown.match(/^documented {2}401 \/ 1007\nanswered {4}200 after/gm)?.length).toBeGreaterThan(1)
    expect(shown).not.toContain('x-secret-key: <TARGET_SECRET_KEY>')
    expect(shown).toContain(
      '✗ authentication/not-cached: answered 200 with JSON where 401 / 1007 is documented',
    )
  })

  test('ends in 3 with what was seen where the quota runs out, and in 1 where it was wrong before', async ({
    reference,
    expect,
  }) => {
    const plain = `endpoints/list-succeeds:20260101:plain`
    const exhausted = await reference({ quotas: { permitted: 6 } })
    const wrong = await reference({
      quotas: { permitted: 6 },
      intervene: ({ headers }, response) => {
        if (headers['user-agent'] === undefined || wrong.requests() !== 3) return false
        response.writeHead(500, { 'content-type': 'application/json' }).end('{}')
        return true
      },
    })
    const results = []
    for (const service of [exhausted, wrong])
      results.push(await run(['replay', plain, '--times', '20'], { env: settingsFor(service) }))

    const [left, broken] = results.map(({ stdout }) => unwrapped(stdout))
    expect(left).toContain('✓ 0 of 5: not seen; a fault in one of 2 answers shows in 5 with 95 %')
    expect(left).toContain('ended after 5 of 20: the daily quota of the client of TARGET_API_KEY is used up')
    expect(broken).toContain('wrong 1 of ')
    expect(broken).toContain('of 20: the daily quota of the client of TARGET_API_KEY is used up')
    expect(results.map(({ code }) => code)).toEqual([3, 1])
  })

  test('ends in 3 with what was seen where it is interrupted', async ({ reference, expect }) => {
    let interrupt = (): void => {}
    const service = await reference({
      intervene: () => {
        if (service.requests() === 8) interrupt()
        return false
      },
      latencyMs: 50,
    })
    const { code, stdout, stderr } = await runWhole(['replay', name, '--times', '1000'], {
      env: { ...settingsFor(service), RUN_MAX_REQUESTS: '2000' },
      started: (child) => {
        interrupt = () => void child.kill('SIGINT')
      },
    })

    expect(stderr).toContain('the run was interrupted (SIGINT): what was judged so far follows')
    expect(unwrapped(stdout)).toMatch(/ended after \d+ of 1000: the run was interrupted \(SIGINT\)/)
    expect(code).toBe(3)
  })

  test('sends as often as the budget allows, and says so', async ({ reference, expect }) => {
    const service = await reference()
    const flags = ['--times', '20', '--max-requests', '10']
    const { code, stdout } = await run(['replay', name, ...flags], { env: settingsFor(service) })

    expect(stdout).toContain('0 of 8: not seen')
    expect(stdout).toContain('8 of the 20 times fit into RUN_MAX_REQUESTS (10).')
    expect([code, service.requests()]).toEqual([0, 9])
  })

  test.for(['0', '1001', '-1', '1.5', 'ten', ''])(
    '%j is a mistake, and sends nothing',
    async (times, { reference, expect }) => {
      const service = await reference()
      const env = settingsFor(service)
      const { code, stderr } = await run(['replay', name, `--times=${times}`], { env })

      expect(stderr).toContain('--times\n')
      expect(stderr).toContain('a whole number from 1 to 1000')
      expect([code, service.requests()]).toEqual([2, 0])
    },
  )
})

test('a line of a finding, pasted in a checkout, sends its case again', async ({ reference, expect }) => {
  const service = await reference({ faults: ['missing-api-key-unauthorized'] })
  const env = settingsFor(service)
  const { replay } = findingOf(await run(['--only', rule], { env }), rule)
  const before = service.requests()
  const { PATH, HOME } = process.env
  const pasted = promisify(execFile)('bash', ['-c', replay ?? 'false'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH, HOME, npm_config_offline: 'true', ...env, TARGET_BASE_URL: 'http://nobody.invalid' },
  })

  await expect(pasted).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`✗ ${rule}: answered`),
  })
  expect(service.requests() - before).toBe(2)
})
