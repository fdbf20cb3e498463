import { type ChangeName, toleratedChanges } from '../drift/tolerated.ts'
import { targetOf } from '../http/target.ts'
import { resolveTarget } from '../settings/target.ts'
import { isLoopback } from '../settings/base-url.ts'
import { readCaFile, readProxy } from '../settings/connection-settings.ts'
import { checkTexts } from '../settings/sources.ts'
import {
  envFileNotices,
  placesSearched,
  readSources,
  type Sources,
  type SettingsInput,
} from '../settings/sources.ts'
import { hideSecrets } from '../settings/hide-secrets.ts'
import type { Parsed, SettingIssue } from '../settings/issue.ts'
import { meant } from '../settings/nearest.ts'
import { profiles } from '../settings/profiles.ts'
import type { SettingName, Texts } from '../settings/setting-table.ts'
import type { ProxyOptions } from './start-proxy.ts'

/** What `proxy` was given besides settings. */
export interface ProxyFlags {
  readonly changes: string
  readonly host: string
  readonly port: string
}

/** What a proxy is told, checked; the base URL is null for the embedded service until it listens. */
export type ProxySettings = Omit<ProxyOptions, 'baseUrl' | 'log'> & { readonly baseUrl: string | null }

/** The settings, with what the user should know; or every issue at once. */
export type ProxySettingsResult =
  | { readonly kind: 'settings'; readonly settings: ProxySettings; readonly notices: readonly string[] }
  | {
      readonly kind: 'issues'
      readonly issues: readonly SettingIssue[]
      readonly notices: readonly string[]
    }

/** All that a proxy reads: it has no credentials of its own, and judges nothing. */
const known: readonly SettingName[] = [
  'TARGET_BASE_URL',
  'RUN_SEED',
  'RUN_TIMEOUT_MS',
  'RUN_CA_FILE',
  'HTTPS_PROXY',
  'NO_PROXY',
]

/** Longer than a run waits for a whole answer: a client may be in a debugger, its service, too. */
const patienceMs = 60_000

/** Reads what `proxy` needs of the flags, the environment and the env file, and checks it. Source: Commands and Settings, in the README. */
export async function readProxySettings(
  input: SettingsInput,
  flags: ProxyFlags,
): Promise<ProxySettingsResult> {
  const sources = await readSources(input)
  const texts: Texts = Object.fromEntries(
    Object.entries(sources.texts).filter(([name]) => known.some((one) => one === name)),
  )
  const { value: checked, issues: malformed } = checkTexts(texts)
  const port = readPort(flags.port)
  const base = readBase({ ...sources, texts }, { host: flags.host, port: port.value })
  const changes = readChanges(flags.changes)
  const ca = await readCaFile(checked.RUN_CA_FILE, input.cwd)
  const proxy = readProxy(checked.HTTPS_PROXY)

  const issues = [
    ...sources.issues,
    ...malformed,
    ...[base, changes, port, ca, proxy].flatMap((part) => part.issues),
    ...(flags.host.trim() === '' ? [noHost] : []),
  ]
  const sourceNotices = envFileNotices(sources.envFile, '--env-file .env reads it')
  if (issues.length > 0) {
    const shown = hideSecrets(issues, sources.secrets, texts)
    return { kind: 'issues', issues: shown, notices: sourceNotices }
  }
  const settings = {
    baseUrl: base.value,
    changes: changes.value,
    seed: checked.RUN_SEED ?? profiles.gate.seed(input.now),
    host: flags.host,
    port: port.value,
    timeoutMs: checked.RUN_TIMEOUT_MS ?? patienceMs,
    ca: ca.value?.pem ?? null,
    httpsProxy: proxy.value,
    noProxy: checked.NO_PROXY ?? null,
  }
  return { kind: 'settings', settings, notices: [...sourceNotices, ...noticesOf(settings)] }
}

function readBase(
  sources: Sources,
  own: { readonly host: string; readonly port: number },
): Parsed<string | null> {
  if (sources.complete && sources.texts.TARGET_BASE_URL === undefined)
    return { value: null, issues: [missing(sources)] }

  const { value: resolved, issues } = resolveTarget(sources)
  if (resolved.kind !== 'address') return { value: null, issues }
  const { baseUrl } = resolved.address
  return { value: baseUrl, issues: isOwn(baseUrl, own) ? [itself(baseUrl)] : issues }
}

function missing(sources: Sources): SettingIssue {
  return {
    setting: 'TARGET_BASE_URL',
    given: null,
    expected: 'the address of the service, or embedded',
    hint: `the proxy stands before it; ${placesSearched(sources)}`,
  }
}

function isOwn(baseUrl: string, { host, port }: { readonly host: string; readonly port: number }): boolean {
  const { hostname, port: theirs } = targetOf(baseUrl)
  const isHere = hostname === host || (isLoopback(new URL(baseUrl).hostname) && hearsLoopback(host))
  return port !== 0 && port === Number(theirs) && isHere
}

/** Whether who listens there hears this machine's own addresses. */
function hearsLoopback(host: string): boolean {
  return isLoopback(host) || ['0.0.0.0', '::', '::1'].includes(host)
}

function itself(baseUrl: string): SettingIssue {
  return {
    setting: 'TARGET_BASE_URL',
    given: baseUrl,
    expected: "the address of the service, not the proxy's own",
    hint: 'give the proxy another --port; 0 is a free one',
  }
}

function readChanges(text: string): Parsed<readonly ChangeName[]> {
  const names = toleratedChanges.map(({ name }) => name)
  const given = text.split(',').map((name) => name.trim())
  const wrong = given.filter((name) => !names.some((one) => one === name))
  const issues = wrong.map((name) => {
    const near = meant(name, names)
    return {
      setting: '--changes',
      given: name === '' ? 'an empty name' : name,
      expected: `some of ${names.join(', ')}, separated by commas`,
      hint: near === null ? null : `did you mean ${near}?`,
    }
  })
  return { value: names.filter((name) => given.includes(name)), issues }
}

function readPort(text: string): Parsed<number> {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return { value: Number(text), issues: [] }
  const expected = 'a port from 0 (a free one) to 65535'
  return { value: 0, issues: [{ setting: '--port', given: text, expected, hint: null }] }
}

/** An empty host would be every address of this machine. */
const noHost: SettingIssue = {
  setting: '--host',
  given: 'an empty value',
  expected: 'an address or a name of this machine',
  hint: 'is the variable set from which --host was filled?',
}

function noticesOf({ host, baseUrl }: Pick<ProxySettings, 'host' | 'baseUrl'>): readonly string[] {
  const target = baseUrl === null ? null : new URL(baseUrl)
  return [
    ...(baseUrl === null
      ? ['The target is the embedded reference service; its clients are those that the command serve prints.']
      : []),
    ...(isLoopback(host) || host === '::1'
      ? []
      : [
          `WARNING: with --host ${host} others on the network reach the proxy, and credentials pass to it unprotected`,
        ]),
    ...(target !== null && target.protocol === 'http:' && !isLoopback(target.hostname)
      ? [`credentials go unencrypted to ${baseUrl ?? ''}; https would protect them`]
      : []),
  ]
}
