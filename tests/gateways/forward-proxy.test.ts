import { expect, test } from 'vitest'
import type { ReferenceOptions } from '../../lib/serve/reference/service.ts'
import { expectConformant, expectIncomplete } from '../support/program-test.ts'
import { ruleIn, rulesThat } from '../support/program.ts'
import { behind, gateways, hostOfItsOwn, startTinyproxy } from './gateways.ts'
import { describeWith, pathOf } from './installed.ts'

/** The forward proxy tunnels to a gateway that speaks TLS. */
const program = pathOf('nginx') === null ? 'nginx' : 'tinyproxy'

/** A service behind nginx and tinyproxy, which tunnels to the gateway or only to another port. */
async function beyondProxy(options: ReferenceOptions = {}, allowedPort?: number) {
  const staging = await behind(gateways.nginx, options)
  const proxy = await startTinyproxy(allowedPort ?? staging.port)
  const through = (words = '', env: Readonly<Record<string, string>> = {}) =>
    staging.run(words, { HTTPS_PROXY: `http://${proxy.at}`, ...env })
  return { ...staging, proxy, through }
}

describeWith(program, 'through tinyproxy, to a service behind nginx,', () => {
  test('a conformant service is conformant', async () => {
    const { proxy, target, through } = await beyondProxy()

    const result = await through('--strict --fuzz-cases 60 --max-requests 2000')

    // Requests that only the raw socket can send do not go through a proxy.
    expectConformant(result, ['fuzz/headers'])
    expect(new Set(await proxy.tunnels())).toEqual(new Set([target]))
  })

  test('the suite finds a fault', async () => {
    const { through } = await beyondProxy({ faults: ['missing-api-key-called-invalid'] })

    const { code, verdict } = await through()

    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(ruleIn(verdict, 'endpoints/list-succeeds').status).toBe('passed')
    expect(code).toBe(1)
  })

  test('NO_PROXY bypasses the proxy', async () => {
    const { proxy, through } = await beyondProxy()

    expectConformant(await through('--strict', { NO_PROXY: 'staging.example,127.0.0.1' }))
    expect(await proxy.tunnels()).toEqual([])
  })

  test('a proxy that refuses a tunnel to this port is reported', async () => {
    const { service, proxy, target, through } = await beyondProxy({}, 443)

    const result = await through()

    expectIncomplete(result, [`the proxy ${proxy.at} refused a tunnel to ${target} (status 403)`])
    expect(service.requests()).toBe(0)
  })

  test('a service that is gone is reported, and the proxy is not blamed', async () => {
    const { service, through } = await beyondProxy({ host: hostOfItsOwn() })
    await service.close()

    expectIncomplete(await through(), ['a gateway answered 502 in place of the service'])
  })
})
