import { setTimeout as sleep } from 'node:timers/promises'
import {
  startReference,
  type ReferenceOptions,
  type ReferenceService,
} from '../../lib/serve/reference/service.ts'
import { expectConformant, expectIncomplete, runner, test } from '../support/program-test.ts'
import { ruleIn } from '../support/program.ts'
import { runInProcess } from '../support/in-process.ts'
import { gateways } from './gateways.ts'
import { describeWith } from './installed.ts'
import { behind, hostOfItsOwn } from './staging.ts'

/** Most of these runs wait for a service that is gone. */
const run = runner(6, runInProcess)

const gatewaySentence = /a gateway answered 50[23] in the place of the service/

for (const gateway of gateways) {
  describeWith(gateway.program, `what ${gateway.name} answers by itself is not the service's:`, () => {
    test('refused values and targets', async ({ reference, onTestFinished, expect }) => {
      const service = await reference()
      const { settings } = await behind({ gateway, service }, onTestFinished)

      const result = await run(['--strict', '--only', 'fuzz/*', '--max-requests', '5000'], {
        env: { ...settings, RUN_FUZZ_CASES: '300' },
      })

      const { verdict } = result
      expect(ruleIn(verdict, 'fuzz/headers')).toMatchObject({ status: 'passed', findings: [] })
      expect(ruleIn(verdict, 'fuzz/query')).toMatchObject({ status: 'passed', findings: [] })
      // Some never came to the service.
      expect(service.requests()).toBeLessThan(verdict?.requests.sent ?? 0)
      expect(result.code).toBe(0)
    })

    test('the service restarts', async ({ reference, onTestFinished, expect }) => {
      let again: ReferenceService | null = null
      onTestFinished(() => again?.close())
      const service: ReferenceService = await reference(
        goingAt(
          100,
          () => service,
          async () => {
            await sleep(1_500)
            const { hostname, port } = new URL(service.baseUrl)
            again = await startReference({ host: hostname, port: Number(port) })
          },
        ),
      )
      const { settings } = await behind({ gateway, service }, onTestFinished)

      const result = await run(['--strict'], { env: settings })

      expect(again, 'it restarted').not.toBeNull()
      expectConformant(expect, result)
    })

    test('the service is gone for good', async ({ reference, onTestFinished, expect }) => {
      const service: ReferenceService = await reference(goingAt(60, () => service))
      const { settings } = await behind({ gateway, service }, onTestFinished)

      const result = await run([], { env: settings })

      expectIncomplete(expect, result, ['stopped answering plain valid requests'])
      expect(unwrapped(result.stdout)).toMatch(gatewaySentence)
    })

    test('the service was never there', async ({ reference, onTestFinished, expect }) => {
      const service = await reference({ host: hostOfItsOwn() })
      const { settings } = await behind({ gateway, service }, onTestFinished)
      await service.close()

      const result = await run([], { env: settings })

      expectIncomplete(expect, result, [])
      expect(unwrapped(result.stdout)).toMatch(gatewaySentence)
    })
  })
}

/** Options of a service that stops listening at its nth request, unanswered; `then` is not waited for. */
function goingAt(
  nth: number,
  service: () => ReferenceService,
  then: () => Promise<void> = () => Promise.resolve(),
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

/** What a terminal says, wherever its lines were broken. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
