import { expectConformant, run, test } from '../support/program-test.ts'
import { gateways } from './gateways.ts'
import { describeWith } from './installed.ts'
import { chosenProtocol, fieldOfList } from './over-tls.ts'
import { authority, behind, portOf } from './staging.ts'

for (const gateway of gateways) {
  describeWith(gateway.program, `a conformant service behind ${gateway.name} is conformant`, () => {
    // A gate asks a part of this, and what a night asks beyond is in `own-answers.test.ts`.
    test('in acceptance', async ({ reference, onTestFinished, expect }) => {
      const service = await reference()
      const { settings } = await behind({ gateway, service }, onTestFinished)

      const result = await run(['--profile', 'acceptance'], { env: settings })

      expectConformant(expect, result)
    })

    test('where it is hardened as is common', async ({ reference, onTestFinished, expect }) => {
      const service = await reference()
      const { settings } = await behind({ gateway, service, more: gateway.hardened }, onTestFinished)

      // Below what a gateway that limits the rate lets through.
      const result = await run(['--strict', '--max-rps', '100'], { env: settings })

      expectConformant(expect, result)
    })

    test('where it offers HTTP/2, and compresses for who asks', async ({
      reference,
      onTestFinished,
      expect,
    }) => {
      const service = await reference()
      const { gateway: running, settings } = await behind({ gateway, service }, onTestFinished)
      const { certificates } = authority()
      const port = portOf(running.baseUrl)

      const [both, old, coding] = await Promise.all([
        chosenProtocol(port, certificates.ca, ['h2', 'http/1.1']),
        chosenProtocol(port, certificates.ca, ['http/1.1']),
        fieldOfList(port, certificates.ca, service.clients.permitted, 'content-encoding'),
      ])
      const result = await run(['--only', 'endpoints/*,conventions/*'], { env: settings })

      expect({ both, old, coding }).toEqual({ both: 'h2', old: 'http/1.1', coding: 'gzip' })
      expect(result.code).toBe(0)
    })
  })
}
