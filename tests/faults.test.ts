import { describe, test } from 'vitest'
import { faults } from '../lib/reference/faults/all-faults.ts'
import { startReference } from '../lib/reference/service.ts'
import { ruleOf } from '../lib/spec/rules.ts'
import { atMost } from './at-most.ts'
import { rulesThat, runProgram, settingsFor } from './program.ts'

/** Each run keeps a core busy for a second or two; more at once would only wait for each other. */
const inTurn = atMost(3)
/** A gate is enough for most; what takes more cases runs as an acceptance, whole, since that judges no part by itself. */
const named = faults.map(({ name, rules, profile = 'gate' }) => ({ name, rules, profile }))

describe.concurrent('the whole program notices each fault, by a rule that is named for it', () => {
  test.for(named)('$name', { timeout: 600_000 }, async ({ name, rules, profile }, { expect }) => {
    await inTurn(async () => {
      const service = await startReference({ faults: [name] })
      try {
        const { code, verdict, stderr } = await runProgram([], {
          env: { ...settingsFor(service), RUN_TIMEOUT_MS: '1000', RUN_PROFILE: profile },
        })
        const red = rulesThat(verdict, 'failed', 'warned')
        const violated = rulesThat(verdict, 'failed')

        expect(stderr).toBe('')
        expect(
          rules.filter((rule) => red.includes(rule)),
          `red: ${red.join(', ')}`,
        ).not.toEqual([])
        // A breach of implied rules alone is a warning, and stops no deploy.
        if (rules.every((rule) => ruleOf(rule).level === 'documented')) expect(violated).not.toEqual([])
        expect(code).toBe(violated.length > 0 ? 1 : 0)
      } finally {
        await service.close()
      }
    })
  })
})
