import { openTransport, type Transport } from '../http/transport.ts'
import { Trouble } from '../http/trouble.ts'
import { answeredBy, isSuccess, type Answered } from '../judge/answered.ts'
import { describeAnswered } from '../judge/explain.ts'
import type { KnownClient, Knowledge } from '../oracle/knowledge.ts'
import type { ClientName } from '../spec/clients.ts'
import type { ExitCode } from '../report/verdict.ts'
import { knowledgeOf } from '../session/knowledge-of.ts'
import { scrubberOf } from '../session/scrubber-of.ts'
import { plainRequest, userAgent } from '../session/plain-request.ts'
import { clientSetting } from '../session/client-setting.ts'
import { describeMistakes } from '../settings/describe-mistakes.ts'
import { readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { Console } from './console.ts'
import { startEmbedded } from './embedded.ts'
import { packageVersion } from './package-info.ts'
import type { CommandInput } from './run-command.ts'

/** Checks the settings and the connection with one request for each configured client; 0 when all is well, else 2 or 3. */
export async function doctorCommand(input: CommandInput, console: Console): Promise<ExitCode> {
  const read = await readSettings({ env: console.env, cwd: console.cwd, now: console.now(), ...input })
  for (const notice of read.notices) console.err(`${notice}\n`)
  if (read.kind === 'mistakes' || input.mistakes.length > 0) {
    console.err(describeMistakes([...input.mistakes, ...(read.kind === 'mistakes' ? read.mistakes : [])]))
    return 2
  }
  const embedded = read.settings.target.embedded ? await startEmbedded(read.settings) : null
  try {
    return await examine(embedded?.settings ?? read.settings, console)
  } finally {
    await embedded?.service.close()
  }
}

/** What one client met, in a sentence. */
interface Examined {
  readonly well: boolean
  readonly says: string
}

async function examine(settings: Settings, console: Console): Promise<ExitCode> {
  const knowledge = knowledgeOf(settings)
  const scrubber = scrubberOf(settings)
  const transport = openTransport(transportOptions(settings))
  console.out(
    `The settings are right. Asking ${settings.target.baseUrl ?? ''} once for each configured client:\n\n`,
  )

  let well = true
  try {
    for (const client of knowledge.clients) {
      const examined = await ask(transport, client, knowledge)
      const says = scrubber.scrub(examined.says)
      console.out(`  ${examined.well ? 'ok   ' : 'WRONG'}  ${clientSetting(client.name)}: ${says}\n`)
      well &&= examined.well
      if (client.name === 'target' && !examined.well) break
    }
  } finally {
    await transport.close()
  }
  console.out(
    well
      ? '\nAll is well: a run can judge this target.\n'
      : '\nMend this before a run, which would be incomplete or blame the service.\n',
  )
  return well ? 0 : 3
}

function transportOptions({ target, run }: Settings): Parameters<typeof openTransport>[0] {
  return {
    baseUrl: target.baseUrl ?? '',
    timeoutMs: run.timeoutMs,
    connections: 1,
    ca: run.ca?.pem ?? null,
    httpsProxy: run.httpsProxy,
    noProxy: run.noProxy,
  }
}

async function ask(
  transport: Transport,
  { name, credentials }: KnownClient,
  knowledge: Knowledge,
): Promise<Examined> {
  const [list] = knowledge.endpoints
  if (list === undefined) throw new TypeError('the list endpoint is always known')
  const { request } = plainRequest(list, credentials, { client: name, agent: userAgent(packageVersion()) })
  try {
    const { response } = await transport.send(request)
    return verdictOn(name, answeredBy(response), list.query !== null)
  } catch (error) {
    if (error instanceof Trouble) return { well: false, says: error.message }
    throw error
  }
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

function verdictOn(name: ClientName, answered: Answered, hasQuery: boolean): Examined {
  const wanted = expected[name]
  const text = describeAnswered(answered)
  if (wanted === null ? isSuccess(answered) : answered.errorCode === wanted) {
    return { well: true, says: wanted === null ? `served (${text})` : `refused as it should be (${text})` }
  }
  const why =
    answered.errorCode === '1030' && hasQuery
      ? 'TARGET_QUERY is not what the list endpoint needs'
      : (codeMeans[answered.errorCode ?? ''] ??
        'this is no answer that the specification documents: is TARGET_BASE_URL right?')
  const aim = wanted === null ? 'a success' : `error_code ${wanted}`
  const because = isSuccess(answered) ? 'it is served, so it is not such a client' : why
  return { well: false, says: `answered ${text} where ${aim} is expected: ${because}` }
}
