import { once } from 'node:events'
import { usualOpaqueNames, toleratedChanges } from '../../drift/tolerated.ts'
import { readProxySettings, type ProxyFlags } from '../../serve/proxy/proxy-settings.ts'
import { startProxy, type Proxy } from '../../serve/proxy/start-proxy.ts'
import { faults } from '../../serve/reference/faults.ts'
import { startReference, type ReferenceService } from '../../serve/reference/service.ts'
import { variants } from '../../serve/reference/variants.ts'
import { reachableWarnings, type ListenAddress, clientTable } from '../../settings/connection-settings.ts'
import { readList } from '../../settings/json-file.ts'
import { errorText, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import {
  dotenvValue,
  lines,
  refusal,
  refuse,
  withListening,
  withSettings,
  type Call,
  type Declare,
} from './command.ts'

/** The commands that serve until interrupted. */
export const serveCommands: Declare = (program, acts) => {
  // `serve`: serves the embedded reference service until interrupted.
  withListening(program.command('serve'))
    .description('start the embedded reference service and print its address and clients')
    .option('--fault <name...>', 'faults to plant in the service')
    .option('--list-faults', 'list the faults')
    .option('--variant <name>', 'serve in an unusual but conformant way')
    .option('--list-variants', 'list the variants')
    .option('--endpoints <file>', 'file of further endpoints to serve')
    .action(acts(serve))

  // `proxy`: forwards requests to a service and makes tolerated changes to its JSON answers until interrupted.
  withListening(
    withSettings(program.command('proxy'), {
      TARGET_BASE_URL: 'Address of the service, or "embedded" (the reference).',
      RUN_SEED: 'Seed of the changes. (default: 20260101)',
      RUN_TIMEOUT_MS: 'Maximum wait for a connection, and for the start of an answer. (default: 60000)',
      RUN_CA_FILE: 'PEM file of a private certificate authority.',
    }),
  )
    .description('forward requests to the service and change its JSON answers as clients must tolerate')
    .option('--changes <names>', 'changes to make, separated by commas', 'added,order,opaque')
    .option(
      '--opaque <names>',
      'properties with opaque strings, separated by commas; * matches any characters',
      usualOpaqueNames.join(','),
    )
    .option('--log-changes', 'log each change of an answer: its kind and place, never its value')
    .action(acts(proxy))
}

type ServeFlags = ListenAddress &
  Readonly<{
    fault?: readonly string[]
    listFaults?: boolean
    variant?: string
    listVariants?: boolean
    endpoints?: string
  }>

async function serve(call: Call, flags: ServeFlags) {
  const { fault: planted = [], variant, endpoints: file } = flags
  if (flags.listFaults === true) return call.out(faultList())
  if (flags.listVariants === true)
    return call.out(variants.map(({ name, about }) => `${name}\n    ${about}\n`).join(''))
  const load = async () => (await import('../../settings/endpoints-file.ts')).parseEndpoints
  const endpoints = await readList('--endpoints', file, call, load)
  refuse(endpoints.issues, 'the service was not started')
  call.err(lines(...reachableWarnings(flags.host, 'the service, whose credentials are public')))
  const start = () => startReference({ ...flags, faults: planted, endpoints: endpoints.value })
  await serveUntilInterrupted('the reference service', flags, call, start, (service) => {
    const manner = variant === undefined ? '' : `, as variant ${variant}`
    const named = `, with ${planted.length === 1 ? 'fault' : 'faults'} ${planted.join(', ')}`
    const settings = Object.entries(settingsOf(service))
    return [
      `# The reference service is running${manner}${planted.length === 0 ? '' : named}. Settings for another terminal or a .env file:`,
      ...settings.map(([name, value]) => `${name}=${dotenvValue(value)}`),
      '# Press Ctrl-C to stop.',
      '',
    ]
  })
}

/** Starts a server, announces it, and closes it when the process is interrupted. */
async function serveUntilInterrupted<Server extends Pick<Proxy, 'close'>>(
  what: string,
  { host, port }: ListenAddress,
  { out }: Call,
  start: () => Promise<Server>,
  announcement: (server: Server) => readonly string[],
) {
  const server = await start().catch((error: unknown) => {
    throw new UnusableInput(`${what} cannot be started on ${host}:${port}: ${errorText(error)}`)
  })
  // Signals are handled before the announcement, so that none can arrive too early.
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  out(announcement(server).join('\n'))
  await ended
  await server.close()
}

function faultList() {
  return faults
    .map(({ name, about, rules, profile, inNoOther }) => {
      const where = inNoOther === true ? `, in ${profile} alone` : `, from ${profile} on`
      return `${name}\n    ${about}\n    noticed by ${rules.join(', ')}${profile === undefined ? '' : where}\n`
    })
    .join('')
}

/** Settings for a run against a reference service, including its clients and the settings for its variant. */
export function settingsOf(service: ReferenceService): Readonly<Record<string, string>> {
  const credentials = clientTable.flatMap(({ name, apiKey, secretKey }) => {
    const client = service.clients[name === 'target' ? 'permitted' : name]
    return Object.entries({ [apiKey]: client.apiKey, [secretKey]: client.secretKey })
  })
  return {
    TARGET_BASE_URL: service.baseUrl,
    ...Object.fromEntries(credentials),
    FIXTURE_DISPOSABLE_QUOTA: String(service.disposableQuota),
    FIXTURE_INVALID_QUERY: service.invalidQuery,
    ...service.settings,
  }
}

async function proxy(call: Call, flags: ProxyFlags) {
  const read = await readProxySettings(call.input, flags)
  call.err(lines(...read.notices))
  if (read.kind === 'issues') throw refusal(read.issues)
  const { changes, opaque, seed, baseUrl: given } = read.settings
  const embedded = given === null ? await startReference() : null
  const baseUrl = given ?? embedded?.baseUrl ?? ''
  const log = (line: string) => call.out(`${line}\n`)
  const start = () => startProxy({ ...read.settings, baseUrl, log })
  try {
    await serveUntilInterrupted('the proxy', flags, call, start, ({ address }) => {
      const says = toleratedChanges.filter(({ name }) => changes.includes(name))
      const ofNames = `strings of ${printable(opaque.join(', '))} become longer, shorter, empty or get another format; equal strings change equally`
      return [
        `The proxy listens at ${address} and forwards requests to ${baseUrl}`,
        'It changes every JSON answer. The seed and the number of the request determine the changes:',
        ...says.map(({ name, says: what }) => `  ${name.padEnd(8)}${name === 'opaque' ? ofNames : what}`),
        `  seed    ${seed}`,
        `Set the service address of your client application to ${address}. The service may make these changes at any time, so`,
        'your client must still work. The field x-tolerated-changes of an answer lists its changes.',
        'Press Ctrl-C to stop.',
        '',
        '',
      ]
    })
  } finally {
    await embedded?.close()
  }
}
