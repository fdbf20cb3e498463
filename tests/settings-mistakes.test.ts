import { join } from 'node:path'
import { describe } from 'vitest'
import { serve } from '../lib/http/testing/servers.ts'
import { rulesThat, settingsFor } from './support/program.ts'
import { run, runWhole, test } from './support/program-test.ts'
import { expectRefused, expectToldOnce } from './support/refused.ts'

const client = {
  TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83',
  TARGET_SECRET_KEY: 'sk_Jd7Wq0Bn5Xe2Hs9Vt6Pa41GuKm',
}

test('all mistakes are named at once, and nothing is sent', async ({ onTestFinished, expect }) => {
  const server = await serve(() => {}, { onFinished: onTestFinished })
  const TARGET_BASE_URL = `http://127.0.0.1:${server.port}`
  const env = { TARGET_BASE_URL, ...client, TARGET_VERSION: 'one', RUN_TIMEOUT_MS: '10s' }

  const result = await run(['--profile', 'gat'], { env })

  const says = ['3 mistakes', 'TARGET_VERSION', 'RUN_TIMEOUT_MS', 'RUN_PROFILE', 'did you mean gate?']
  expectRefused(expect, result, says)
  expect(server.connections()).toBe(0)
})

describe.concurrent('without a target', () => {
  test.for([
    ['run', []],
    ['run', ['run']],
    ['plan', ['plan']],
    ['doctor', ['doctor']],
    ['replay', ['replay', 'fuzz/api-key:1:presence.0']],
  ] as const)(
    '%s with %j ends in 2, and says where settings were looked for',
    async ([, args], { expect }) => {
      const { code, stdout, stderr, cwd, verdict } = await run(args)

      const says = ['TARGET_BASE_URL', 'nothing was sent', '--base-url embedded']
      for (const words of says) expect(stderr).toContain(words)
      expect(stderr).toContain(
        `looked for among the flags, in the environment and in ${join(cwd, '.env')} (a file that does not exist)`,
      )
      expect(stdout).not.toContain('EMBEDDED')
      const isRun = args.length === 0 || args[0] === 'run'
      expect([code, verdict?.verdict, verdict?.target.embedded]).toEqual(
        isRun ? [2, 'error', false] : [2, undefined, undefined],
      )
    },
  )

  test('who asks for the embedded service gets it, also in a pipeline', async ({ expect }) => {
    const { code, verdict, stdout, stderr } = await runWhole(['--base-url', 'embedded'], {
      env: { CI: 'true' },
    })

    expect(verdict).toMatchObject({ verdict: 'conformant', exitCode: 0, target: { embedded: true } })
    expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive', 'untested')).toEqual([
      'conventions/http-messages',
      'tolerance/no-breaking-change',
    ])
    expect(stdout).toContain('EMBEDDED REFERENCE SERVICE')
    expect(stderr).toContain('EMBEDDED REFERENCE SERVICE')
    expect(code).toBe(0)
  })

  test.for([['plan'], ['doctor'], ['replay', 'fuzz/api-key:1:presence.0']])(
    '%s says in capitals that it is about the embedded service',
    async (args, { expect }) => {
      const { code, stderr } = await run([...args, '--base-url', 'embedded'])

      expect([code, stderr]).toEqual([0, expect.stringContaining('EMBEDDED REFERENCE SERVICE')])
    },
  )
})

describe.concurrent('a base URL that holds the path of the endpoint', () => {
  test.for(['/api', '/api/customizations', '/api/customizations/list'])(
    '%s is a mistake where the service answers without it',
    async (path, { reference, expect }) => {
      const service = await reference()
      const env = { ...settingsFor(service), TARGET_BASE_URL: `${service.baseUrl}${path}` }
      const { code, stdout, stderr, verdict } = await run([], { env })

      expect(code).toBe(2)
      expect(stderr).toContain(`did you mean ${service.baseUrl}?`)
      expect(stderr).toContain('One mistake in the settings; 2 requests were sent to find out.')
      expectToldOnce(expect, { stdout, stderr })
      expect([verdict?.verdict, verdict?.exitCode, verdict?.requests.sent]).toEqual(['error', 2, 2])
      expect(service.requests()).toBe(2)
    },
  )

  test('is judged where the service answers with it', async ({ reference, expect }) => {
    const service = await reference({ variant: 'path-prefix-with-escapes' })
    const { code } = await run(['--only', 'authentication/api-key-missing'], { env: settingsFor(service) })

    expect(code).toBe(0)
  })
})
