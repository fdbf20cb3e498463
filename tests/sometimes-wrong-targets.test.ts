import { describe } from 'vitest'
import { findFault } from '../lib/reference/faults/find-fault.ts'
import { ruleIn, rulesThat, settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

describe.concurrent('wrong only sometimes, and blamed all the same:', () => {
  for (const name of [
    'list-fails-every-ninth-time',
    'connection-stays-authenticated',
    'success-cached-by-url',
    'answers-crossed-in-flight',
  ]) {
    test(name, async ({ reference, expect }) => {
      const service = await reference({ faults: [name] })

      const { code, verdict, stdout } = await run([], { env: settingsFor(service) })

      expect(rulesThat(verdict, 'failed')).toEqual(expect.arrayContaining([...findFault(name).rules]))
      expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
      for (const id of findFault(name).rules) expect(stdout).toContain(id)
      expect(code).toBe(1)
    })
  }

  test('an answer that is wrong every ninth time is called intermittent', async ({ reference, expect }) => {
    const service = await reference({ faults: ['list-fails-every-ninth-time'] })

    const { verdict, stdout } = await run([], { env: settingsFor(service) })

    const [finding] = ruleIn(verdict, 'endpoints/list-succeeds').findings
    expect(finding?.summary).toContain('answered 500')
    expect(finding?.reproduced).toMatch(/^[12] of 3$/)
    expect(stdout).toContain(`reproduced  ${finding?.reproduced ?? ''}`)
  })

  test('a wrong code that comes once in a run is a violation, met once', async ({ reference, expect }) => {
    let done = false
    const service = await reference({
      intervene: ({ headers }, response) => {
        if (done || headers['x-api-key'] !== undefined) return false
        done = true
        const body = JSON.stringify({ error_code: '1002', error_message: 'wrong this once' })
        response.writeHead(400, { 'content-type': 'application/json' }).end(body)
        return true
      },
    })

    const { code, verdict } = await run(['--only', 'authentication/api-key-missing'], {
      env: settingsFor(service),
    })

    const { status, findings } = ruleIn(verdict, 'authentication/api-key-missing')
    expect(status).toBe('failed')
    expect(findings.map(({ reproduced, count }) => ({ reproduced, count }))).toEqual([
      { reproduced: '1 of 3', count: 1 },
    ])
    expect(code).toBe(1)
  })
})
