import { describe } from 'vitest'
import { runWideChecks } from '../lib/judge/run-wide.ts'
import { holds, type Check } from '../lib/judge/judge.ts'
import { example } from '../lib/session/cases.ts'
import { runWideRules, type RunWideRuleId } from '../lib/spec/rules.ts'
import { flawedRequests } from '../lib/suite/flawed-requests.ts'
import { sumOfRun } from '../lib/suite/rule.ts'
import type { SuiteContext } from '../lib/suite/suite-context.ts'

// Judged on every exchange of the run as it came, and summed up here when all other rules have ended.
describe('Every answer of the run', () => {
  for (const rule of runWideRules) {
    sumOfRun(rule, (context) => (isAlone(context) ? oneOfEach(context, rule) : []))
  }
})

/** Whether no rule is selected that sends requests of its own. */
function isAlone({ settings }: SuiteContext): boolean {
  return settings.run.selected.every((id) => runWideRules.some((rule) => rule === id))
}

/** A success and an answer to every flaw that can be sent: what the rule is judged on when it is judged alone. */
function oneOfEach(context: SuiteContext, rule: RunWideRuleId): ReturnType<typeof example>[] {
  // The session judges every exchange by the rule itself, so that nothing is left to demand here.
  const check: Check = { allowed: [], judge: (exchange) => runWideChecks[rule](exchange) ?? holds }
  return context.endpoints.flatMap((endpoint) => [
    example(endpoint.named('valid'), endpoint.request, check),
    ...flawedRequests(context, endpoint).map(({ name, stimulus }) =>
      example(endpoint.named(name), stimulus, check),
    ),
  ])
}
