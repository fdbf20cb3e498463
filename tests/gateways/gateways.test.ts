import { get } from 'node:https'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findFault } from '../../lab/service/find.ts'
import {
  startReference,
  type ReferenceOptions,
  type ReferenceService,
} from '../../lib/serve/reference/service.ts'
import { expectConformant, expectIncomplete, reference, run } from '../support/program-test.ts'
import { ruleIn, rulesThat, type ProgramResult } from '../support/program.ts'
import {
  behind,
  certificates,
  chosenProtocol,
  firewall,
  gateways,
  hostOfItsOwn,
  type Gateway,
} from './gateways.ts'
import { demands, describeWith } from './installed.ts'

/** For each gateway: a fault that only fuzzing or a cache reveals, and one that only a reused connection reveals. */
const faultsBehind: readonly (readonly [Gateway, readonly string[]])[] = [
  [gateways.nginx, ['api-key-null-taken-for-any', 'list-fails-late-on-connection']],
  [gateways.haproxy, ['api-key-with-quote-fails', 'error-code-is-a-number-on-reused-connection']],
  [gateways.caddy, ['api-key-quotes-stripped', 'list-fails-late-on-connection']],
  [gateways.apache2, ['success-cached-by-url', 'error-code-is-a-number-on-reused-connection']],
  [firewall, ['api-key-quotes-stripped']],
]

for (const [gateway, faults] of faultsBehind) {
  describeWith(gateway.program, `behind ${gateway.name}`, () => {
    test.for(faults)('the suite finds a fault: %s', async (fault) => {
      const service = await reference({ faults: [fault] })
      const { settings } = await behind(gateway, service)

      const { code, verdict } = await run([], { env: settings })

      const violated = rulesThat(verdict, 'failed')
      const meant = findFault(fault).rules.filter((rule) => violated.includes(rule))
      expect(meant, `red: ${violated.join(', ')}`).not.toEqual([])
      expect(code).toBe(1)
    })
  })
}

for (const gateway of Object.values(gateways)) {
  describeWith(gateway.program, `behind ${gateway.name}`, () => {
    // A gate sends a part of this. What a nightly run adds is among the refused values below.
    test('a conformant service is conformant in acceptance, even with HTTP/2 and compression', async () => {
      const service = await reference()
      const { settings, port } = await behind(gateway, service)

      const result = await run(['--profile', 'acceptance'], { env: settings })

      expectConformant(result)
      expect([
        await chosenProtocol(port, ['h2', 'http/1.1']),
        await chosenProtocol(port, ['http/1.1']),
        await codingOfList(port, service),
      ]).toEqual(['h2', 'http/1.1', 'gzip'])
    })

    test('with common hardening, a conformant service is conformant', async () => {
      const { settings } = await behind(gateway, await reference(), ['hardened'])

      // Below the rate limit of the gateway.
      const result = await run(['--strict', '--max-rps', '100'], { env: settings })

      expectConformant(result)
    })

    test('values and targets that the gateway itself refuses are not blamed on the service', async () => {
      const service = await reference()
      const { settings } = await behind(gateway, service)

      const env = { ...settings, RUN_ONLY: 'fuzz/*', RUN_FUZZ_CASES: '300' }
      const { code, verdict } = await run(['--strict', '--max-requests', '5000'], { env })

      expect(ruleIn(verdict, 'fuzz/headers')).toMatchObject({ status: 'passed', findings: [] })
      expect(ruleIn(verdict, 'fuzz/query')).toMatchObject({ status: 'passed', findings: [] })
      // Some requests never reached the service.
      expect(service.requests()).toBeLessThan(verdict?.requests.sent ?? 0)
      expect(code).toBe(0)
    })

    test('a service that restarts is conformant', async () => {
      let again: ReferenceService | null = null
      let log: () => Promise<string> = () => Promise.resolve('')
      onTestFinished(() => again?.close())
      const restart = async (): Promise<void> => {
        // The gateway has reported that the service is gone.
        await expect.poll(() => log()).toMatch(/\b50[23]\b/)
        const { hostname, port } = new URL(service.baseUrl)
        again = await startReference({ host: hostname, port: Number(port) })
      }
      const service: ReferenceService = await reference(goingAt(100, () => service, restart))
      const staging = await behind(gateway, service)
      log = staging.log

      const result = await run(['--strict'], { env: staging.settings })

      expect(again, 'the service restarted').not.toBeNull()
      expectConformant(result)
    })
  })
}

const installed = Object.values(gateways).filter(({ program }) => demands(program))

describe.skipIf(installed.length === 0)('behind every gateway', () => {
  test.for(['stops for good', 'never answered'])(
    'a service that %s is reported and not blamed',
    async (ends) => {
      const judged = async (gateway: Gateway): Promise<ProgramResult> => {
        const options = ends === 'never answered' ? { host: hostOfItsOwn() } : goingAt(60, () => service)
        const service: ReferenceService = await reference(options)
        const { settings } = await behind(gateway, service)
        if (ends === 'never answered') await service.close()
        return run([], { env: settings })
      }
      // A run waits long for a service that is gone, so all wait at once.
      for (const result of await Promise.all(installed.map(judged))) {
        expectIncomplete(result, ends === 'stops for good' ? ['stopped answering plain valid requests'] : [])
        expect(result.stdout).toMatch(/a\s+gateway\s+answered\s+50[23]\s+in\s+place\s+of\s+the\s+service/i)
      }
    },
  )
})

/** A release is tested in every profile with five seeds. */
const isRelease = (process.env['TESTS_RELEASE'] ?? '') !== ''
const profiles = isRelease ? ['gate', 'acceptance', 'nightly'] : ['gate']
const seeds = isRelease ? ['1', '2', '3', '4', '5'] : ['1']

describeWith(firewall.program, 'behind the OWASP Core Rule Set with its defaults', () => {
  test.for(profiles.flatMap((profile) => seeds.map((seed) => [profile, seed] as const)))(
    'a conformant service is conformant: %s, seed %s',
    async ([profile, seed]) => {
      const { log, settings } = await behind(firewall, await reference())

      const result = await run(['--strict', '--profile', profile, '--seed', seed], { env: settings })

      expectConformant(result)
      // The firewall was active and itself refused some requests.
      expect(await log()).toMatch(/ModSecurity: Access denied with code 403/)
    },
  )
})

/** The content coding of the answer to a plain valid request that accepts gzip, or undefined. */
async function codingOfList(port: number, { clients }: ReferenceService): Promise<string | undefined> {
  const { apiKey, secretKey } = clients.permitted
  const credentials = { 'x-api-key': apiKey, 'x-secret-key': secretKey }
  const headers = { ...credentials, 'x-version': '1', 'accept-encoding': 'gzip' }
  const path = '/api/customizations/list'
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, ca: certificates.ca, agent: false, path, headers })
    request.once('error', reject)
    request.once('response', (answer) => resolve(answer.resume().headers['content-encoding']))
  })
}

/** Options for a service that leaves its nth request unanswered, stops listening and calls `then`. */
function goingAt(
  nth: number,
  service: () => ReferenceService,
  then = () => Promise.resolve(),
): ReferenceOptions {
  return {
    host: hostOfItsOwn(),
    intervene: async () => {
      if (service().requests() < nth) return false
      if (service().requests() === nth) await service().close().then(then)
      return true
    },
  }
}
