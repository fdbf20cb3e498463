import { join } from 'node:path'
import { describe } from 'vitest'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { profiles } from '../lib/settings/profiles.ts'
import { ruleIds, type RuleId } from '../lib/specification/rules.ts'
import { run, test } from './support/program-test.ts'
import { emptyFolder, rulesThat, settingsFor } from './support/program.ts'

/** Rules that a run with every fixture cannot judge, and what they lack. Each is judged below by a run that is given it. */
const lacking: readonly (readonly [RuleId, string])[] = [
  ['tolerance/no-breaking-change', 'no baseline is given (RUN_BASELINE)'],
]

/** A rule that an acceptance alone judges. */
const inAcceptance: readonly (readonly [RuleId, string])[] = [
  ['conventions/http-messages', 'only an acceptance asks (--profile acceptance)'],
]

/** A rule that says it holds, and has looked at no answer. */
function passedUnseen(verdict: Verdict | null): readonly RuleId[] {
  return (verdict?.rules ?? [])
    .filter(({ status, answers }) => status === 'passed' && answers === 0)
    .map(({ id }) => id)
}

describe.concurrent('every rule is given a status', () => {
  for (const profile of Object.keys(profiles)) {
    test(`by ${profile}, and passes only by answers that it has seen`, async ({ reference, expect }) => {
      const service = await reference()

      // How many cases are generated makes no difference here, but for how long it takes.
      const flags = ['--profile', profile, '--fuzz-cases', '20']
      const { verdict } = await run(flags, { env: settingsFor(service) })

      expect(verdict?.rules.map(({ id }) => id)).toEqual(ruleIds)
      expect(
        verdict?.rules.filter(({ status }) => status !== 'passed').map(({ id, because }) => [id, because]),
      ).toEqual(profile === 'acceptance' ? lacking : [...inAcceptance, ...lacking])
      expect(passedUnseen(verdict)).toEqual([])
    })
  }

  test('by a gate with a baseline, but for what an acceptance alone asks', async ({ reference, expect }) => {
    const service = await reference()
    const cwd = await emptyFolder()
    const env = { ...settingsFor(service), RUN_BASELINE: join(cwd, 'baseline.json') }
    await run([], { cwd, env })

    const { code, verdict } = await run([], { cwd, env })

    const asked = ruleIds.filter((id) => !inAcceptance.some(([one]) => one === id))
    expect([code, rulesThat(verdict, 'passed')]).toEqual([0, asked])
    expect(passedUnseen(verdict)).toEqual([])
  })
})

describe.concurrent('a rule that is judged alone', () => {
  test.for(ruleIds)('%s passes only by answers that it has seen', async (rule, { reference, expect }) => {
    const service = await reference()

    const { verdict } = await run(['--only', rule], { env: settingsFor(service) })

    expect(verdict?.rules.map(({ id }) => id)).toEqual([rule])
    expect(passedUnseen(verdict)).toEqual([])
  })
})
