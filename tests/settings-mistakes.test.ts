import { describe, expect, test } from 'vitest'
import { reference, run, runWhole } from './support/program-test.ts'
import { rulesThat, settingsFor } from './support/program.ts'
import { expectToldOnce } from './support/refused.ts'

describe('without a target', () => {
  test('the embedded service is judged on request, even in a pipeline', async () => {
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
    async (args) => {
      const { code, stderr } = await run([...args, '--base-url', 'embedded'])

      expect([code, stderr]).toEqual([0, expect.stringContaining('EMBEDDED REFERENCE SERVICE')])
    },
  )
})

describe('a base URL that contains the path of the endpoint', () => {
  test.for(['/api', '/api/customizations', '/api/customizations/list'])(
    '%s is a mistake if the service answers without it',
    async (path) => {
      const service = await reference()
      const env = { ...settingsFor(service), TARGET_BASE_URL: `${service.baseUrl}${path}` }
      const { code, stdout, stderr, verdict } = await run([], { env })

      expect(code).toBe(2)
      expect(stderr).toContain(`did you mean ${service.baseUrl}?`)
      expect(stderr).toContain('One mistake in the settings; 2 requests were sent to find out.')
      expectToldOnce({ stdout, stderr })
      expect([verdict?.verdict, verdict?.exitCode, verdict?.requests.sent]).toEqual(['error', 2, 2])
      expect(service.requests()).toBe(2)
    },
  )

  test('is judged if the service answers with it', async () => {
    const service = await reference({ variant: 'path-prefix-with-escapes' })
    const { code } = await run(['--only', 'authentication/api-key-missing'], { env: settingsFor(service) })

    expect(code).toBe(0)
  })
})
