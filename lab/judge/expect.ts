import { entryOf, specCatalogue, type RuleId } from '../../lib/specification/rules.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { rulesThat, type ProgramResult } from '../../tests/support/program.ts'
import type { Expectation, Outcome, Service } from './service.ts'

/** The results of a run that are checked. */
export type Left = Pick<ProgramResult, 'code' | 'verdict' | 'stdout' | 'stderr'>

/** The result for the suite, and what is wrong. */
export type Judged = Pick<Outcome, 'result' | 'noticed' | 'because'>

/**
 * Characters that control a terminal or change the text direction. No text from a service may reach a
 * terminal with them.
 */
const obeyed = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u

/** Compares the results of a run with the expectation for its service. */
export function judgeOutcome(expects: Expectation, left: Left): Judged {
  const { code: exit, verdict, stdout, stderr } = left
  if (verdict === null)
    return concluded([], [`there is no verdict.json, exit ${exit}: ${stderr.slice(0, 500)}`])
  const always: string[] = []
  if (obeyed.test(stdout)) always.push('the terminal receives control characters')
  if (verdict.exitCode !== exit)
    always.push(`verdict.json says exit ${verdict.exitCode}, the process ended with ${exit}`)
  if (stderr !== '') always.push(`standard error says: ${stderr.slice(0, 500)}`)
  const { result, noticed, because } = byExpectation(expects, verdict, stdout)
  if (result === 'as expected' && always.length > 0) return { result: 'not judged', noticed, because: always }
  return { result, noticed, because: [...because, ...always] }
}

function byExpectation(expects: Expectation, verdict: Verdict, stdout: string): Judged {
  const findings = verdict.rules.flatMap((rule) => rule.findings)
  const summaries = findings.map(({ summary, reproduced }) => `${summary}, reproduced ${reproduced}`)
  const observed = verdict.observations.map(({ id, value }) => `${id}: ${JSON.stringify(value)}`)
  const told = [...verdict.because, ...summaries, ...observed, stdout].join(' ').replaceAll(/\s+/g, ' ')
  const { sent } = verdict.requests
  const { says = [], requests: most = sent } = expects
  const unsaid = says.filter((piece) => !told.includes(piece)).map((piece) => `missing text "${piece}"`)
  const tooMany = sent > most ? [`${sent} requests instead of at most ${most}`] : []
  const judgeBy = expects.exit === 1 ? wrong : expects.inPart === true ? endsIn : conformant
  const judged = judgeBy(expects, verdict)
  if (unsaid.length + tooMany.length === 0) return judged
  const result = judged.because.length === 0 ? 'not judged' : judged.result
  return { ...judged, result, because: [...judged.because, ...unsaid, ...tooMany] }
}

/** Only rules that may warn can be red, and all rules must be judged. */
function conformant({ untested = [], warns = [], stands = [] }: Expectation, verdict: Verdict): Judged {
  const those = (rules: readonly RuleId[]) => rules.filter((rule) => !stands.includes(rule))
  const warned = rulesThat(verdict, 'warned').filter((rule) => !warns.includes(rule))
  const red = those([...rulesThat(verdict, 'failed'), ...warned])
  const open = those(rulesThat(verdict, 'inconclusive'))
  const missing = those(rulesThat(verdict, 'untested').filter((rule) => !untested.includes(rule)))
  const isStanding = rulesThat(verdict, 'failed').some((rule) => stands.includes(rule))
  const unjudged = [...listed('not judged to the end:', open), ...listed('not tested:', missing)]
  return concluded(listed('blamed for', red), [...unjudged, ...wrongExit(verdict, isStanding ? 1 : 0)])
}

function concluded(blamed: readonly string[], others: readonly string[], noticed = false): Judged {
  const because = [...blamed, ...others]
  const result = blamed.length > 0 ? 'blamed' : because.length > 0 ? 'not judged' : 'as expected'
  return { result, noticed, because }
}

