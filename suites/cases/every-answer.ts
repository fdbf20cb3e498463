import { runWideChecks } from '../../lib/judge/run-wide.ts'
import { holds, type Check } from '../../lib/judge/judge.ts'
import { example, type Example } from '../../lib/engine/cases.ts'
import { runWideRules, type RunWideRuleId } from '../../lib/spec/rules.ts'
import { flawedRequests } from '../../lib/suite/flawed-requests.ts'
import type { SuiteRule } from '../../lib/engine/cases.ts'
import { rule } from '../../lib/suite/rule.ts'
import type { SuiteContext } from '../../lib/engine/suite-context.ts'

/** Declares a rule that every answer of the run is held against as it comes, and that is summed up when all others have ended. */
export function onEveryAnswer(id: RunWideRuleId): SuiteRule {
  return rule(id, (context) => (isAlone(context) ? oneOfEach(context, id) : []))
}

/** Whether no rule is selected that sends requests of its own. */
function isAlone({ settings }: SuiteContext): boolean {
  return settings.run.selected.every((id) => runWideRules.some((one) => one === id))
}

/** A success and an answer to every flaw that can be sent: what the rule is judged on when it is judged alone. */
function oneOfEach(context: SuiteContext, id: RunWideRuleId): readonly Example[] {
  // The session judges every exchange by the rule itself, so that nothing is left to demand here.
  const check: Check = { allowed: [], judge: (exchange) => runWideChecks[id](exchange) ?? holds }
  return context.endpoints.flatMap((endpoint) => [
    example(endpoint.named('valid'), endpoint.request, check),
    ...flawedRequests(context, endpoint).map(({ name, stimulus }) =>
      example(endpoint.named(name), stimulus, check),
    ),
  ])
}
