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
import { connectionOf, withTarget } from '../run/judge-target.ts'

/** Checks the settings and the connection with one request for each configured client; 0 when all is well, else 2 or 3. */
export async function doctorCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const settings = await settingsOfCommand(input, console)
  return settings === null ? 2 : withTarget(settings, (reached) => examine(reached, console))
}

/** What one client met, in a sentence. */
interface Examined {
  readonly well: boolean
  readonly says: string
  /** The base URL that was probably meant, where the service answers there, and not at the one that was given. */
  readonly meant?: string
}

async function examine(settings: Settings, console: Console): Promise<ExitCode> {
  const { clients } = targetModel(settings)
  const connection = connectionOf(settings, console.env)
  const between = connection === null ? [] : connectionTexts({ connection }).map((text) => `, ${text},`)
  const address = `${settings.target.baseUrl ?? ''}${between.join('')}`
  console.out(`The settings are right. Asking ${printable(address)} once for each configured client:\n\n`)

  let well = true
  for (const client of clients) {
    const examined = await ask(client, settings)
    const mark = examined.well ? 'ok   ' : 'WRONG'
    console.out(`  ${mark}  ${clientSetting(client.name)}: ${examined.says}\n`)
    well &&= examined.well
    if (examined.meant !== undefined) {
      console.out(`\nSet TARGET_BASE_URL (--base-url) to ${printable(examined.meant)}, and ask again.\n`)
      return 2
    }
    if (client.name === 'target' && !examined.well) break
  }
  console.out(
    well
      ? '\nAll is well: a run can judge this target.\n'
      : '\nMend this before a run, which would be incomplete or blame the service.\n',
  )
  return well ? 0 : 3
}

/** What a client is answered, and what is wrong with it, free of credentials and of what could steer a terminal. */
async function ask(client: KnownClient, settings: Settings): Promise<Examined> {
  const redactor = redactorOf(settings)
  const baseUrl = settings.target.baseUrl ?? ''
  const shown = (text: string): string => printable(redactor.redact(text))
  const asked = await answerTo(client, settings, baseUrl)
  if (asked.kind === 'trouble') return { well: false, says: shown(asked.says) }

  const { response, hasQuery } = asked
  const { well, says } = verdictOn(client.name, answeredBy(response), {
    hasQuery,
    looks: looksLike(response, { url: `${baseUrl}${listPath}`, redact: (text) => redactor.redact(text) }),
  })
  const meant = client.name === 'target' && !well ? await meantBaseUrl(client, settings, response) : null
  if (meant === null) return { well, says: shown(says) }

  const hint = `the path of the endpoint is appended to TARGET_BASE_URL, and the service answers at ${meant}`
  return { well, says: shown(`${says}; did you mean ${meant}? ${hint}`), meant }
}

/** What each client is expected to be answered; null is success. */
const expected: Readonly<Record<ClientName, string | null>> = {
  target: null,
  second: null,
  disposable: null,
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

interface Circumstances {
  readonly hasQuery: boolean
  /** What the answer looks like where it is none of the service's, or null. */
  readonly looks: string | null
}

function verdictOn(
  name: ClientName,
  answered: Answered,
  { hasQuery, looks }: Circumstances,
): Omit<Examined, 'meant'> {
  const wanted = expected[name]
  const text = describeAnswered(answered)
  if (name === 'disposable' && answered.flaw === null && isQuotaRefusal(answered)) {
    return { well: true, says: `used up today (${text}), which is what it is for` }
  }
  if (wanted === null ? isSuccess(answered) : answered.errorCode === wanted) {
    return { well: true, says: wanted === null ? `served (${text})` : `refused as it should be (${text})` }
  }
  const foreign = [
    'this is no answer that the specification documents',
    ...(looks === null ? [] : [`it ${looks}`]),
  ]
  const why =
    answered.errorCode === '1030' && hasQuery
      ? 'TARGET_QUERY is not what the list endpoint needs'
      : (codeMeans[answered.errorCode ?? ''] ?? `${foreign.join('; ')}: is TARGET_BASE_URL right?`)
  const aim = wanted === null ? 'a success' : `error_code ${wanted}`
  const because = isSuccess(answered) ? 'it is served, so it is not such a client' : why
  return { well: false, says: `answered ${text} where ${aim} is expected: ${because}` }
}
