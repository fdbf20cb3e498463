import type { Declare } from './command.ts'
import type { Console } from './console.ts'
import { dotenvValue } from './init-command.ts'
import { untilInterrupted } from './signals.ts'
import { clientNames } from '../../serve/reference/clients.ts'
import { faults } from '../../serve/reference/faults.ts'
import { startReference, type ReferenceService } from '../../serve/reference/service.ts'
import { variants } from '../../serve/reference/variants.ts'
import { clientEntry } from '../../settings/client-settings.ts'
import { describeIssues, didYouMean, issue, shortened, type SettingIssue } from '../../settings/issue.ts'
import { readList } from '../../settings/json-file.ts'
import { reachableWarnings, readListenAddress, type ListenFlags } from '../../settings/listen-address.ts'
import { meant } from '../../text/nearest.ts'
import { errorText, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import type { ExitCode } from '../../verdict/verdict.ts'

/** `serve`: serves the embedded reference service until interrupted. */
export const serveCommand: Declare = (program, acts) =>
  program
    .command('serve')
    .description('start the embedded reference service and print its address and clients')
    .option('--host <host>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'which port; 0 is a free one', '0')
    .option('--fault <name...>', 'bend it in this way, or in several')
    .option('--list-faults', 'list the ways in which it can be bent')
    .option('--variant <name>', 'let it serve in this unusual manner, which is conformant all the same')
    .option('--list-variants', 'list these manners')
    .option('--endpoints <file>', 'an endpoints file whose endpoints it serves, too')
    .action(acts(serve))

interface ServeFlags extends ListenFlags {
  readonly fault?: readonly string[]
  readonly listFaults?: boolean
  readonly variant?: string
  readonly listVariants?: boolean
  readonly endpoints?: string
}

async function serve(console: Console, flags: ServeFlags): Promise<ExitCode> {
  if (flags.listFaults === true || flags.listVariants === true) {
    console.out(flags.listFaults === true ? faultList() : variantList())
    return 0
  }
  const { fault = [], variant, endpoints: file } = flags
  const { value: address, issues: ofAddress } = readListenAddress(flags)
  const endpoints = await readList({ setting: '--endpoints', file, cwd: console.cwd }, async () => {
    const { parseEndpoints } = await import('../../settings/endpoints-file.ts')
    return parseEndpoints
  })
  const issues = [
    ...ofAddress,
    ...unknownNames('fault', fault),
    ...unknownNames('variant', variant === undefined ? [] : [variant]),
    ...endpoints.issues,
  ]
  if (issues.length > 0) throw new UnusableInput(describeIssues(issues, 'nothing was served'))
  const more = variant === undefined ? {} : { variant }
  const warnings = reachableWarnings(address.host, 'the service, whose credentials everybody knows')
  for (const warning of warnings) console.err(`${printable(warning)}\n`)
  return serveUntilInterrupted('the reference service', address, console, async () => {
    const service = await startReference({ ...address, faults: fault, endpoints: endpoints.value, ...more })
    return { announcement: announcement(service, flags), close: () => service.close() }
  })
}

/** Starts what listens, announces it, and closes it once the process is interrupted. */
export async function serveUntilInterrupted(
  what: string,
  { host, port }: { readonly host: string; readonly port: number },
  console: Console,
  start: () => Promise<{ readonly announcement: string; readonly close: () => Promise<void> }>,
): Promise<ExitCode> {
  const started = await start().catch((cause: unknown) => {
    throw new UnusableInput(`${what} cannot be started on ${host}:${port}: ${errorText(cause)}`, { cause })
  })
  // Listens before announcing the service, so that no signal comes too early.
  const ended = untilInterrupted()
  console.out(started.announcement)
  await ended
  await started.close()
  return 0
}

function unknownNames(kind: 'fault' | 'variant', given: readonly string[]): readonly SettingIssue[] {
  const names: readonly string[] = { fault: faults, variant: variants }[kind].map(({ name }) => name)
  const expected = `the name of a ${kind}, as --list-${kind}s lists them`
  return given
    .filter((name) => !names.includes(name))
    .map((name) =>
      issue(`--${kind}`, { given: shortened(name), expected, hint: didYouMean(meant(name, names)) }),
    )
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

/** Settings of a run against a reference service, with its clients and its variant's needs. */
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

/** Address and clients, as settings for a .env file. */
function announcement(service: ReferenceService, { fault = [], variant }: ServeFlags): string {
  const manner = variant === undefined ? '' : `, in the manner of ${variant}`
  const bent = fault.length === 0 ? '' : `, bent by ${fault.join(', ')}`
  return [
    `# The reference service listens${manner}${bent}; its settings for another terminal or a .env file:`,
    ...Object.entries(settingsOf(service)).map(([name, value]) => `${name}=${dotenvValue(value)}`),
    '# End it with Ctrl-C.',
    '',
  ].join('\n')
}
