import { usualOpaqueNames } from '../../drift/opaque-strings.ts'
import { toleratedChanges, type ChangeName } from '../../drift/tolerated.ts'
import { startProxy } from '../../serve/proxy/start-proxy.ts'
import type { ReferenceClients } from '../../serve/reference/clients.ts'
import { startReference } from '../../serve/reference/service.ts'
import { parseBaseUrl } from '../../settings/base-url.ts'
import { describeIssues } from '../../settings/issue.ts'
import { profiles } from '../../settings/profiles.ts'

/** How the reference service is started for a test; everything has a default. */
export interface ReferenceChoice {
  /** A fault that bends it, by a name that `serve --list-faults` lists. */
  readonly fault?: string | undefined
  /** A conformant manner in which it serves, by a name that `serve --list-variants` lists. */
  readonly variant?: string | undefined
  /** Default 0, a free one. */
  readonly port?: number | undefined
}

/** A reference service that listens on 127.0.0.1. */
export interface StartedReference {
  /** Base URL, without a trailing slash. */
  readonly url: string
  /** Credentials by what becomes of their requests: `permitted`, `exhausted` and so on. */
  readonly clients: ReferenceClients
  /** Stops listening and cuts every connection; resolves once all are closed, however often it is called. */
  readonly close: () => Promise<void>
}

/** How a proxy is started for a test. */
export interface ProxyChoice {
  /** The service that it stands before: `http(s)://host[:port][/prefix]`. */
  readonly baseUrl: string
  /** Default `added`, `order` and `opaque`, all that there are. */
  readonly changes?: readonly ChangeName[] | undefined
  /** Names of properties whose strings are opaque, `*` for any characters; default identifiers and messages. */
  readonly opaque?: readonly string[] | undefined
  /** Decides the changes; default 20260101. */
  readonly seed?: number | undefined
  /** Default 0, a free one. */
  readonly port?: number | undefined
}

/** A proxy that listens on 127.0.0.1. */
export interface StartedProxy extends Omit<StartedReference, 'clients'> {
  /** Those of the service behind it if this process started that; null for any other, whose clients nobody here knows. */
  readonly clients: ReferenceClients | null
}

const running = new Map<string, ReferenceClients>()

/** Starts the reference service for a test; an unknown fault or variant is an error that lists those that there are. */
export async function referenceForTest({
  fault,
  variant,
  port = 0,
}: ReferenceChoice = {}): Promise<StartedReference> {
  const faults = fault === undefined ? [] : [fault]
  const service = await startReference({ faults, port, ...(variant === undefined ? {} : { variant }) })
  const { baseUrl: url, clients } = service
  running.set(url, clients)
  let closed: Promise<void> | null = null
  const close = (): Promise<void> => {
    if (closed === null) running.delete(url)
    return (closed ??= service.close())
  }
  return { url, clients, close }
}

/** Starts the proxy that makes tolerated changes for a test; an unknown change is an error that lists those that there are. */
export async function proxyForTest({
  baseUrl,
  changes,
  opaque = usualOpaqueNames,
  seed = profiles.gate.seed(new Date()),
  port = 0,
}: ProxyChoice): Promise<StartedProxy> {
  const { value: base, issues } = parseBaseUrl(baseUrl)
  if (base === null || issues.length > 0) {
    const named = issues.map((one) => ({ ...one, setting: 'baseUrl' }))
    throw new Error(describeIssues(named, 'nothing was started'))
  }
  const known = toleratedChanges.map(({ name }) => name)
  for (const name of changes ?? [])
    if (!known.includes(name)) throw new Error(`unknown change "${name}"; known are ${known.join(', ')}`)

  const proxy = await startProxy({
    timeoutMs: 60_000,
    ca: null,
    httpsProxy: null,
    noProxy: null,
    baseUrl: base.baseUrl,
    opaque,
    seed,
    host: '127.0.0.1',
    port,
    changes: known.filter((name) => changes?.includes(name) ?? true),
    logChanges: false,
    log: () => {},
  })
  return { url: proxy.address, clients: running.get(base.baseUrl) ?? null, close: () => proxy.close() }
}
