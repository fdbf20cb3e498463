import { describe } from 'vitest'
import { serve } from '../lib/http/testing/servers.ts'
import { expectIncomplete, run, runWhole, test } from './program-test.ts'
import type { RunningTarget } from './proof/target.ts'
import { targets } from './proof/targets/all-targets.ts'
import { client } from './proof/targets/serving.ts'
import { ruleIn, rulesThat } from './program.ts'

// Those that are gone, or no HTTP, or endless, are in proof/targets.
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

  test('with 500 and a page', async ({ onTestFinished, expect }) => {
    const answer = 'HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<b>no</b>'
    const { port } = await serve((socket) => socket.write(answer), { onFinished: onTestFinished })

    const { code, verdict } = await run([], {
      env: { TARGET_BASE_URL: `http://127.0.0.1:${port}`, ...client },
    })

    expect(rulesThat(verdict, 'failed')).toEqual(
      expect.arrayContaining([
        'endpoints/list-succeeds',
        'errors/documented-pairs',
        'conventions/json-response',
      ]),
    )
    expect(code).toBe(1)
  })
})

function startTarget(wanted: string): Promise<RunningTarget> {
  const found = targets.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`there is no target ${wanted}`)
  return found.start()
}
