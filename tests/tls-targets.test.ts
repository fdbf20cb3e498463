import { describe } from 'vitest'
import { overTls } from './proof/targets/tls.ts'
import { ruleIn, rulesThat } from './program.ts'
import { run, test } from './program-test.ts'

// What cannot be judged over TLS is in proof/targets.
describe.concurrent('over TLS', () => {
  test('nothing is sent where the authority is not trusted', async ({ onTestFinished, expect }) => {
    let sent = 0
    const intervene = (): boolean => {
      sent += 1
      return false
    }
    const target = await overTls({ certificate: 'local', trusted: false, reference: { intervene } })
    onTestFinished(target.close)

    const { code } = await run([], { env: target.env })

    expect(code).toBe(3)
    expect(sent).toBe(0)
  })

  test('the same service is judged once its authority is given', async ({ onTestFinished, expect }) => {
    const reference = { faults: ['missing-api-key-called-invalid'] }
    const target = await overTls({ certificate: 'local', trusted: true, reference })
    onTestFinished(target.close)

    const { code, verdict } = await run([], { env: target.env })

    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(ruleIn(verdict, 'endpoints/list-succeeds').status).toBe('passed')
    expect(code).toBe(1)
  })
})
