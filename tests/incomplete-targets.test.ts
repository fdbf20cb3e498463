import { describe } from 'vitest'
import { expectIncomplete, run, test, runWhole } from './support/program-test.ts'
import { ruleIn, rulesThat, settingsFor } from './support/program.ts'
import type { Started } from '../lab/judge/service.ts'
import { targets } from '../lab/targets/all-targets.ts'
import { client } from '../lab/targets/serving.ts'

type Settings = Readonly<Record<string, string>>

/** Only what is required: the address and a client. */
function bare(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name.startsWith('TARGET_')))
}

describe.concurrent("a client's quota", () => {
  test.for([
    ['before the first request', 0, 4],
    ['at the sixth', 5, 50],
    ['in the middle', 25, 300],
  ] as const)('that ends %s blames nobody', async ([, permitted, atMost], { reference, expect }) => {
    const service = await reference({ quotas: { permitted } })

    const result = await run([], { env: settingsFor(service) })

    expectIncomplete(expect, result, ['the daily quota of the client of TARGET_API_KEY is used up'])
    // What runs side by side may still be on its way; nothing is begun any more.
    expect(service.requests()).toBeLessThanOrEqual(atMost)
  })

  test('that the second client has not is said of the rules that need it', async ({ reference, expect }) => {
    const service = await reference({ quotas: { second: 0 } })

    const result = await run([], { env: settingsFor(service) })

    expectIncomplete(expect, result, ['the daily quota of the client of FIXTURE_SECOND_API_KEY is used up'])
    expect(rulesThat(result.verdict, 'inconclusive')).toContain('quota/per-client')
    expect(rulesThat(result.verdict, 'passed')).toContain('authentication/no-bypass')
  })
})

describe.concurrent('an endpoint that is not found where the settings look for it blames nobody:', () => {
  test('another version, and an address with a path', async ({ reference, expect }) => {
    const service = await reference()
    const elsewhere = { TARGET_BASE_URL: `${service.baseUrl}/v1`, TARGET_VERSION: '3' }

    const result = await run([], { env: { ...settingsFor(service), ...elsewhere } })

    const says = ' and TARGET_VERSION=1: change the settings'
    expectIncomplete(expect, result, ['400 / 1010 (endpoint not found', 'is served with ', says])
    expect(service.requests()).toBeLessThanOrEqual(4)
  })

  test('but a violation, where address and version are those of the specification', async ({
    reference,
    expect,
  }) => {
    const service = await reference({ faults: ['version-one-not-served'] })

    const result = await run([], { env: settingsFor(service) })

    expect(rulesThat(result.verdict, 'failed')).toContain('endpoints/list-succeeds')
    expect(result.code).toBe(1)
  })
})

describe.concurrent('a budget that is too small', () => {
  test('is not passed to confirm either, and what was found counts', async ({ reference, expect }) => {
    const service = await reference({ faults: ['missing-api-key-called-invalid'] })

    const { code, verdict } = await run(
      ['--max-requests', '60', '--only', 'authentication/api-key-missing,authentication/no-bypass'],
      { env: settingsFor(service) },
    )

    expect(service.requests()).toBeLessThanOrEqual(60)
    expect(verdict?.requests.sent).toBe(service.requests())
    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(code).toBe(1)
  })
})

describe.concurrent('what was not given', () => {
  test('makes a gate conformant, and is listed', async ({ reference, expect }) => {
    const service = await reference()

    const { code, verdict, stdout } = await run([], { env: bare(settingsFor(service)) })

    expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive')).toEqual([])
    expect(rulesThat(verdict, 'untested')).toEqual([
      'conventions/http-messages',
      'authentication/customer-not-found',
      'authentication/endpoint-inactive',
      'authentication/endpoint-unauthorized',
      'authentication/stays-refused',
      'quota/exhausted',
      'quota/stays-exhausted',
      'quota/per-client',
      'tolerance/no-breaking-change',
    ])
    for (const id of rulesThat(verdict, 'untested')) expect(stdout).toContain(id)
    expect(stdout).toContain('FIXTURE_NO_CUSTOMER_API_KEY and FIXTURE_NO_CUSTOMER_SECRET_KEY')
    expect(code).toBe(0)
  })

  test('makes an acceptance incomplete, and every rule is named', async ({ reference, expect }) => {
    const service = await reference()

    const result = await run(['--profile', 'acceptance'], { env: bare(settingsFor(service)) })

    const untested = rulesThat(result.verdict, 'untested')
    expect(untested.length).toBeGreaterThan(5)
    expectIncomplete(expect, result, [...untested, 'must be tested in acceptance'])
  })

  test('may be all that was selected', async ({ reference, expect }) => {
    const service = await reference()

    const result = await run(['--only', 'quota/*,authentication/customer-not-found'], {
      env: bare(settingsFor(service)),
    })

    expectIncomplete(expect, result, ['no rule was judged'])
    expect(rulesThat(result.verdict, 'untested')).toHaveLength(4)
  })
})

describe.concurrent('a part of the whole', () => {
  test('passes a gate', async ({ reference, expect }) => {
    const service = await reference()

    const { code, verdict, stdout } = await run(['--only', 'versioning/*'], { env: settingsFor(service) })

    expect(rulesThat(verdict, 'failed', 'inconclusive', 'untested')).toEqual([])
    expect(rulesThat(verdict, 'passed').every((id) => id.startsWith('versioning/'))).toBe(true)
    expect(stdout).toContain('only versioning/*')
    expect(code).toBe(0)
  })
})

describe.concurrent('an exhausted client', () => {
  test('whose quota is reset in the middle of the run blames nobody', async ({ reference, expect }) => {
    let served = 0
    const service = await reference({
      now: () => {
        served += 1
        return served < 60 ? 0 : 86_400_000
      },
    })

    const { code, verdict } = await run([], { env: settingsFor(service) })

    expect(rulesThat(verdict, 'failed')).toEqual([])
    expect([0, 3]).toContain(code)
  })
})

// Those that are gone, or no HTTP, or endless, are in lab/targets.
describe.concurrent('a name that does not resolve', () => {
  test('is told, and credentials that would go unencrypted are pointed out', async ({ expect }) => {
    const result = await run(['--timeout-ms', '300'], {
      env: { TARGET_BASE_URL: 'http://nobody.invalid', ...client },
    })

    expectIncomplete(expect, result, ['nobody.invalid:80'])
    expect(result.stderr).toContain('credentials go unencrypted to http://nobody.invalid')
  })
})

describe.concurrent('a service that answers everything alike is judged:', () => {
  test('with JSON 200,000 levels deep, which is a success', async ({ onTestFinished, expect }) => {
    const { env, close } = await startTarget('json-of-200000-levels')
    onTestFinished(close)

    const { code, verdict, memoryMiB } = await runWhole([], { env: { ...env, RUN_ONLY: '' } })

    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(ruleIn(verdict, 'endpoints/list-succeeds').findings).toEqual([])
    expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
    expect(memoryMiB).toBeLessThan(400)
    expect(code).toBe(1)
  })
})

function startTarget(wanted: string): Promise<Started> {
  const found = targets.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`there is no target ${wanted}`)
  return found.start()
}
