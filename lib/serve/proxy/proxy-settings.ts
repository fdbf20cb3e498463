import { toleratedChanges, type ChangeName } from '../../drift/tolerated.ts'
import { targetOf } from '../../http/exchange.ts'
import {
  readConnection,
  isLoopback,
  reachableWarnings,
  resolveTarget,
  type ListenAddress,
} from '../../settings/connection-settings.ts'
import { credentialSearch, exposed, exposedCredentials, hideSecrets } from '../../settings/hide-secrets.ts'
import { hintFrom, issue, parsed, type Parsed } from '../../settings/issue.ts'
import { profiles } from '../../settings/profiles.ts'
import type { Texts } from '../../settings/setting-table.ts'
import * as given from '../../settings/sources.ts'

/** Flags for `proxy` that are not settings. */
export type ProxyFlags = ListenAddress &
  Readonly<{
    changes: string
    opaque: string
    logChanges?: boolean
  }>

/** Settings that a proxy reads. It has no credentials and judges nothing. */
const known = /^(?:TARGET_BASE_URL|RUN_(?:SEED|TIMEOUT_MS|CA_FILE|CERT_FILE|KEY_FILE)|HTTPS_PROXY|NO_PROXY)$/

/**
 * Reads and checks the proxy's settings from flags, environment and env file. Returns them or all issues at once, with notices for the user.
 * The base URL is null for the embedded service until it listens.
 */
export async function readProxySettings(input: given.SettingsInput, flags: ProxyFlags) {
  const sources = await given.readSources(input)
  const texts: Texts = Object.fromEntries(Object.entries(sources.texts).filter(([name]) => known.test(name)))
  const search = credentialSearch(sources.credentials)
  const { value: checked, issues: malformed } = given.checkTexts(texts)
  const base = readBase({ ...sources, texts }, flags.port)
  const changes = readChanges(flags.changes)
  const opaque = flags.opaque.split(',').flatMap((name) => name.trim() || [])
  const connection = await readConnection(checked, input.cwd)
  const issues = [
    ...sources.issues,
    ...sources.settled([
      ...malformed,
      ...exposedCredentials(texts, search),
      ...[base, changes, connection].flatMap((part) => part.issues),
      ...exposed(search, '--opaque', flags.opaque),
    ]),
  ]
  const notices = given.envFileNotices(sources.envFile, '--settings-file .env reads it')
  if (issues.length > 0)
    return {
      kind: 'issues',
      issues: hideSecrets(issues, search, texts),
      notices,
    } as const

  const settings = {
    baseUrl: base.value,
    changes: changes.value,
    opaque,
    logChanges: flags.logChanges ?? false,
    seed: checked.RUN_SEED ?? profiles.gate.seed(input.now),
    host: flags.host,
    port: flags.port,
    // Longer than in a run, because the client or service may be in a debugger.
    timeoutMs: checked.RUN_TIMEOUT_MS ?? 60_000,
    ...connection.value,
    ca: connection.value.ca?.pem ?? null,
  }
  const ofTarget = base.value === null ? [embedded] : []
  const ofHost = reachableWarnings(flags.host, 'the proxy, and credentials reach it unprotected')
  return {
    kind: 'settings',
    settings,
    notices: [...notices, ...ofTarget, ...ofHost],
  } as const
}

const embedded = 'The target is the embedded reference service. The command serve prints its clients.'

function readBase(sources: given.Sources, port: number): Parsed<string | null> {
  if (sources.texts.TARGET_BASE_URL === undefined) {
    const expected = 'the address of the service, or embedded'
    const hint = `the proxy forwards requests to it; ${sources.searched}`
    return parsed(null, issue('TARGET_BASE_URL', { expected, hint }))
  }
  const { value: resolved, issues } = resolveTarget(sources)
  if (resolved.address === null) return { value: null, issues }
  const { baseUrl } = resolved.address
  const isHere = isLoopback(new URL(baseUrl).hostname) && Number(targetOf(baseUrl).port) === port
  if (!isHere) return { value: baseUrl, issues }
  const expected = "the address of the service, not the proxy's own"
  const hint = 'choose another --port for the proxy; 0 picks a free port'
  return parsed(baseUrl, issue('TARGET_BASE_URL', { given: baseUrl, expected, hint }))
}

function readChanges(text: string): Parsed<readonly ChangeName[]> {
  const names = toleratedChanges.map(({ name }) => name)
  const asked = text.split(',').map((name) => name.trim())
  const expected = `any of ${names.join(', ')}, separated by commas`
  const issues = asked
    .filter((name) => !names.some((one) => one === name))
    .map((name) =>
      issue('--changes', { given: name || 'an empty name', expected, hint: hintFrom(names, name) }),
    )
  return { value: names.filter((name) => asked.includes(name)), issues }
}
