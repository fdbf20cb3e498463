import { AssertionError } from 'node:assert'
import type { Baseline } from '../drift/baseline.ts'
import { test } from 'vitest'
import type { Finding, Replayed, RuleResult, RunRecord } from '../judge/record.ts'
import { elsewhere } from '../judge/untested.ts'
import { leastOf, requestsOf, type Case, type Untestable } from '../session/cases.ts'
import { judgeCases, type CasesLeft } from '../session/judge-rule.ts'
import type { PlannedRule } from '../session/plan.ts'
import { judgeProperty } from '../session/property.ts'
import type { Session } from '../session/session.ts'
import { keysOf } from '../session/shared-requests.ts'
import type { RunOver } from '../session/unjudged.ts'
import { settle } from '../session/settle.ts'
import { inShard } from '../session/shard.ts'
import { profiles } from '../settings/profiles.ts'
import { ruleOf, type RuleId } from '../spec/rules.ts'
import { isInGate } from './gate-of-further-endpoints.ts'
import { propertyOf, type KindsOf } from './fuzz.ts'
import { runOfWorker, type RunOfWorker } from './run-of-worker.ts'
import type { SuiteContext } from './suite-context.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What the rule would send; known before anything is sent. */
    planned?: PlannedRule
    /** What it asks for that other rules may ask for, too. */
    asked?: readonly string[]
    /** What became of the rule. */
    result?: RuleResult
    /** The run as a whole when the rule ended. */
    record?: RunRecord
    /** The shapes of all answers when the rule ended, where a baseline was asked for. */
    shapes?: Baseline
    /** What became of the case that was sent again. */
    replayed?: Replayed
  }
}

/** Makes the cases of a rule; called before anything is sent. */
export type CasesOf = (context: SuiteContext) => readonly Case[] | Untestable

/**
 * Declares a rule of the catalogue: its title is the catalogue's sentence, its cases are known before anything is sent, and
 * its test ends in exactly one status. A rule that the settings do not select is no test.
 */
export function rule(id: RuleId, casesOf: CasesOf): void {
  declare(
    id,
    (context) => ofCases(id, casesOf(context), context),
    () => null,
  )
}

/** Declares a rule whose cases are generated: its kinds are known before anything is sent, each case is drawn when it is sent. */
export function fuzzed(id: RuleId, kindsOf: KindsOf): void {
  declare(
    id,
    (context) => {
      const property = propertyOf(id, kindsOf, context)
      if ('untested' in property) return nothing(property.untested)
      const { size, requests } = property
      if (size === 0) return nothing(elsewhere)
      return {
        cases: size,
        requests,
        least: requests,
        untested: null,
        judge: (session) => judgeProperty(session, id, property),
      }
    },
    () => null,
  )
}

/** Declares a rule that sums up what the whole run has met, after cases of its own, if it has any. */
export function sumOfRun(id: RuleId, casesOf: CasesOf): void {
  declare(
    id,
    (context) => ofCases(id, casesOf(context), context),
    ({ over }) => over,
  )
}

/** What a rule would send in this run, and how it is judged. */
interface Work extends Omit<PlannedRule, 'id'> {
  readonly asked?: readonly string[]
  readonly judge: (session: Session) => Promise<CasesLeft>
}

function nothing(untested: string): Work {
  return { cases: 0, requests: 0, least: 0, untested, judge: async () => ({ unjudged: [], untested: [] }) }
}

function ofCases(
  id: RuleId,
  made: readonly Case[] | Untestable,
  { settings, replayed, replays, exhaustive }: SuiteContext,
): Work {
  if ('untested' in made) return nothing(made.untested)

  const { shard } = settings.run
  const cases = runOfWorker().sharing(
    id,
    made.filter(
      ({ name }) => inShard(shard, id, name) && replays(id, name) && (exhaustive || isInGate(id, name)),
    ),
  )
  if (made.length > 0 && cases.length === 0)
    return nothing(replayed === null ? elsewhere : `no case is called ${replayed.case}`)
  return {
    cases: cases.length,
    requests: cases.reduce((sum, one) => sum + requestsOf(one), 0),
    least: cases.reduce((sum, one) => sum + leastOf(one), 0),
    untested: null,
    asked: keysOf(id, cases),
    judge: (session) => judgeCases(session, id, cases),
  }
}

function declare(
  id: RuleId,
  workOf: (context: SuiteContext) => Work,
  incomplete: (session: Session) => RunOver | null,
): void {
  const run = runOfWorker()
  if (!run.context.selects(id)) return

  const { judge, asked = [], ...plan } = workOf(run.context)
  const planned: PlannedRule = { id, ...plan }

  const { says, when } = ruleOf(id)
  test(
    `${id}: ${says}`,
    { concurrent: when !== 'alone', meta: { planned, asked } },
    async ({ task, signal, skip }) => {
      signal.addEventListener('abort', () => run.cancel(signal.reason), { once: true })
      const session = await run.session()
      session.budget.reserve(id, planned.requests)

      const left = await judge(session)
      const over = incomplete(session)
      const result = settleRule(run, session, {
        id,
        untested: planned.untested ?? left.untested[0] ?? null,
        unjudged: over === null ? left.unjudged : [...left.unjudged, over.message],
      })
      task.meta.result = result
      task.meta.record = session.record()
      if (session.shapes !== null) task.meta.shapes = session.shapes
      if (session.replayed !== null) task.meta.replayed = session.replayed

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
function explain({ summary, reproduced, case: name, curl, replay, count }: Finding): string {
  const times = count === 1 ? '' : `, met ${count} times`
  const again = curl ?? replay
  return [`${summary} (${reproduced}${times})`, `case: ${name}`, ...(again === null ? [] : [again])].join(
    '\n',
  )
}
