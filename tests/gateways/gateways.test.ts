import { expect, onTestFinished, test } from 'vitest'
import { findFault } from '../../lab/service/find.ts'
import { startReference, type ReferenceService } from '../../lib/serve/reference/service.ts'
import { expectConformant, expectEnds, expectIncomplete } from '../support/program-test.ts'
import { ruleIn, rulesThat, type ProgramResult } from '../support/program.ts'
import { behind, chosenProtocol, codingOfList, firewall, gateways, hostOfItsOwn } from './gateways.ts'
import { startTinyproxy } from './gateways.ts'
import type { Gateway, Staging } from './gateways.ts'
import { demands, describeWith } from './installed.ts'

/** Faults that only fuzzing, a cache or a reused connection reveals. */
const faultsBehind: readonly (readonly [Gateway, string])[] = [
  [gateways.nginx, 'list-fails-late-on-connection'],
  [gateways.haproxy, 'error-code-is-a-number-on-reused-connection'],
  [gateways.caddy, 'api-key-quotes-stripped'],
  [gateways.apache2, 'success-cached-by-url'],
  [firewall, 'api-key-quotes-stripped'],
]

for (const [gateway, fault] of faultsBehind) {
  describeWith(gateway.program, `behind ${gateway.name}`, () => {
    test(`the suite finds a fault: ${fault}`, async () => {
      const { run } = await behind(gateway, { faults: [fault] })

      const result = await run()

      expectEnds(result, 1)
      const violated = rulesThat(result.verdict, 'failed')
      const meant = findFault(fault).rules.filter((rule) => violated.includes(rule))
      expect(meant, `red: ${violated.join(', ')}`).not.toEqual([])
    })
  })
}

for (const gateway of Object.values(gateways)) {
  describeWith(gateway.program, `behind ${gateway.name}`, () => {
    // A gate sends a part of this. What a nightly run adds is among the refused values below.
    test('a conformant service is conformant in acceptance, even with HTTP/2 and compression', async () => {
      const staging = await behind(gateway)

      expectConformant(await staging.run('--profile acceptance'))
      expect(await chosenProtocol(staging.port, ['h2', 'http/1.1'])).toBe('h2')
      expect(await chosenProtocol(staging.port, ['http/1.1'])).toBe('http/1.1')
      expect(await codingOfList(staging)).toBe('gzip')
    })

    test('with common hardening, a conformant service is conformant', async () => {
      const { run } = await behind(gateway, {}, ['hardened'])

      // Below the rate limit of the gateway.
      expectConformant(await run('--strict --max-rps 100'))
    })

    test('values and targets that the gateway itself refuses are not blamed on the service', async () => {
      const { service, run } = await behind(gateway)

      const result = await run('--strict --max-requests 5000 --only fuzz/* --fuzz-cases 300')

      expectEnds(result, 0)
      for (const id of ['fuzz/headers', 'fuzz/query'] as const)
        expect(ruleIn(result.verdict, id)).toMatchObject({ status: 'passed', findings: [] })
      // Some requests never reached the service.
      expect(service.requests()).toBeLessThan(result.verdict?.requests.sent ?? 0)
    })

    test('a service that restarts is conformant', async () => {
      let again: ReferenceService | null = null
      onTestFinished(() => again?.close())
      const staging: Staging = await behindUntil(gateway, 100, async ({ service, log }) => {
        // The gateway has reported that the service is gone.
        await expect.poll(() => log()).toMatch(/\b50[23]\b/)
        const { hostname, port } = new URL(service.baseUrl)
        again = await startReference({ host: hostname, port: Number(port) })
      })

      const result = await staging.run('--strict')

      expect(again, 'the service restarted').not.toBeNull()
      expectConformant(result)
    })
  })
}

/** A service that leaves its nth request unanswered, stops listening and calls `then`. */
async function behindUntil(gateway: Gateway, nth: number, then: (staging: Staging) => unknown = () => null) {
  const staging: Staging = await behind(gateway, {
    host: hostOfItsOwn(),
    intervene: async () => {
      const { service } = staging
      if (service.requests() < nth) return false
      if (service.requests() === nth) await service.close().then(() => then(staging))
      return true
    },
  })
  return staging
}

const installed = Object.values(gateways).filter(({ program }) => demands(program))

test.skipIf(installed.length === 0).for([
  ['stops for good', ['stopped answering plain valid requests']],
  ['never answered', []],
] as const)('a service that %s is reported behind every gateway and not blamed', async ([ends, says]) => {
  const judged = async (gateway: Gateway): Promise<ProgramResult> => {
    const { service, run } = await behindUntil(gateway, 60)
    if (ends === 'never answered') await service.close()
    return run()
  }
  // A run waits long for a service that is gone, so all wait at once.
  for (const result of await Promise.all(installed.map(judged))) {
    expectIncomplete(result, says)
    expect(result.stdout).toMatch(/a\s+gateway\s+answered\s+50[23]\s+in\s+place\s+of\s+the\s+service/i)
  }
})

/** A release is tested in every profile with five seeds. */
const isRelease = (process.env['TESTS_RELEASE'] ?? '') !== ''
const profiles = isRelease ? ['gate', 'acceptance', 'nightly'] : ['gate']
const seeds = isRelease ? ['1', '2', '3', '4', '5'] : ['1']
const runs = profiles.flatMap((profile) => seeds.map((seed) => [profile, seed] as const))

describeWith(firewall.program, 'behind the OWASP Core Rule Set with its defaults', () => {
  test.for(runs)('a conformant service is conformant: %s, seed %s', async ([profile, seed]) => {
    const { log, run } = await behind(firewall)

    expectConformant(await run(`--strict --profile ${profile} --seed ${seed}`))
    // The firewall was active and itself refused some requests.
    expect(await log()).toMatch(/ModSecurity: Access denied with code 403/)
  })
})

// tests/connections.test.ts and lib/http/transport-tls.test.ts have what else proxies do.
describeWith(demands('nginx') ? 'tinyproxy' : 'nginx', 'through tinyproxy, to nginx', () => {
  test('a conformant service is conformant, and every connection is tunnelled', async () => {
    const { port, target, run } = await behind(gateways.nginx)
    const { at, tunnels } = await startTinyproxy(port)

    const result = await run('--strict --fuzz-cases 60 --max-requests 2000', { HTTPS_PROXY: `http://${at}` })

    // Requests that only the raw socket can send do not go through a proxy.
    expectConformant(result, ['fuzz/headers'])
    expect(new Set(await tunnels())).toEqual(new Set([target]))
  })
})