/**
 * An expected rule must be red, with exit code 1 if a rule failed. A profile that sends too little need not
 * notice the fault.
 */
function wrong(expects: Expectation, verdict: Verdict): Judged {
  const { by = [], stands = [], only, share, unnoticed = [] } = expects
  const [failed, red] = [rulesThat(verdict, 'failed'), rulesThat(verdict, 'failed', 'warned')]
  const due = by.length > 0 ? by : failed.filter((rule) => !stands.includes(rule))
  const noticed = red.some((rule) => due.includes(rule))
  const mayMiss = share !== undefined || unnoticed.includes(verdict.profile)
  const missing: string[] = []
  if (noticed && failed.length === 0 && !mayWarn(expects, verdict))
    missing.push('a documented rule only warned')
  const none = by.length === 0 ? 'no rule failed' : `none of ${by.join(', ')} is red`
  if (!noticed && !mayMiss) missing.push(red.length === 0 ? none : `${none}, but ${red.join(', ')}`)
  // A violation ends with 1. Otherwise, rules that could not be judged may end with 3.
  const mayEnd = failed.length > 0 ? [1] : rulesThat(verdict, 'inconclusive').length > 0 ? [0, 3] : [0]
  const others = noticed && only === true ? red.filter((rule) => !due.includes(rule)) : []
  const because = [...listed('also blamed for', others), ...missing, ...wrongExit(verdict, ...mayEnd)]
  const result = others.length > 0 ? 'blamed' : because.length > 0 ? 'missed' : 'as expected'
  return { result, noticed, because }
}

function mayWarn({ by = [], implied }: Expectation, { strict }: Verdict): boolean {
  if (implied === true && !strict) return true
  return by.some((rule) => entryOf(specCatalogue, rule).level !== 'documented')
}

/** No rule may fail, and an expected rule must warn. */
function endsIn({ exit, by = [], only, mayBeIncomplete }: Expectation, verdict: Verdict): Judged {
  const [failed, warned] = [rulesThat(verdict, 'failed'), rulesThat(verdict, 'warned')]
  const noticed = by.some((rule) => warned.includes(rule))
  const unnamed = warned.filter((rule) => !by.includes(rule))
  const mayNotWarn = (exit === 3 && by.length === 0) || only === true
  const blamed = [...listed('blamed for', failed), ...(mayNotWarn ? listed('warned of', unnamed) : [])]
  const unseen = by.length === 0 || noticed ? [] : [`none of ${by.join(', ')} is red`]
  const exits = wrongExit(verdict, exit, ...(mayBeIncomplete === true ? [3] : []))
  return concluded(blamed, [...unseen, ...exits], noticed)
}

const listed = (what: string, rules: readonly RuleId[]): readonly string[] =>
  rules.length === 0 ? [] : [`${what} ${rules.join(', ')}`]

const wrongExit = ({ exitCode }: Verdict, ...expected: readonly number[]): readonly string[] =>
  expected.includes(exitCode) ? [] : [`exit ${exitCode} where ${expected.join(' or ')} was expected`]

/** The maximum deviation of a share, and the minimum number of runs for the comparison. */
const [farthest, enoughRuns] = [0.05, 1_000]

/** A sentence for each service whose share of noticing runs differs from the claimed one. */
export function wrongShares(services: readonly Service[], outcomes: readonly Outcome[]): readonly string[] {
  return services.flatMap(({ of, name, expects: { share } }) => {
    const runs = outcomes.filter((one) => one.of === of && one.name === name)
    if (share === undefined || runs.length < enoughRuns) return []
    const noticed = runs.filter((one) => one.noticed).length
    if (Math.abs(noticed / runs.length - share) <= farthest) return []
    const claimed = share.toFixed(3)
    return [`${of} ${name}: noticed by ${noticed} of ${runs.length} runs instead of the claimed ${claimed}`]
  })
}
