import type { ReferenceOptions, ReferenceService } from '../../lib/serve/reference/service.ts'
import { expectConformant, expectIncomplete, run, test as base } from '../support/program-test.ts'
import { ruleIn, rulesThat } from '../support/program.ts'
import { gateways } from './gateways.ts'
import { describeWith, pathOf } from './installed.ts'
import { behind, hostOfItsOwn, startTinyproxy, type RunningProxy, type Staging } from './staging.ts'

/** The forward proxy tunnels to a gateway that speaks TLS. */
const program = pathOf('nginx') === null ? 'nginx' : 'tinyproxy'

interface Beyond extends Staging {
  readonly service: ReferenceService
  readonly proxy: RunningProxy
  readonly HTTPS_PROXY: string
}

const test = base.extend<{
  readonly beyondProxy: (options?: ReferenceOptions, allowedPort?: number) => Promise<Beyond>
}>({
  beyondProxy: async ({ reference, onTestFinished }, use) => {
    await use(async (options, allowedPort) => {
      const service = await reference(options)
      const staging = await behind(gateways.nginx, service, { onTestFinished })
      const proxy = await startTinyproxy(allowedPort ?? staging.port, onTestFinished)
      return { ...staging, service, proxy, HTTPS_PROXY: `http://${proxy.at}` }
    })
  },
})

describeWith(program, 'through tinyproxy, to a service behind nginx,', () => {
  test('a conformant service is conformant', async ({ beyondProxy, expect }) => {
    const { proxy, settings, target, HTTPS_PROXY } = await beyondProxy()

    const result = await run(['--strict', '--fuzz-cases', '60', '--max-requests', '2000'], {
      env: { ...settings, HTTPS_PROXY },
    })

    // Requests that only the raw socket can send do not go through a proxy.
    expectConformant(expect, result, ['fuzz/headers'])
    expect(new Set(await proxy.tunnels())).toEqual(new Set([target]))
  })

  test('the suite finds a fault', async ({ beyondProxy, expect }) => {
    const { settings, HTTPS_PROXY } = await beyondProxy({ faults: ['missing-api-key-called-invalid'] })

    const { code, verdict } = await run([], { env: { ...settings, HTTPS_PROXY } })

    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(ruleIn(verdict, 'endpoints/list-succeeds').status).toBe('passed')
    expect(code).toBe(1)
  })

  test('NO_PROXY bypasses the proxy', async ({ beyondProxy, expect }) => {
    const { proxy, settings, HTTPS_PROXY } = await beyondProxy()

    const result = await run(['--strict'], {
      env: { ...settings, HTTPS_PROXY, NO_PROXY: 'staging.example,127.0.0.1' },
    })

    expectConformant(expect, result)
    expect(await proxy.tunnels()).toEqual([])
  })

  test('a proxy that is down is reported', async ({ beyondProxy, expect }) => {
    const { service, settings } = await beyondProxy()
    const nobody = `${hostOfItsOwn()}:8888`

    const result = await run([], { env: { ...settings, HTTPS_PROXY: `http://${nobody}` } })

    expectIncomplete(expect, result, [`the proxy (HTTPS_PROXY): nothing is listening on ${nobody}`])
    expect(service.requests()).toBe(0)
  })

  test('a proxy that refuses a tunnel to this port is reported', async ({ beyondProxy, expect }) => {
    const { service, proxy, settings, target, HTTPS_PROXY } = await beyondProxy({}, 443)

    const result = await run([], { env: { ...settings, HTTPS_PROXY } })

    expectIncomplete(expect, result, [`the proxy ${proxy.at} refused a tunnel to ${target} (status 403)`])
    expect(service.requests()).toBe(0)
  })

  test('a service that is gone is reported, and the proxy is not blamed', async ({ beyondProxy, expect }) => {
    const { service, settings, HTTPS_PROXY } = await beyondProxy({ host: hostOfItsOwn() })
    await service.close()

    const result = await run([], { env: { ...settings, HTTPS_PROXY } })

    expectIncomplete(expect, result, ['a gateway answered 502 in place of the service'])
  })
})
