import type { onTestFinished } from 'vitest'
import type { ReferenceService } from '../../lib/serve/reference/service.ts'
import { expectConformant, expectIncomplete, run, test } from '../support/program-test.ts'
import { ruleIn, rulesThat } from '../support/program.ts'
import { describeWith, pathOf } from './installed.ts'
import { nginx } from './nginx.ts'
import { behind, hostOfItsOwn, portOf, type Staging } from './staging.ts'
import { startTinyproxy, type RunningProxy } from './tinyproxy.ts'

/** The forward proxy stands before a gateway that speaks TLS. */
const program = pathOf(nginx.program) === null ? nginx.program : 'tinyproxy'

describeWith(program, 'through tinyproxy, to a service behind nginx,', () => {
  test('a conformant service is conformant', async ({ reference, onTestFinished, expect }) => {
    const { proxy, settings, target } = await beyondProxy(await reference(), onTestFinished)

    const result = await run(['--strict', '--fuzz-cases', '60', '--max-requests', '2000'], {
      env: { ...settings, HTTPS_PROXY: proxy.url },
    })
    const tunnels = await proxy.tunnels()

    // What only the raw socket can send does not go through a proxy.
    expectConformant(expect, result, ['fuzz/headers'])
    expect(new Set(tunnels)).toEqual(new Set([target]))
  })

  test('a fault is found', async ({ reference, onTestFinished, expect }) => {
    const service = await reference({ faults: ['missing-api-key-called-invalid'] })
    const { proxy, settings } = await beyondProxy(service, onTestFinished)

    const { code, verdict } = await run([], { env: { ...settings, HTTPS_PROXY: proxy.url } })

    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(ruleIn(verdict, 'endpoints/list-succeeds').status).toBe('passed')
    expect(code).toBe(1)
  })

  test('NO_PROXY goes around it', async ({ reference, onTestFinished, expect }) => {
    const { proxy, settings } = await beyondProxy(await reference(), onTestFinished)

    const result = await run(['--strict'], {
      env: { ...settings, HTTPS_PROXY: proxy.url, NO_PROXY: 'staging.example,127.0.0.1' },
    })

    expectConformant(expect, result)
    expect(await proxy.tunnels()).toEqual([])
  })

  test('a proxy that is down is named', async ({ reference, onTestFinished, expect }) => {
    const service = await reference()
    const { settings } = await behind({ gateway: nginx, service }, onTestFinished)
    const nobody = `${hostOfItsOwn()}:8888`

    const result = await run([], { env: { ...settings, HTTPS_PROXY: `http://${nobody}` } })

    expectIncomplete(expect, result, [`the proxy (HTTPS_PROXY): nobody listens at ${nobody}`])
    expect(service.requests()).toBe(0)
  })

  test('a proxy that does not tunnel to this port is named', async ({
    reference,
    onTestFinished,
    expect,
  }) => {
    const service = await reference()
    const { settings, target } = await beyondProxy(service, onTestFinished)
    const proxy = await proxyTo([443], onTestFinished)

    const result = await run([], { env: { ...settings, HTTPS_PROXY: proxy.url } })

    expectIncomplete(expect, result, [`the proxy ${proxy.at} refused a tunnel to ${target} (status 403)`])
    expect(service.requests()).toBe(0)
  })

  test('a service that is gone is not taken for the proxy', async ({ reference, onTestFinished, expect }) => {
    const service = await reference({ host: hostOfItsOwn() })
    const { proxy, settings } = await beyondProxy(service, onTestFinished)
    await service.close()

    const result = await run([], { env: { ...settings, HTTPS_PROXY: proxy.url } })

    expectIncomplete(expect, result, ['a gateway answered 502 in the place of the service'])
  })
})

interface BeyondProxy extends Staging {
  readonly proxy: RunningProxy
  /** Host and port of the gateway. */
  readonly target: string
}

async function beyondProxy(
  service: ReferenceService,
  onFinished: typeof onTestFinished,
): Promise<BeyondProxy> {
  const staging = await behind({ gateway: nginx, service }, onFinished)
  const proxy = await proxyTo([portOf(staging.gateway.baseUrl)], onFinished)
  return { ...staging, proxy, target: new URL(staging.gateway.baseUrl).host }
}

async function proxyTo(ports: readonly number[], onFinished: typeof onTestFinished): Promise<RunningProxy> {
  const proxy = await startTinyproxy(ports)
  onFinished(() => proxy.close())
  return proxy
}
