import { answeredBy, isQuotaRefusal, isSuccess, type Answered } from '../judge/answered.ts'
import { describeAnswered } from '../judge/explain.ts'
import { looksLike } from '../judge/looks-like.ts'
import type { KnownClient } from '../judge/target-model.ts'
import type { ClientName } from '../spec/clients.ts'
import { listPath } from '../spec/endpoints.ts'
import { connectionTexts } from '../report/headline.ts'
import { printable } from '../settings/printable.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import { targetModel } from '../engine/target-model.ts'
import { redactorOf } from '../engine/redactor-of.ts'
import { clientSetting } from '../engine/quota.ts'
import type { Settings } from '../settings/settings.ts'
import type { Console } from './console.ts'
import { answerTo, meantBaseUrl } from './meant-address.ts'
import { settingsOfCommand, type CommandInput } from './command-line.ts'
import { nextCommand } from './next-command.ts'
import { settingNamed } from '../settings/setting-table.ts'
import { connectionOf, withTarget } from '../run/judge-target.ts'

/** Checks settings and connection with one request per configured client; exits with 0 if all is well, otherwise 2 or 3. */
export async function doctorCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const settings = (await settingsOfCommand(input, console))?.settings ?? null
  const code = settings === null ? 2 : await withTarget(settings, (reached) => examine(reached, console))
  const says = code === 0 ? 'Next, see what a run would judge and send' : 'Then check again'
  // A wrong flag may hold a credential.
  const words = [code === 0 ? 'plan' : 'doctor', ...(settings === null ? [] : flagsOf(input))]
  const write = settings === null ? console.err : console.out
  write(`${says}:\n\n  ${printable(nextCommand(words, console.cwd))}\n`)
  return code
}

/** The flags of a command line, as words. */
function flagsOf({ flags, envFile }: CommandInput): readonly string[] {
  const words = Object.entries(flags).flatMap(([name, value]) => {
    const { flag = null, argument = null } = settingNamed(name) ?? {}
    return flag === null ? [] : argument === null ? [`--${flag}`] : [`--${flag}`, value]
  })
  return envFile === null ? words : [...words, '--env-file', envFile]
}

async function examine(settings: Settings, console: Console): Promise<ExitCode> {
  const connection = connectionOf(settings, console.env)
  const between = connection === null ? [] : connectionTexts({ connection }).map((text) => `, ${text},`)
  const address = `${settings.target.baseUrl ?? ''}${between.join('')}`
  console.out(`The settings are right. Asking ${printable(address)} once for each configured client:\n\n`)

  let isWell = true
  for (const client of targetModel(settings).clients) {
    const { well, says, meant } = await ask(client, settings)
    console.out(`  ${well ? 'ok   ' : 'WRONG'}  ${clientSetting(client.name)}: ${says}\n`)
    isWell &&= well
    if (meant !== null) {
      console.out(`\nSet TARGET_BASE_URL (--base-url) to ${printable(meant)}, and ask again.\n`)
      return 2
    }
    if (client.name === 'target' && !well) break
  }
  console.out(
    isWell
      ? '\nAll is well: a run can judge this target.\n'
      : '\nMend this before a run, which would be incomplete or blame the service.\n',
  )
  return isWell ? 0 : 3
}

/** Answer to a client, and whether it is the expected one. */
interface ClientCheck {
  readonly well: boolean
  readonly says: string
}

/**
 * Sends one request as a client and checks the answer; texts hold no credentials or control characters. `meant` is the probable
 * base URL, if the service answers there and not at the given one.
 */
async function ask(
  client: KnownClient,
  settings: Settings,
): Promise<ClientCheck & { readonly meant: string | null }> {
  const redactor = redactorOf(settings)
  const redact = (text: string): string => redactor.redact(text)
  const shown = (text: string): string => printable(redact(text))
  const baseUrl = settings.target.baseUrl ?? ''
  const asked = await answerTo(client, settings, baseUrl)
  if (asked.kind === 'trouble') return { well: false, says: shown(asked.says), meant: null }

  const { response, hasQuery } = asked
  const looks = looksLike(response, { url: `${baseUrl}${listPath}`, redact })
  const { well, says } = checkAnswer(client.name, answeredBy(response), { hasQuery, looks })
  const meant = client.name === 'target' && !well ? await meantBaseUrl(client, settings, response) : null
  if (meant === null) return { well, says: shown(says), meant }

  const hint = `the path of the endpoint is appended to TARGET_BASE_URL, and the service answers at ${meant}`
  return { well, says: shown(`${says}; did you mean ${meant}? ${hint}`), meant }
}

/** error_code with which each client is refused; the others are served. */
const refusals: Readonly<Partial<Record<ClientName, string>>> = {
  noCustomer: '1012',
  inactive: '1011',
  unauthorized: '1013',
  exhausted: '1020',
}

const codeMeans: Readonly<Record<string, string>> = {
  '1006': 'the service does not know this API key: is it a key of this environment?',
  '1007': 'the secret does not belong to this API key',
  '1010': 'the service knows no such endpoint under this version: check TARGET_BASE_URL and TARGET_VERSION',
  '1011': 'the endpoint is inactive for this client',
  '1012': 'no customer matches these credentials',
  '1013': 'this client is not permitted to use the endpoint',
  '1020': 'the daily quota of this client is used up: wait for its reset, or use another client',
  '1030':
    'the endpoint refuses the request without the right query: give one as TARGET_QUERY, for example page=1',
}

function checkAnswer(
  name: ClientName,
  answered: Answered,
  { hasQuery, looks }: { readonly hasQuery: boolean; readonly looks: string | null },
): ClientCheck {
  const refusal = refusals[name]
  const text = describeAnswered(answered)
  if (name === 'disposable' && answered.flaw === null && isQuotaRefusal(answered)) {
    return { well: true, says: `used up today (${text}), which is what it is for` }
  }
  const isServed = isSuccess(answered)
  if (refusal === undefined && isServed) return { well: true, says: `served (${text})` }
  if (refusal !== undefined && answered.errorCode === refusal) {
    return { well: true, says: `refused as it should be (${text})` }
  }
  const expected = refusal === undefined ? 'a success' : `error_code ${refusal}`
  const because = isServed
    ? 'it is served, so it is not such a client'
    : whyRefused(answered, hasQuery, looks)
  return { well: false, says: `answered ${text} where ${expected} is expected: ${because}` }
}

function whyRefused({ errorCode }: Answered, hasQuery: boolean, looks: string | null): string {
  if (errorCode === '1030' && hasQuery) return 'TARGET_QUERY is not what the list endpoint needs'
  const it = looks === null ? '' : `; it ${looks}`
  const foreign = `this is no answer that the specification documents${it}: is TARGET_BASE_URL right?`
  return codeMeans[errorCode ?? ''] ?? foreign
}
