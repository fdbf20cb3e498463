import { usualOpaqueNames, toleratedChanges, type ChangeName } from '../../drift/tolerated.ts'
import { startProxy } from '../../serve/proxy/start-proxy.ts'
import type { ReferenceClients } from '../../serve/reference/clients.ts'
import { startReference } from '../../serve/reference/service.ts'
import { parseBaseUrl } from '../../settings/connection-settings.ts'
import { describeIssues } from '../../settings/issue.ts'
import { profiles } from '../../settings/profiles.ts'

/** A reference service, listening on 127.0.0.1. */
export type StartedReference = Readonly<Awaited<ReturnType<typeof referenceForTest>>>

/** A proxy, listening on 127.0.0.1. */
export type StartedProxy = Readonly<Awaited<ReturnType<typeof proxyForTest>>>

/** Options for a reference service in a test. */
export type ReferenceChoice = Readonly<{
  /** The name of a fault from `serve --list-faults`. */
  fault?: string | undefined
  /** The name of a conformant variant from `serve --list-variants`. */
  variant?: string | undefined
  /** Default: 0, which means any free port. */
  port?: number | undefined
}>

/** Options for a proxy in a test. */
export type ProxyChoice = Pick<ReferenceChoice, 'port'> &
  Readonly<{
    /** The service behind the proxy: `http(s)://host[:port][/prefix]`. */
    baseUrl: string
    /** Default: all, which are `added`, `order` and `opaque`. */
    changes?: readonly ChangeName[] | undefined
    /** Names of properties whose strings are opaque; `*` matches any characters. Default: identifiers and messages. */
    opaque?: readonly string[] | undefined
    /** Seed for the changes. Default: 20260101. */
    seed?: number | undefined
  }>

const running = new Map<string, ReferenceClients>()

/** Starts the reference service for a test. The error for an unknown fault or variant lists the known names. */
export async function referenceForTest({ fault, variant, port = 0 }: ReferenceChoice = {}) {
  const faults = fault === undefined ? [] : [fault]
  const service = await startReference({ faults, port, variant })
  const { baseUrl, clients } = service
  running.set(baseUrl, clients)
  return {
    /** Base URL, without a trailing slash. */
    url: baseUrl,
    /** Credentials by the outcome of their requests, such as `permitted` or `exhausted`. */
    clients,
    /** Stops listening and closes every connection. Resolves once all are closed; may be called repeatedly. */
    close: () => {
      running.delete(baseUrl)
      return service.close()
    },
  }
}

const direct = {
  ca: null,
  httpsProxy: null,
  noProxy: null,
  timeoutMs: 60_000,
  logChanges: false,
  log: () => {},
}

/** Starts a proxy that makes tolerated changes for a test. The error for an unknown change lists the known names. */
export async function proxyForTest({
  baseUrl,
  changes,
  opaque = usualOpaqueNames,
  seed = profiles.gate.seed(new Date()),
  port = 0,
}: ProxyChoice) {
  const { value: base, issues } = parseBaseUrl(baseUrl)
  if (base === null) {
    const named = issues.map((entry) => ({ ...entry, setting: 'baseUrl' }))
    throw new Error(describeIssues(named, 'nothing was started'))
  }
  const known = toleratedChanges.map(({ name }) => name)
  for (const name of changes ?? [])
    if (!known.includes(name)) throw new Error(`unknown change "${name}"; known changes: ${known.join(', ')}`)

  const address = { baseUrl: base.baseUrl, host: '127.0.0.1', port }
  const chosen = { opaque, seed, changes: known.filter((name) => changes?.includes(name) ?? true) }
  const proxy = await startProxy({ ...direct, ...address, ...chosen })
  return {
    url: proxy.address,
    /** The clients of the service behind the proxy if this process started it; null for any other service. */
    clients: running.get(base.baseUrl) ?? null,
    /** Stops listening and closes every connection. Resolves once all are closed; may be called repeatedly. */
    close: () => proxy.close(),
  }
}
