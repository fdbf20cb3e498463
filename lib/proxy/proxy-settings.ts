import type { ChangeName } from '../drift/changed.ts'
import { toleratedChanges } from '../drift/tolerated.ts'
import { targetOf } from '../http/target.ts'
import { placesSearched, readAim } from '../settings/aim.ts'
import { isLoopback } from '../settings/base-url.ts'
import { readCaFile } from '../settings/ca-file.ts'
import { checkTexts } from '../settings/check-texts.ts'
import { envFileNotices } from '../settings/env-file.ts'
import { gather, type Gathered, type SettingsInput, type Texts } from '../settings/gather.ts'
import { hideSecrets } from '../settings/hide-secrets.ts'
import type { Mistake, Part } from '../settings/mistake.ts'
import { meant } from '../settings/nearest.ts'
import { profiles } from '../settings/profiles.ts'
import { readProxy } from '../settings/proxy.ts'
import type { SettingName } from '../settings/setting-table.ts'
import type { ProxyOptions } from './start-proxy.ts'

/** What `proxy` was given besides settings. */
export interface ProxyFlags {
  readonly changes: string
  readonly host: string
  readonly port: string
}

/** What a proxy is told, checked; the base URL is null for the embedded service until it listens. */
export type ProxySettings = Omit<ProxyOptions, 'baseUrl' | 'log'> & { readonly baseUrl: string | null }

/** The settings, with what the user should know; or every mistake at once. */
export type ProxySettingsResult =
  | { readonly kind: 'settings'; readonly settings: ProxySettings; readonly notices: readonly string[] }
  | {
      readonly kind: 'mistakes'
      readonly mistakes: readonly Mistake[]
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
  const gathered = await gather(input)
  const texts: Texts = Object.fromEntries(
    Object.entries(gathered.texts).filter(([name]) => known.some((one) => one === name)),
  )
  const { value: checked, mistakes: malformed } = checkTexts(texts)
  const port = readPort(flags.port)
  const base = readBase({ ...gathered, texts }, { host: flags.host, port: port.value })
  const changes = readChanges(flags.changes)
  const ca = await readCaFile(checked.RUN_CA_FILE, input.cwd)
  const proxy = readProxy(checked.HTTPS_PROXY)

  const mistakes = [
    ...gathered.mistakes,
    ...malformed,
    ...[base, changes, port, ca, proxy].flatMap((part) => part.mistakes),
    ...(flags.host.trim() === '' ? [noHost] : []),
  ]
  const sourceNotices = envFileNotices(gathered.envFile, '--env-file .env reads it')
  if (mistakes.length > 0) {
    const shown = hideSecrets(mistakes, gathered.secrets, texts)
    return { kind: 'mistakes', mistakes: shown, notices: sourceNotices }
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
  gathered: Gathered,
  own: { readonly host: string; readonly port: number },
): Part<string | null> {
  if (gathered.complete && gathered.texts.TARGET_BASE_URL === undefined)
    return { value: null, mistakes: [missing(gathered)] }

  const { value: aim, mistakes } = readAim(gathered)
  if (aim.kind !== 'address') return { value: null, mistakes }
  const { baseUrl } = aim.address
  return { value: baseUrl, mistakes: isOwn(baseUrl, own) ? [itself(baseUrl)] : mistakes }
}

function missing(gathered: Gathered): Mistake {
  return {
    setting: 'TARGET_BASE_URL',
    given: null,
    expected: 'the address of the service, or embedded',
    hint: `the proxy stands before it; ${placesSearched(gathered)}`,
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

function itself(baseUrl: string): Mistake {
  return {
    setting: 'TARGET_BASE_URL',
    given: baseUrl,
    expected: "the address of the service, not the proxy's own",
    hint: 'give the proxy another --port; 0 is a free one',
  }
}

function readChanges(text: string): Part<readonly ChangeName[]> {
  const names = toleratedChanges.map(({ name }) => name)
  const given = text.split(',').map((name) => name.trim())
  const wrong = given.filter((name) => !names.some((one) => one === name))
  const mistakes = wrong.map((name) => {
    const near = meant(name, names)
    return {
      setting: '--changes',
      given: name === '' ? 'an empty name' : name,
      expected: `some of ${names.join(', ')}, separated by commas`,
      hint: near === null ? null : `did you mean ${near}?`,
    }
  })
  return { value: names.filter((name) => given.includes(name)), mistakes }
}

function readPort(text: string): Part<number> {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return { value: Number(text), mistakes: [] }
  const expected = 'a port from 0 (a free one) to 65535'
  return { value: 0, mistakes: [{ setting: '--port', given: text, expected, hint: null }] }
}

/** An empty host would be every address of this machine. */
const noHost: Mistake = {
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
