import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../http/exchange.ts'
import { TransportError } from '../../http/transport-error.ts'
import { openTransport } from '../../http/transport.ts'
import {
  answeredBy,
  isQuotaRefusal,
  isServed,
  describeAllowed,
  describeAnswered,
} from '../../judge/answered.ts'
import { allowed, factsOf } from '../../judge/facts.ts'
import { answersOneOf } from '../../judge/judge.ts'
import type { KnownClient } from '../../judge/target-model.ts'
import { RefusedFolderError, setAside, type SetAside } from '../../report/folder/reports-folder.ts'
import { newsSentence } from '../../report/history/history.ts'
import { connectionTexts } from '../../report/model/headline.ts'
import { annotations, appendStepSummary, withoutCommands } from '../../report/render/annotations.ts'
import { summaryMarkdown } from '../../report/render/summary.ts'
import { terminalSummary } from '../../report/render/terminal.ts'
import { view } from '../../report/view.ts'
import { runsBefore, writeReports, writeWhatFits } from '../../report/write-reports.ts'
import { OwnRuleError } from '../../run/plan/cases.ts'
import { plainRequest, redactorOf, targetModel } from '../../run/plan/suite-context.ts'
import { gatewayFailure, isRateRefusal } from '../../run/send/trouble.ts'
import { withoutEndpointPath, clientSetting } from '../../settings/connection-settings.ts'
import { describeIssues, issue } from '../../settings/issue.ts'
import { flagWords } from '../../settings/setting-table.ts'
import type { Settings } from '../../settings/settings.ts'
import { withoutFolder } from '../../settings/user-file.ts'
import { isDocumentedPair, pairOf, type Answer, type ErrorCode } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { listPath } from '../../specification/endpoints.ts'
import { errorText, printable } from '../../text/printable.ts'
import { errorVerdict } from '../../verdict/assemble.ts'
import { looksLike } from '../../verdict/show.ts'
import { verdictDigest, verdictJson, type Verdict } from '../../verdict/verdict.ts'
import {
  beginRun,
  connectionOf,
  earlierReports,
  failedVerdict,
  judgeTarget,
  readRun,
  withTarget,
  type RunInput,
} from '../judge-target.ts'
import {
  lines,
  nextCommand,
  settingsOfCommand,
  tellUncaught,
  withSettings,
  type Call,
  type Declare,
} from './command.ts'
import { ProgressDisplay } from './progress.ts'
import { interruptible, stopListening } from './signals.ts'

/** The commands that judge or check the target. */
export const runCommands: Declare = (program, acts) => {
  // `run`: judges a target and writes the reports. The README lists the exit codes.
  withSettings(program.command('run'))
    .description('judge a target and write the reports (the default)')
    .action(acts(run))

  // `doctor`: checks settings and connection with one request per configured client. Exits with 0 if all checks pass, otherwise 2 or 3.
  withSettings(program.command('doctor'))
    .description('check settings and connection with one request per client')
    .action(acts(doctor))
}

async function run(call: Call) {
  const { input, ending } = call
  const progress = new ProgressDisplay(call)
  const interruption = interruptible(progress.console)
  let aside: SetAside | null = null
  try {
    aside = await earlierReports(input, ending)
    const read = await readRun(input)
    const { issues, head, settings } = read
    if (settings.run.profile === 'nightly') ending.tune?.(1, 2)
    call.err(lines(...read.notices))
    if (issues.length > 0) call.err(describeIssues(issues))
    try {
      aside ??= await setAside(settings.run.reportsDir)
      await beginRun(read, aside, ending)
    } catch (error) {
      // Another run is using the folder, so it stays unchanged.
      const isInUse = error instanceof RefusedFolderError
      if (isInUse) call.err(`${error.message}\n`)
      const because = [errorText(error), ...read.mistaken().because]
      return await conclude(errorVerdict(head(), isInUse ? 2 : 4, because), read, call, isInUse)
    }
    const verdict = issues.length > 0 ? read.mistaken() : await judged(read, aside, progress, interruption)
    // A mistake found before the first request leaves the earlier reports unchanged.
    return await conclude(verdict, read, call, await aside.conclude(verdict))
  } finally {
    aside?.lock.release()
    stopListening()
  }
}

const twoSent = '2 requests were sent to find out'

