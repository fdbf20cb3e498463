import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startService } from '../lab/service/start.ts'
import { traceIdOf } from '../lib/http/trace.ts'
import { runInProcess } from './support/in-process.ts'
import { emptyFolder, rulesThat, settingsFor, type ProgramResult } from './support/program.ts'

const ofOurs = /^00-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-01$/

/** Runs the program against a service that gives each answer an id. Collects the traceparent of each request, or null. */
async function recorded(faults: readonly string[], ...args: readonly string[]) {
  const arrived: (string | null)[] = []
  const service = await startService({
    faults,
    intervene: ({ headers }, response) => {
      const { traceparent } = headers
      arrived.push(typeof traceparent === 'string' ? traceparent : null)
      response.setHeader('x-request-id', `req-${arrived.length}`)
      return false
    },
  })
  onTestFinished(() => service.close())
  const cwd = await emptyFolder()
  const run = (...more: readonly string[]): Promise<ProgramResult> =>
    runInProcess(more, { cwd, env: settingsFor(service) })
  const result = await run(...args)
  const ids = arrived.map((value) => ofOurs.exec(value ?? '')?.[1] ?? null)
  return { result, run, arrived, ids, cwd }
}

describe('--trace', () => {
  test('sends an id with each case, derived from seed, rule and case, and changes no status', async () => {
    const few = ['--only', 'authentication/*,versioning/*,errors/*,fuzz/headers,fuzz/api-key']
    const plain = await recorded([], ...few)
    const one = await recorded([], ...few, '--trace')
    const other = await recorded([], ...few, '--trace')

    expect(one.result).toMatchObject({ code: 0, verdict: { verdict: 'conformant' } })
    expect(rulesThat(one.result.verdict, 'passed')).toEqual(rulesThat(plain.result.verdict, 'passed'))
    expect(one.arrived.length).toBe(plain.arrived.length)
    expect(plain.ids.filter((id) => id !== null).length).toBeLessThan(10)
    // Health checks belong to no case. Requests that are sent byte for byte or have their own trace stay unchanged.
    expect(one.ids.filter((id) => id !== null).length).toBeGreaterThan(0.8 * one.ids.length)
    expect(one.ids.map(String).toSorted()).toEqual(other.ids.map(String).toSorted())
    expect(new Set(one.ids).size).toBeGreaterThan(50)
  })

  test('uses one id for a finding everywhere, and reports also show the service’s id', async () => {
    const only = 'authentication/api-key-missing'
    const { result, run, ids, arrived, cwd } = await recorded(
      ['missing-api-key-called-invalid'],
      '--only',
      only,
      '--trace',
    )
    const [finding] = result.verdict?.rules.find(({ id }) => id === only)?.findings ?? []
    const id = traceIdOf(finding?.case ?? '')

    expect(finding?.trace).toEqual({ id })
    expect(ids.filter((one) => one === id).length).toBeGreaterThanOrEqual(3)
    expect(finding?.curl).toContain(`-H 'traceparent: 00-${id}-`)
    for (const name of ['index.html', 'junit.xml']) {
      const report = await readFile(join(cwd, 'reports', name), 'utf8')
      expect(report, name).toContain(id)
      expect(report, name).toMatch(/x-request-id: req-\d+/)
    }

    const before = arrived.length
    expect(finding?.replay).toContain('--trace')
    await run('replay', finding?.case ?? '', '--trace')
    expect(arrived.slice(before).map((value) => ofOurs.exec(value ?? '')?.[1])).toContain(id)
  })
})
