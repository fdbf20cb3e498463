import { type ChangeName, toleratedChanges } from '../../drift/tolerated.ts'
import { targetOf } from '../../http/target-address.ts'
import { Secret } from '../../redact/secret.ts'
import { resolveTarget } from '../../settings/read-target.ts'
import { isLoopback } from '../../settings/base-url.ts'
import {
  isLocal,
  reachableWarnings,
  readListenAddress,
  type ListenAddress,
  type ListenFlags,
} from '../../settings/listen-address.ts'
import {
  passwordsIn,
  readCaFile,
  readClientCertificate,
  readProxy,
} from '../../settings/connection-settings.ts'
import { checkTexts } from '../../settings/sources.ts'
import {
  envFileNotices,
  issuesBehind,
  placesSearched,
  readSources,
  type Sources,
  type SettingsInput,
} from '../../settings/sources.ts'
import {
  credentialSearch,
  exposed,
  exposedCredentials,
  hideSecrets,
  type CredentialSearch,
} from '../../settings/hide-secrets.ts'
import { didYouMean, issue, parsed, type Parsed, type SettingIssue } from '../../settings/issue.ts'
import { meant } from '../../text/nearest.ts'
import { profiles } from '../../settings/profiles.ts'
import type { SettingName, Texts } from '../../settings/setting-table.ts'
import type { ProxyOptions } from './start-proxy.ts'

/** Flags of `proxy` besides settings. */
export interface ProxyFlags extends ListenFlags {
  readonly changes: string
  readonly opaque: string
  readonly logChanges?: boolean
}

/** Checked settings of a proxy; the base URL is null for the embedded service until it listens. */
type ProxySettings = Omit<ProxyOptions, 'baseUrl' | 'log'> & { readonly baseUrl: string | null }

/** The settings, or every issue at once, with notices for the user. */
export type ProxySettingsResult = { readonly notices: readonly string[] } & (
  | { readonly kind: 'settings'; readonly settings: ProxySettings }
  | { readonly kind: 'issues'; readonly issues: readonly SettingIssue[] }
)

/** Settings that a proxy reads; it has no credentials and judges nothing. */
const known: readonly SettingName[] = [
  'TARGET_BASE_URL',
  'RUN_SEED',
  'RUN_TIMEOUT_MS',
  'RUN_CA_FILE',
  'RUN_CERT_FILE',
  'RUN_KEY_FILE',
  'HTTPS_PROXY',
  'NO_PROXY',
]

/** Timeout, in milliseconds; longer than a run's, since client or service may be in a debugger. */
const patienceMs = 60_000

/** Reads and checks the proxy's settings from flags, environment and env file. */
export async function readProxySettings(
  input: SettingsInput,
  flags: ProxyFlags,
): Promise<ProxySettingsResult> {
  const sources = await readSources(input)
  const texts: Texts = Object.fromEntries(
    Object.entries(sources.texts).filter(([name]) => known.some((one) => one === name)),
  )
  const search = credentialSearch(sources.credentials)
  const { value: checked, issues: malformed } = checkTexts(texts)
  const own = readListenAddress(flags)
  const base = readBase({ ...sources, texts }, own.value)
  const changes = readChanges(flags.changes)
  const opaque = readOpaque(flags.opaque, search)
  const ca = await readCaFile(checked.RUN_CA_FILE, input.cwd)
  const certificate = await readClientCertificate(checked, input.cwd)
  const proxy = readProxy(checked.HTTPS_PROXY)

  const issues = [
    ...sources.issues,
    ...issuesBehind(sources, [
      ...malformed,
      ...exposedCredentials(texts, search),
      ...[base, changes, opaque, own, ca, certificate, proxy].flatMap((part) => part.issues),
    ]),
  ]
  const sourceNotices = envFileNotices(sources.envFile, '--settings-file .env reads it')
  if (issues.length > 0) {
    const shown = hideSecrets(issues, search, texts)
    return { kind: 'issues', issues: shown, notices: sourceNotices }
  }
  const settings = {
    baseUrl: base.value,
    changes: changes.value,
    opaque: opaque.value,
    logChanges: flags.logChanges ?? false,
    credentials: [
      ...sources.credentials,
      ...passwordsIn(proxy.value ?? '').map((one) => new Secret('HTTPS_PROXY', one)),
    ],
    seed: checked.RUN_SEED ?? profiles.gate.seed(input.now),
    ...own.value,
    timeoutMs: checked.RUN_TIMEOUT_MS ?? patienceMs,
    ca: ca.value?.pem ?? null,
    clientCertificate: certificate.value,
    httpsProxy: proxy.value,
    noProxy: checked.NO_PROXY ?? null,
  }
  return { kind: 'settings', settings, notices: [...sourceNotices, ...noticesOf(settings)] }
}

function readBase(sources: Sources, own: ListenAddress): Parsed<string | null> {
  if (sources.complete && sources.texts.TARGET_BASE_URL === undefined) {
    const expected = 'the address of the service, or embedded'
    const hint = `the proxy stands before it; ${placesSearched(sources)}`
    return parsed(null, issue('TARGET_BASE_URL', { expected, hint }))
  }
  const { value: resolved, issues } = resolveTarget(sources)
  if (resolved.kind !== 'address') return { value: null, issues }
  const { baseUrl } = resolved.address
  if (!isOwn(baseUrl, own)) return { value: baseUrl, issues }
  const expected = "the address of the service, not the proxy's own"
  const hint = 'give the proxy another --port; 0 is a free one'
  return parsed(baseUrl, issue('TARGET_BASE_URL', { given: baseUrl, expected, hint }))
}

function isOwn(baseUrl: string, { host, port }: ListenAddress): boolean {
  const { hostname, port: theirs } = targetOf(baseUrl)
  const hearsLoopback = isLocal(host) || ['0.0.0.0', '::'].includes(host)
  const isHere = hostname === host || (isLoopback(new URL(baseUrl).hostname) && hearsLoopback)
  return port !== 0 && port === Number(theirs) && isHere
}

function readChanges(text: string): Parsed<readonly ChangeName[]> {
  const names = toleratedChanges.map(({ name }) => name)
  const given = text.split(',').map((name) => name.trim())
  const expected = `some of ${names.join(', ')}, separated by commas`
  const issues = given
    .filter((name) => !names.some((one) => one === name))
    .map((name) =>
      issue('--changes', { given: name || 'an empty name', expected, hint: didYouMean(meant(name, names)) }),
    )
  return { value: names.filter((name) => given.includes(name)), issues }
}

function readOpaque(text: string, search: CredentialSearch): Parsed<readonly string[]> {
  const names = text.split(',').map((name) => name.trim())
  if (search.in(text) !== null) return { value: [], issues: [exposed('--opaque', text)] }
  const expected = 'names of properties, separated by commas; * stands for any characters'
  const isNamed = names.every((name) => name !== '')
  return { value: names, issues: isNamed ? [] : [issue('--opaque', { given: 'an empty name', expected })] }
}

function noticesOf({ host, baseUrl }: Pick<ProxySettings, 'host' | 'baseUrl'>): readonly string[] {
  const notices: string[] = []
  if (baseUrl === null) {
    notices.push(
      'The target is the embedded reference service; its clients are those that the command serve prints.',
    )
  }
  notices.push(...reachableWarnings(host, 'the proxy, and credentials pass to it unprotected'))
  if (baseUrl?.startsWith('http:') === true && !isLoopback(new URL(baseUrl).hostname)) {
    notices.push(`credentials go unencrypted to ${baseUrl}; https would protect them`)
  }
  return notices
}