async function judged(
  read: RunInput,
  aside: SetAside,
  progress: ProgressDisplay,
  interruption: AbortController,
) {
  const { err, ending } = progress.console
  const { settings, head } = read
  tellUncaught(ending, settings, interruption)
  try {
    const wrong = await addressIssue(settings)
    if (wrong !== null) {
      err(describeIssues([wrong], twoSent))
      const because = [`${wrong.setting}: expected ${wrong.expected}; ${wrong.hint ?? ''}`]
      const verdict = errorVerdict(head(), 2, because)
      return { ...verdict, requests: { ...verdict.requests, sent: 2 } }
    }
    return await progress.during(settings.run.quiet, (onEvent) =>
      judgeTarget(read, aside, { signal: interruption.signal, onEvent }),
    )
  } catch (error) {
    if (error instanceof OwnRuleError) err(describeIssues(error.issues))
    return failedVerdict(head(), error)
  }
}

/**
 * Writes the reports unless the earlier ones stay, prints the verdict on standard output and for GitHub workflows, and returns the exit code.
 * If a report cannot be written, the exit code is 4, but the verdict is still printed.
 */
async function conclude(ended: Verdict, { settings, key }: RunInput, call: Call, isUnwritten: boolean) {
  const { reportsDir: folder, history, format } = settings.run
  // Reports are shared, so the reasons for errors must not name the user's folder. All other reasons follow from the rules.
  const shown = (reason: string) => withoutFolder(reason, call.cwd)
  let verdict = ended.verdict === 'error' ? { ...ended, because: ended.because.map(shown) } : ended
  let isFinal = true
  if (isUnwritten) await tell(verdict, format, call, { reportsDir: null })
  else {
    const places = { folder, history, key }
    let digest = null
    try {
      await writeReports(verdict, { ...places, allure: verdict.rules.length > 0 })
      digest = verdictDigest(verdict)
    } catch (error) {
      const failure = errorText(error)
      call.err(`${failure}\n`)
      const because = [...new Set([shown(failure), ...verdict.because])]
      verdict = { ...verdict, verdict: 'error', exitCode: 4, because }
      isFinal = await writeWhatFits(verdict, places)
    }
    const since = newsSentence(verdict, await runsBefore(verdict, history))
    await tell(verdict, format, call, { reportsDir: folder, digest, since })
  }
  // The reports are final once everything is printed.
  if (isFinal) call.ending.folders = []
  return verdict.exitCode
}

/**
 * Prints a verdict, and also adds it to the GitHub summary. With `json`, standard output contains only the verdict; GitHub reads commands
 * from both streams.
 */
async function tell(
  verdict: Verdict,
  format: 'text' | 'json',
  { colour, width, env, ...console }: Call,
  known: Parameters<typeof view>[1] & { readonly reportsDir: string | null },
) {
  const isGitHub = env['GITHUB_ACTIONS'] === 'true'
  const shown = view(verdict, known)
  const commands = isGitHub ? annotations(shown).map((line) => `${line}\n`) : []
  if (format === 'json') {
    console.out(verdictJson(verdict))
    if (commands.length > 0) console.err(commands.join(''))
  } else {
    // Standard error already has the mistakes that kept the run from judging anything.
    const isTold = verdict.exitCode === 2 && verdict.rules.length === 0
    const untold = isTold ? view({ ...verdict, because: [] }, known) : shown
    const text = terminalSummary(untold, { colour, width, ...known })
    console.out(`${isGitHub ? withoutCommands(text, randomUUID()) : text}${commands.join('')}`)
  }
  const file = env['GITHUB_STEP_SUMMARY'] ?? ''
  const failure = file === '' ? null : await appendStepSummary(file, summaryMarkdown(shown))
  if (failure !== null) console.err(`${failure}\n`)
}

async function doctor(call: Call) {
  const { input, cwd, out } = call
  const next = (says: string, ...words: readonly string[]) => `${says}:\n\n  ${nextCommand(words, cwd)}\n`
  // An invalid flag may contain a credential.
  const { settings } = await settingsOfCommand(call, next('Then check again', 'doctor'))
  const code = await withTarget(settings, (reached) => examine(reached, call))
  const given = Object.entries(input.flags).flatMap((one) => flagWords(...one))
  const flags = input.envFile === null ? given : [...given, '--settings-file', input.envFile]
  out(
    code === 0
      ? next('Next, see what a run would judge and send', 'plan', ...flags)
      : next('Then check again', 'doctor', ...flags),
  )
  return code
}

