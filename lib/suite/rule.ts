import { AssertionError } from 'node:assert'
import { test } from 'vitest'
import type { Finding, RuleResult, RunRecord } from '../judge/record.ts'
import { leastOf, requestsOf, type Case, type Untestable } from '../session/cases.ts'
import { judgeCases } from '../session/judge-rule.ts'
import type { PlannedRule } from '../session/plan.ts'
import type { Session } from '../session/session.ts'
import type { RunOver } from '../session/unjudged.ts'
import { settle } from '../session/settle.ts'
import { inShard } from '../session/shard.ts'
import { profiles } from '../settings/profiles.ts'
import { ruleOf, type RuleId } from '../spec/rules.ts'
import { runOfWorker, type RunOfWorker } from './run-of-worker.ts'
import type { SuiteContext } from './suite-context.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What the rule would send; known before anything is sent. */
    planned?: PlannedRule
    /** What became of the rule. */
    result?: RuleResult
    /** The run as a whole when the rule ended. */
    record?: RunRecord
  }
}

/** Makes the cases of a rule; called before anything is sent. */
export type CasesOf = (context: SuiteContext) => readonly Case[] | Untestable

/**
 * Declares a rule of the catalogue: its title is the catalogue's sentence, its cases are known before anything is sent, and
 * its test ends in exactly one status. A rule that the settings do not select is no test.
 */
export function rule(id: RuleId, casesOf: CasesOf): void {
  declare(id, casesOf, () => null)
}

/** Declares a rule that sums up what the whole run has met, after cases of its own, if it has any. */
export function sumOfRun(id: RuleId, casesOf: CasesOf): void {
  declare(id, casesOf, ({ over }) => over)
}

function declare(id: RuleId, casesOf: CasesOf, incomplete: (session: Session) => RunOver | null): void {
  const run = runOfWorker()
  if (!run.context.selects(id)) return

  const made = casesOf(run.context)
  const { shard } = run.settings.run
  const all = 'untested' in made ? [] : made
  const cases = all.filter((one) => inShard(shard, id, one.name))
  const elsewhere = shard !== null && all.length > 0 && cases.length === 0
  const untested =
    'untested' in made ? made.untested : elsewhere ? 'all of its cases are in other shards' : null
  const planned: PlannedRule = {
    id,
    untested,
    requests: cases.reduce((sum, one) => sum + requestsOf(one), 0),
    least: cases.reduce((sum, one) => sum + leastOf(one), 0),
  }

  const { says, when } = ruleOf(id)
  test(
    `${id}: ${says}`,
    { concurrent: when !== 'alone', meta: { planned } },
    async ({ task, signal, skip }) => {
      signal.addEventListener('abort', () => run.cancel(signal.reason), { once: true })
      const session = await run.session()
      session.budget.reserve(id, planned.requests)

      const left = await judgeCases(session, id, cases)
      const over = incomplete(session)
      const result = settleRule(run, session, {
        id,
        untested: untested ?? left.untested[0] ?? null,
        unjudged: over === null ? left.unjudged : [...left.unjudged, over.message],
      })
      task.meta.result = result
      task.meta.record = session.record()

      if (result.status === 'failed')
        throw new AssertionError({ message: result.findings.map(explain).join('\n\n') })
      if (result.status === 'inconclusive' || result.status === 'untested' || result.status === 'waived') {
        skip(result.because ?? result.status)
      }
    },
  )
}

function settleRule(
  run: RunOfWorker,
  session: Session,
  {
    id,
    untested,
    unjudged,
  }: { readonly id: RuleId; readonly untested: string | null; readonly unjudged: readonly string[] },
): RuleResult {
  const { log } = session
  const { profile, strict, waivers } = run.settings.run
  return settle({
    id,
    level: ruleOf(id).level,
    strict,
    findings: log.findings(id),
    answers: log.answers(id),
    sample: log.sample(id),
    untested,
    unjudged: [...new Set(unjudged)],
    waivers,
    today: run.today,
    waivesUntested: profiles[profile].demandsEveryRule,
  })
}

/** A finding as the message of a failed test. */
function explain({ summary, reproduced, case: name, curl, count }: Finding): string {
  const times = count === 1 ? '' : `, met ${count} times`
  return [`${summary} (${reproduced}${times})`, `case: ${name}`, ...(curl === null ? [] : [curl])].join('\n')
}
