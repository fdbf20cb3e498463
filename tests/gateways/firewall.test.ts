import { expectConformant, run, test } from '../support/program-test.ts'
import { ruleIn } from '../support/program.ts'
import { describeWith } from './installed.ts'
import { modSecurity } from './mod-security.ts'
import { behind } from './staging.ts'

/** A release asks in every profile, by five seeds. */
const isRelease = (process.env['TESTS_RELEASE'] ?? '') !== ''
const profiles = isRelease ? ['gate', 'acceptance', 'nightly'] : ['gate']
const seeds = isRelease ? [1, 2, 3, 4, 5] : [1]
const runs = profiles.flatMap((profile) => seeds.map((seed) => [profile, String(seed)] as const))

describeWith(modSecurity.program, 'behind the OWASP Core Rule Set in its defaults', () => {
  const title = 'a conformant service is conformant: %s, seed %s'
  test.for(runs)(title, async ([profile, seed], { reference, onTestFinished, expect }) => {
    const service = await reference()
    const { gateway, settings } = await behind({ gateway: modSecurity, service }, onTestFinished)

    const result = await run(['--strict', '--profile', profile, '--seed', seed], { env: settings })

    expectConformant(expect, result)
    // It was there, and refused by itself what it may.
    expect(await gateway.log()).toMatch(/ModSecurity: Access denied with code 403/)
  })

  test('a fault is found', async ({ reference, onTestFinished, expect }) => {
    const service = await reference({ faults: ['api-key-quotes-stripped'] })
    const { settings } = await behind({ gateway: modSecurity, service }, onTestFinished)

    const { code, verdict } = await run([], { env: settings })

    expect(code).toBe(1)
    expect(ruleIn(verdict, 'fuzz/api-key').status).toBe('failed')
  })
})