async function examine(settings: Settings, { env, out }: Call) {
  const mistake = await addressIssue(settings)
  if (mistake !== null) {
    out(describeIssues([mistake], twoSent))
    return 2
  }
  const connection = connectionOf(settings, env)
  const between = connection === null ? [] : [...connectionTexts({ connection }), '']
  const address = [settings.target.baseUrl ?? '', ...between].join(', ').trimEnd()
  out(`The settings are valid. Sending one request to ${printable(address)} for each configured client:\n\n`)

  const faults: boolean[] = []
  for (const client of targetModel(settings).clients) {
    const check = await ask(client, settings)
    out(`  ${check.well ? 'ok   ' : 'WRONG'}  ${clientSetting(client.name)}: ${check.says}\n`)
    if (!check.well) faults.push(check.isFault)
    // If the target client is refused, later answers say nothing about the address.
    if (client.name === 'target' && !check.well) break
  }
  const conclusion = faults.every(Boolean)
    ? 'A run would report this as a fault of the service.'
    : 'Fix this first: a run would be incomplete, or would blame the service wrongly.'
  out(`\n${faults.length === 0 ? 'All checks passed: a run can judge this target.' : conclusion}\n`)
  return faults.length === 0 ? 0 : 3
}

/**
 * Returns an issue if the base URL ends with the endpoint's path and the service answers only without it; otherwise null. Sends nothing for
 * other base URLs. Sends one plain request as the target client, and a second one if the first is refused.
 */
async function addressIssue(settings: Settings) {
  const { baseUrl, embedded } = settings.target
  const [client] = targetModel(settings).clients
  const meant = embedded || baseUrl === null ? null : withoutEndpointPath(baseUrl)
  if (baseUrl === null || client === undefined || meant === null) return null

  const asked = await answerTo(client, settings, baseUrl)
  if (asked instanceof TransportError || isServed(asked)) return null
  const { status, errorCode, flaw } = answeredBy(asked.response)
  if (flaw === null && isDocumentedPair(status, errorCode) && errorCode !== '1010') return null
  const there = await answerTo(client, settings, meant)
  if (there instanceof TransportError || !isServed(there)) return null
  const expected = 'the address without the path of the endpoint, which is appended to it'
  const hint = `did you mean ${meant}? The service answers there, but not at the given address`
  return issue('TARGET_BASE_URL', { given: baseUrl, expected, hint })
}

/** Sends one plain valid request as the client, returns the answer or why there is none, and waits until the rate allows the next one. Follows no redirects. */
async function answerTo(client: KnownClient, settings: Settings, baseUrl: string) {
  const [list] = targetModel(settings).endpoints
  if (list === undefined) throw new TypeError('the list endpoint is always known')
  const { ca, maxRps } = settings.run
  const transport = openTransport({ ...settings.run, connections: 1, ca: ca?.pem ?? null, baseUrl })
  try {
    return await transport.send(plainRequest(list, client).request)
  } catch (error) {
    if (error instanceof TransportError) return error
    throw error
  } finally {
    await transport.close()
    // Rounded up, so that no second exceeds the rate.
    await sleep(maxRps === null ? 0 : Math.ceil(1_000 / (maxRps < 1 ? maxRps : Math.floor(maxRps))) + 1)
  }
}

/** Sends one request as a client and checks the answer. The text in the result contains no credentials or control characters. */
async function ask(client: KnownClient, settings: Settings) {
  const { redact } = redactorOf(settings).ofAnswer()
  const baseUrl = settings.target.baseUrl ?? ''
  const model = targetModel(settings)
  const got = await answerTo(client, settings, baseUrl)
  const check =
    got instanceof TransportError
      ? { well: false, says: got.message, isFault: false }
      : checkClient(client.name, got, {
          documented: allowed(factsOf(got.request, model)),
          hasQuery: model.endpoints[0]?.query !== null,
          looks: looksLike(got.response, { url: `${baseUrl}${listPath}`, redact }),
        })
  return { ...check, says: printable(redact(check.says)) }
}

/** Facts about a client that the answer does not contain. */
type ClientFacts = Readonly<{
  /** The documented answers to a plain valid request from the client. */
  documented: readonly Answer[]
  /** Whether the settings include the query for the list endpoint. */
  hasQuery: boolean
  /** A phrase after "it" that describes an undocumented answer; or null. */
  looks: string | null
}>

