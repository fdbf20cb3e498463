import { describe } from 'vitest'
import { settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

describe.concurrent('a base URL that holds the path of the endpoint', () => {
  test.for(['/api', '/api/customizations', '/api/customizations/list'])(
    '%s is a mistake where the service answers without it',
    async (path, { reference, expect }) => {
      const service = await reference()
      const env = { ...settingsFor(service), TARGET_BASE_URL: `${service.baseUrl}${path}` }
      const { code, stderr, verdict } = await run([], { env })

      expect(code).toBe(2)
      expect(stderr).toContain(`did you mean ${service.baseUrl}?`)
      expect([verdict?.verdict, verdict?.exitCode, verdict?.requests.sent]).toEqual(['error', 2, 0])
      expect(service.requests()).toBe(2)
    },
  )

  test('is judged where the service answers with it', async ({ reference, expect }) => {
    const service = await reference({ variant: 'path-prefix-with-escapes' })
    const { code } = await run(['--only', 'authentication/api-key-missing'], { env: settingsFor(service) })

    expect(code).toBe(0)
  })
})
