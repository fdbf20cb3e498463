import { clientNames } from '../../serve/reference/clients.ts'
import { faults } from '../../serve/reference/faults.ts'
import { startReference, type ReferenceService } from '../../serve/reference/service.ts'
import { variants } from '../../serve/reference/variants.ts'
import { clientEntry } from '../../settings/client-settings.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import type { Console } from './console.ts'
import { dotenvValue } from './env-text.ts'
import { untilInterrupted } from './signals.ts'
import type { EndpointEntry } from '../../settings/endpoints-file.ts'
import {
  describeIssues,
  didYouMean,
  issue,
  shortened,
  type Parsed,
  type SettingIssue,
} from '../../settings/issue.ts'
import { readList } from '../../settings/json-file.ts'
import { meant } from '../../text/nearest.ts'
import { readListenAddress, reachableWarnings, type ListenFlags } from '../../settings/listen-address.ts'
import { errorText, printable } from '../../text/printable.ts'

/** The flags of `serve`. */
interface ServeFlags extends ListenFlags {
  readonly fault?: readonly string[]
  readonly listFaults?: boolean
  readonly variant?: string
  readonly listVariants?: boolean
  readonly endpoints?: string
}

/** Serves the embedded reference service until interrupted. */
export async function serveCommand(
  console: Pick<Console, 'out' | 'err' | 'cwd'>,
  flags: ServeFlags,
): Promise<ExitCode> {
  if (flags.listFaults === true || flags.listVariants === true) {
    console.out(flags.listFaults === true ? faultList() : variantList())
    return 0
  }
  const { fault, variant } = flags
  const { value: address, issues: ofAddress } = readListenAddress(flags)
  const { value: endpoints, issues: ofEndpoints } = await endpointsIn(flags.endpoints, console.cwd)
  const issues = [
    ...ofAddress,
    ...unknownNames('fault', fault ?? []),
    ...unknownNames('variant', [variant ?? []].flat()),
    ...ofEndpoints,
  ]
  if (issues.length > 0) {
    console.err(describeIssues(issues, 'nothing was served'))
    return 2
  }
  let service
  try {
    const more = variant === undefined ? {} : { variant }
    service = await startReference({ ...address, faults: fault ?? [], endpoints, ...more })
  } catch (error) {
    const { host, port } = address
    console.err(
      `the reference service cannot be started on ${printable(host)}:${port}: ${errorText(error)}\n`,
    )
    return 2
  }
  const warnings = reachableWarnings(address.host, 'the service, whose credentials everybody knows')
  for (const warning of warnings) console.err(`${printable(warning)}\n`)
  // Listens before announcing the service, so that no signal comes too early.
  const ended = untilInterrupted()
  console.out(announcement(service, flags))
  await ended
  await service.close()
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

async function endpointsIn(file: string | undefined, cwd: string): Promise<Parsed<readonly EndpointEntry[]>> {
  return readList({ setting: '--endpoints', file, cwd }, async () => {
    const { parseEndpoints } = await import('../../settings/endpoints-file.ts')
    return parseEndpoints
  })
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