/**
 * Whether a client gets the expected answer to a plain valid request, a sentence about it, and whether a run would count it as a fault under
 * any settings. Other clients are checked only after the target client has been served.
 */
export function checkClient(name: ClientName, exchange: Exchange, known: ClientFacts) {
  const answered = answeredBy(exchange.response)
  const text = describeAnswered(answered)
  const well = (says: string) => ({ well: true, says, isFault: false })
  if (answersOneOf(known.documented).judge(exchange).kind === 'holds')
    return well(`${isServed(exchange) ? 'served' : 'refused as it should be'} (${text})`)
  if (name === 'disposable' && answered.flaw === null && isQuotaRefusal(answered))
    return well(`its quota is used up today (${text}), as intended`)
  const [because, isFault = false] = whyWrong(name, exchange, known)
  const says = `answered ${text} where ${describeAllowed(known.documented)} is documented: ${because}`
  return { well: false, says, isFault }
}

/** The reason for a wrong answer, and whether it is a fault under any settings. */
type Why = readonly [because: string, isFault?: true]

function whyWrong(name: ClientName, exchange: Exchange, { documented, hasQuery, looks }: ClientFacts): Why {
  const { status, errorCode, flaw } = answeredBy(exchange.response)
  if (isServed(exchange))
    return name === 'exhausted'
      ? ['it is served: its quota is not used up today, or the service does not enforce it']
      : ['it is served: it is the wrong kind of client, or the service accepts it wrongly']
  const gateway = gatewayFailure(exchange)
  if (gateway !== null) return [`${gateway.message}: run doctor again once it reaches the service`]
  const served = `${clientSetting('target')} is served`
  const pair = pairOf(errorCode)
  if (pair !== null) {
    const { errorCode: code } = pair
    const isOfQuery = code === '1030' && hasQuery
    const ofCode = isOfQuery ? 'TARGET_QUERY does not suit the list endpoint' : meaningOfCode[code]
    const ofRequest = `${served} for the same request, which differs only in its credentials`
    const meaning = name !== 'target' && pair.status === 400 ? ofRequest : ofCode
    const isRightStatus = status === pair.status
    if (isRightStatus && flaw === null) return [meaning]
    const wrong = isRightStatus
      ? 'the error object differs from the documented one'
      : `${code} is documented only with ${pair.status}`
    return documented.some((one) => one.errorCode === code)
      ? [`the code is right, but ${wrong}`, true]
      : [`${wrong}; if the code is right, ${meaning}`]
  }
  if (isRateRefusal(exchange))
    return ['too many requests, but not the daily quota (1020): lower RUN_MAX_RPS, or try later']
  const it = looks === null ? '' : `; it ${looks}`
  // A network that requires a login answers 511 (RFC 6585, 6).
  if (status >= 500 && status !== 511) return [`the server reports an internal failure${it}`, true]
  if (flaw === 'body is not in its content coding') return ['no client can read this body', true]
  if (errorCode !== null)
    return [`${JSON.stringify(errorCode.slice(0, longestCode))} is not a documented code${it}`, true]
  const where = name === 'target' ? ': check TARGET_BASE_URL' : `; the address is right: ${served} there`
  return [`this answer is not documented${it}${where}`]
}

const longestCode = 40

const notSeen = 'was sent: a proxy on the way drops it, or the service does not find it'

/** What each code means in answer to a flawless request, and what to do about it. */
const meaningOfCode: Readonly<Record<ErrorCode, string>> = {
  '1001': `x-api-key ${notSeen}`,
  '1002': `x-secret-key ${notSeen}`,
  '1003': `x-version ${notSeen}`,
  '1010':
    'the service does not have the endpoint under this version: check TARGET_BASE_URL and TARGET_VERSION',
  '1030': 'the endpoint needs a query: set TARGET_QUERY, for example page=1',
  '1006': 'the service does not know this API key: is it a key of this environment?',
  '1007': 'the secret does not belong to this API key',
  '1011': 'the endpoint is inactive for this client',
  '1012': 'no customer matches these credentials',
  '1013': 'this client is not permitted to use the endpoint',
  '1020': 'the daily quota of this client is used up: wait for its reset, or use another client',
}
