import { planText } from '../../report/render/plan-text.ts'
import { replayText } from '../../report/render/replay-text.ts'
import { sumByClient } from '../../run/plan/cases.ts'
import * as planning from '../../run/plan/plan.ts'
import { redactorOf } from '../../run/plan/suite-context.ts'
import { judge } from '../../run/run.ts'
import { issue } from '../../settings/issue.ts'
import { countedRules } from '../../specification/rules.ts'
import { printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { parseCaseName } from '../../verdict/show.ts'
import { knownBaseline, withEmbedded, withFailedRules, withTarget } from '../judge-target.ts'
import * as command from './command.ts'
import { ProgressDisplay } from './progress.ts'
import { interruptible, stopListening } from './signals.ts'

const { openingControl } = planning

/** The commands about the cases of a run. */
export const caseCommands: command.Declare = (program, acts) => {
  // `plan`: prints the rules and requests of a run, and sends nothing.
  command
    .withSettings(program.command('plan'))
    .description('print the rules of a run and the requests for each; sends nothing')
    .action(acts(printPlan))

  // `replay`: sends a reported case again, byte for byte, and reports whether the answer is allowed or how often it was wrong.
  command
    .withSettings(program.command('replay'))
    .description('send a reported case again, byte for byte, and check the answer')
    .argument('<case>', 'name of the case in the reports, rule:seed:case')
    .option('--times <number>', 'repetitions; counts wrong answers', command.wholeNumber(1, 1_000), 1)
    .action(acts(replay))
}

async function printPlan(call: command.Call) {
  const read = await command.settingsOfCommand(call)
  const { value: given, issues } = await withFailedRules(read)
  command.refuse(issues)
  const settings = given.target.embedded ? withEmbedded(given, 'embedded') : given
  command.tellUncaught(call.ending, settings)
  const { profile, maxRequests: budget, quiet } = settings.run
  const rules = await new ProgressDisplay(call).during(quiet, (onEvent) =>
    planning.plan(settings, read.suites, {}, onEvent),
  )
  const notJudged = planning.unplannedEndpoints(settings, rules)
  const { baseUrl } = settings.target
  const of = { baseUrl, profile, budget, notJudged }
  call.out(planText({ ...of, ...plannedRequests(rules), rules: countedRules(rules) }))
}

/** Maximum number of requests in a plan, including the first request and health checks, but not confirmations and retries. */
export function plannedRequests(rules: readonly planning.PlannedRule[]) {
  const checks = planning.healthChecks(rules)
  const planned = rules.reduce((sum, { requests }) => sum + requests, 0)
  const byClient = sumByClient([...rules.map((rule) => rule.byClient), { target: openingControl + checks }])
  return { opening: openingControl, checks, total: planned + openingControl + checks, byClient }
}

async function replay(call: command.Call, given: string, { times: asked }: { readonly times: number }) {
  const read = await command.settingsOfCommand(call)
  const name = parseCaseName(given, read.catalogue)
  if (name === null) {
    const about = issue('CASE', {
      given: /^[a-z/-]+:/.test(given) ? given : command.shownWord(given),
      expected: 'the name of a reported case, such as authentication/api-key-missing:20260101:absent',
      hint: 'copy the replay line of a finding',
    })
    throw command.refusal(read.shown([about]))
  }
  const { value: baseline, issues } = await knownBaseline(read.settings.run.baseline)
  command.refuse(issues)
  const { seed, ...replayed } = name
  // The seed and credentials determine a case; the profile and selection do not.
  const seeded = { ...read.settings, run: { ...read.settings.run, seed } }
  return withTarget(seeded, async (settings) => {
    const { maxRequests } = settings.run
    const rules = planning.plan(settings, read.suites, { baseline, replayed })
    for (const { id, untested } of rules)
      if (untested !== null)
        throw new UnusableInput(
          printable(redactorOf(settings).redact(`${id} cannot judge this case: ${untested}`)),
        )
    // Leaves room for health checks, but sends the case at least once.
    const left = maxRequests - openingControl - Math.ceil(maxRequests / planning.rejectionsBetween)
    const requests = Math.max(1, rules.find(({ id }) => id === name.rule)?.requests ?? 1)
    const times = Math.min(asked, Math.max(1, Math.floor(left / requests)))
    const interruption = interruptible(call, 'follow')
    command.tellUncaught(call.ending, settings, interruption)
    const { verdict, replayed: again } = await judge(settings, read.suites, {
      baseline,
      replayed: { ...replayed, times },
      startedAt: call.input.now,
      signal: interruption.signal,
    }).finally(stopListening)
    const { exitCode, because } = verdict
    if (again === null || exitCode === 4 || (exitCode === 2 && again.found.length === 0)) {
      call.err(`${because.join('; ')}\n`)
      return exitCode === 2 ? 2 : 4
    }
    const isUnanswered = again.sent === 0 && verdict.rules.every(({ answers }) => answers === 0)
    const unjudged = isUnanswered && again.unjudged.length === 0 ? ['nothing was answered'] : again.unjudged
    call.out(replayText({ ...again, unjudged, asked, baseUrl: settings.target.baseUrl ?? '' }, call))
    if (times < asked)
      call.out(`RUN_MAX_REQUESTS (${maxRequests}) allows only ${times} of ${asked} repetitions.\n`)
    return again.wrong > 0 ? 1 : unjudged.length > 0 ? 3 : 0
  })
}
