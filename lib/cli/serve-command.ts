import { faults } from '../reference/faults/all-faults.ts'
import type { Fault } from '../reference/faults/fault.ts'
import { startReference, type ReferenceService } from '../reference/service.ts'
import { variants } from '../reference/variants/all-variants.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import type { Console } from './console.ts'

/** What `serve` was given. */
export interface ServeFlags {
  readonly host: string
  readonly port: string
  readonly fault?: readonly string[]
  readonly listFaults?: boolean
  readonly variant?: string
  readonly listVariants?: boolean
}

/** What it may use of the console. */
type Said = Pick<Console, 'out' | 'err'>

/** Serves the embedded reference service until it is interrupted. */
export async function serveCommand(options: ServeFlags, console: Said): Promise<ExitCode> {
  if (options.listFaults === true) {
    console.out(faults.map(listed).join(''))
    return 0
  }
  if (options.listVariants === true) {
    console.out(variants.map(({ name, about }) => `${name}\n    ${about}\n`).join(''))
    return 0
  }
  if (!/^\d{1,5}$/.test(options.port) || Number(options.port) > 65_535) {
    console.err(
      `--port: given ${JSON.stringify(options.port)}, expected a port from 0 (a free one) to 65535\n`,
    )
    return 2
  }
  const service = await started(options, console)
  if (service === null) return 2

  // Before anybody knows that it serves, so that no signal comes too early.
  const ended = interrupted()
  console.out(announcement(service, options))
  await ended
  await service.close()
  return 0
}

/** A fault as a user reads of it. */
function listed({ name, about, rules, profile }: Fault): string {
  const from = profile === undefined ? '' : `, from ${profile} on`
  return `${name}\n    ${about}\n    noticed by ${rules.join(', ')}${from}\n`
}

async function started(
  { host, port, fault, variant }: ServeFlags,
  console: Said,
): Promise<ReferenceService | null> {
  try {
    return await startReference({
      host,
      port: Number(port),
      faults: fault ?? [],
      ...(variant === undefined ? {} : { variant }),
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    console.err(`the reference service cannot be started on ${host}:${port}: ${reason}\n`)
    return null
  }
}

/** The settings of a run against a reference service, with all its clients and what its variant needs. */
export function settingsOf(service: ReferenceService): Readonly<Record<string, string>> {
  const { clients } = service
  const named = {
    TARGET: clients.permitted,
    FIXTURE_SECOND: clients.second,
    FIXTURE_NO_CUSTOMER: clients.noCustomer,
    FIXTURE_INACTIVE: clients.inactive,
    FIXTURE_UNAUTHORIZED: clients.unauthorized,
    FIXTURE_EXHAUSTED: clients.exhausted,
    FIXTURE_DISPOSABLE: clients.disposable,
  }
  const credentials = Object.entries(named).flatMap(([prefix, { apiKey, secretKey }]) => [
    [`${prefix}_API_KEY`, apiKey],
    [`${prefix}_SECRET_KEY`, secretKey],
  ])
  return {
    TARGET_BASE_URL: service.baseUrl,
    ...Object.fromEntries(credentials),
    FIXTURE_DISPOSABLE_QUOTA: String(service.disposableQuota),
    FIXTURE_INVALID_QUERY: service.invalidQuery,
    ...service.settings,
  }
}

/** The address, and every client as settings that can be put into a .env file. */
function announcement(service: ReferenceService, { fault = [], variant }: ServeFlags): string {
  const manner = variant === undefined ? '' : `, in the manner of ${variant}`
  const bent = fault.length === 0 ? '' : `, bent by ${fault.join(', ')}`
  return [
    `# The reference service listens${manner}${bent}; its settings for another terminal or a .env file:`,
    ...Object.entries(settingsOf(service)).map(([name, value]) => `${name}=${quoted(value)}`),
    '# End it with Ctrl-C.',
    '',
  ].join('\n')
}

/** A value as dotenv reads it: between quotes that it does not hold, where it holds more than plain characters. */
function quoted(value: string): string {
  if (/^[\w\-.:/=+]*$/.test(value)) return value
  const quote = ["'", '`', '"'].find((one) => !value.includes(one)) ?? "'"
  return `${quote}${value}${quote}`
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}
