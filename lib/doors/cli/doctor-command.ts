import type { Command } from 'commander'
import { allowed } from '../../judge/allowed.ts'
import { factsOf } from '../../judge/facts.ts'
import { looksLike } from '../../explain/looks-like.ts'
import type { KnownClient } from '../../judge/target-model.ts'
import { listPath } from '../../specification/endpoints.ts'
import { connectionTexts } from '../../report/model/headline.ts'
import { printable } from '../../text/printable.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { targetModel } from '../../engine/plan/model-of-settings.ts'
import { redactorOf } from '../../engine/plan/redactor-of.ts'
import { clientSetting } from '../../settings/client-settings.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Console } from './console.ts'
import { checkClient, type ClientCheck } from './client-check.ts'
import { answerTo, meantBaseUrl } from './meant-address.ts'
import { inputOf, settingsOfCommand, type CommandInput } from './command-line.ts'
import { nextCommand } from './next-command.ts'
import { settingNamed } from '../../settings/setting-table.ts'
import { connectionOf, withTarget } from '../judge-target.ts'

/** Checks settings and connection with one request per configured client; exits with 0 if all is well, otherwise 2 or 3. */
export async function doctorCommand(console: Console, _: unknown, command: Command): Promise<ExitCode> {
  const input = inputOf(command)
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
  return envFile === null ? words : [...words, '--settings-file', envFile]
}

async function examine(settings: Settings, console: Console): Promise<ExitCode> {
  const connection = connectionOf(settings, console.env)
  const between = connection === null ? [] : connectionTexts({ connection }).map((text) => `, ${text}`)
  const address = `${settings.target.baseUrl ?? ''}${between.join('')}${between.length === 0 ? '' : ','}`
  console.out(`The settings can be read. Asking ${printable(address)} once for each configured client:\n\n`)

  const wrong: ClientCheck[] = []
  for (const client of targetModel(settings).clients) {
    const { meant, ...check } = await ask(client, settings)
    console.out(`  ${check.well ? 'ok   ' : 'WRONG'}  ${clientSetting(client.name)}: ${check.says}\n`)
    if (!check.well) wrong.push(check)
    if (meant !== null) {
      console.out(`\nSet TARGET_BASE_URL (--base-url) to ${printable(meant)}, and ask again.\n`)
      return 2
    }
    // Without its success, nothing is known of the address.
    if (client.name === 'target' && !check.well) break
  }
  console.out(`\n${conclusion(wrong)}\n`)
  return wrong.length === 0 ? 0 : 3
}

function conclusion(wrong: readonly ClientCheck[]): string {
  if (wrong.length === 0) return 'All is well: a run can judge this target.'
  return wrong.every(({ isFault }) => isFault)
    ? 'A run would count this against the service.'
    : 'Mend this before a run, which would be incomplete or blame the service.'
}

/**
 * Sends one request as a client and checks the answer; texts hold no credentials or control characters. `meant` is the probable
 * base URL, if the service answers there and not at the given one.
 */
async function ask(
  client: KnownClient,
  settings: Settings,
): Promise<ClientCheck & { readonly meant: string | null }> {
  const redactor = redactorOf(settings).ofAnswer()
  const redact = (text: string): string => redactor.redact(text)
  const shown = (text: string): string => printable(redact(text))
  const baseUrl = settings.target.baseUrl ?? ''
  const asked = await answerTo(client, settings, baseUrl)
  if (asked.kind === 'trouble') return { well: false, says: shown(asked.says), isFault: false, meant: null }

  const { exchange, hasQuery } = asked
  const documented = allowed(factsOf(exchange.request, targetModel(settings)))
  const looks = looksLike(exchange.response, { url: `${baseUrl}${listPath}`, redact })
  const check = checkClient(client.name, exchange, { documented, hasQuery, looks })
  const isAsked = client.name === 'target' && !check.well
  const meant = isAsked ? await meantBaseUrl(client, settings, exchange.response) : null
  if (meant === null) return { ...check, says: shown(check.says), meant }

  const hint = `the path of the endpoint is appended to TARGET_BASE_URL, and the service answers at ${meant}`
  return { ...check, says: shown(`${check.says}; did you mean ${meant}? ${hint}`), meant }
}
