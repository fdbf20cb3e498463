import { findFault } from '../../lab/service/find.ts'
import { rulesThat } from '../support/program.ts'
import { run, test } from '../support/program-test.ts'
import { gateways } from './gateways.ts'
import { describeWith } from './installed.ts'
import { behind } from './staging.ts'

/** One that only fuzzing meets or a cache makes, and one that shows on a connection that a gateway uses again. */
const faultsBehind: Readonly<Record<string, readonly string[]>> = {
  nginx: ['api-key-null-taken-for-any', 'list-fails-late-on-connection'],
  haproxy: ['api-key-with-quote-fails', 'error-code-is-a-number-on-reused-connection'],
  caddy: ['api-key-quotes-stripped', 'list-fails-late-on-connection'],
  apache2: ['success-cached-by-url', 'error-code-is-a-number-on-reused-connection'],
}

for (const gateway of gateways) {
  describeWith(gateway.program, `a fault behind ${gateway.name} is found:`, () => {
    test.for(faultsBehind[gateway.program] ?? [])(
      '%s',
      async (fault, { reference, onTestFinished, expect }) => {
        const service = await reference({ faults: [fault] })
        const { settings } = await behind({ gateway, service }, onTestFinished)

        const { code, verdict } = await run([], { env: settings })
        const violated = rulesThat(verdict, 'failed')

        expect(
          findFault(fault).rules.filter((rule) => violated.includes(rule)),
          `red: ${violated.join(', ')}`,
        ).not.toEqual([])
        expect(code).toBe(1)
      },
    )
  })
}
