import { once } from 'node:events'
import { clientNames } from '../../serve/reference/clients.ts'
import { faults } from '../../serve/reference/faults.ts'
import { startReference, type ReferenceService } from '../../serve/reference/service.ts'
import { variants } from '../../serve/reference/variants.ts'
import { reachableWarnings, type ListenAddress } from '../../settings/base-url.ts'
import { clientEntry } from '../../settings/client-settings.ts'
import { readList } from '../../settings/json-file.ts'
import { errorText, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { refuse, withListening, type Declare } from './command.ts'
import type { Console } from './console.ts'
import { dotenvValue } from './init-command.ts'

/** `serve`: serves the embedded reference service until interrupted. */
export const serveCommand: Declare = (program, acts) =>
  withListening(program.command('serve'))
    .description('start the embedded reference service and print its address and clients')
    .option('--fault <name...>', 'faults to plant in the service')
    .option('--list-faults', 'list the faults')
    .option('--variant <name>', 'serve in an unusual but conformant way')
    .option('--list-variants', 'list the variants')
    .option('--endpoints <file>', 'file of further endpoints to serve')
    .action(acts(serve))

interface ServeFlags extends ListenAddress {
  readonly fault?: readonly string[]
  readonly listFaults?: boolean
  readonly variant?: string
  readonly listVariants?: boolean
  readonly endpoints?: string
}

async function serve(console: Console, flags: ServeFlags): Promise<void> {
  if (flags.listFaults === true || flags.listVariants === true) {
    console.out(flags.listFaults === true ? faultList() : variantList())
    return
  }
  const { host, port, fault = [], variant, endpoints: file } = flags
  const endpoints = await readList('--endpoints', file, console, async () => {
    return (await import('../../settings/endpoints-file.ts')).parseEndpoints
  })
  refuse(endpoints.issues, 'the service was not started')
  const warnings = reachableWarnings(flags.host, 'the service, whose credentials are public')
  for (const warning of warnings) console.err(`${printable(warning)}\n`)
  await serveUntilInterrupted('the reference service', flags, console, async () => {
    const service = await startReference({
      host,
      port,
      faults: fault,
      endpoints: endpoints.value,
      variant,
    })
    return { announcement: announcement(service, flags), close: () => service.close() }
  })
}

/** Starts a server, announces it, and closes it when the process is interrupted. */
export async function serveUntilInterrupted(
  what: string,
  { host, port }: ListenAddress,
  console: Console,
  start: () => Promise<{ readonly announcement: string; readonly close: () => Promise<void> }>,
): Promise<void> {
  const started = await start().catch((cause: unknown) => {
    throw new UnusableInput(`${what} cannot be started on ${host}:${port}: ${errorText(cause)}`, { cause })
  })
  // Signals are handled before the announcement, so that none can arrive too early.
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  console.out(started.announcement)
  await ended
  await started.close()
}

function faultList(): string {
  return faults
    .map(({ name, about, rules, profile, inNoOther }) => {
      const where = inNoOther === true ? `, in ${profile} alone` : `, from ${profile} on`
      return `${name}\n    ${about}\n    noticed by ${rules.join(', ')}${profile === undefined ? '' : where}\n`
    })
    .join('')
}

function variantList(): string {
  return variants.map(({ name, about }) => `${name}\n    ${about}\n`).join('')
}

/** Settings for a run against a reference service, including its clients and the settings for its variant. */
export function settingsOf(service: ReferenceService): Readonly<Record<string, string>> {
  const credentials = clientNames.flatMap((name) => {
    const { apiKey, secretKey } = clientEntry(name === 'permitted' ? 'target' : name)
    const client = service.clients[name]
    return [
      [apiKey, client.apiKey],
      [secretKey, client.secretKey],
    ]
  })
  return {
    TARGET_BASE_URL: service.baseUrl,
    ...Object.fromEntries(credentials),
    FIXTURE_DISPOSABLE_QUOTA: String(service.disposableQuota),
    FIXTURE_INVALID_QUERY: service.invalidQuery,
    ...service.settings,
  }
}

/** The address and clients, as settings for a .env file. */
function announcement(service: ReferenceService, { fault = [], variant }: ServeFlags): string {
  const manner = variant === undefined ? '' : `, as variant ${variant}`
  const bent =
    fault.length === 0 ? '' : `, with ${fault.length === 1 ? 'fault' : 'faults'} ${fault.join(', ')}`
  return [
    `# The reference service is running${manner}${bent}. Settings for another terminal or a .env file:`,
    ...Object.entries(settingsOf(service)).map(([name, value]) => `${name}=${dotenvValue(value)}`),
    '# Press Ctrl-C to stop.',
    '',
  ].join('\n')
}
